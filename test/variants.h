/* SPDX-License-Identifier: Apache-2.0 */
/* variants.h: common code of variants*.c, which compare every variant of every
 * stage with the stage's `plain`. */
#ifndef FARSUM_TEST_VARIANTS_H
#define FARSUM_TEST_VARIANTS_H

#include "base/isa.h"
#include "device/buf.h"
#include "stage/stage.h"

struct trial {
    const struct variant *variant;
    farsum_precision precision;
    enum isa isa;
    int threads;
    int runs; /* times that it runs on the same state; the last counts */
    struct device *device; /* NULL: the host */
};

/* What a run gave, as doubles. */
enum { PARTS_MAX = 4 };
struct part {
    const char *name;
    int64_t n;
    double *v;    /* owned, [n] */
    double floor; /* errors are relative to the RMS, or to this if larger */
};
struct outcome {
    int n;
    double error; /* that the row's design allows the last part, relative, in
                     place of all parts' rounding; 0: it allows none */
    struct part part[PARTS_MAX];
};

struct harness {
    const char *room;
    int cases;
    void (*name)(int k, char *text, size_t size);
    /* FARSUM_ERR_UNSUPPORTED or _TOLERANCE from the row's fits is passed on */
    farsum_status (*run)(int k, const struct trial *trial,
                         struct outcome *outcome);
    /* relative error that a row may have against plain in f64 */
    double (*bound)(int k, farsum_precision precision);
    /* cases that are run on a device too, bit by bit; 0: all, as with
     * FARSUM_TEST_ALL.  Each may have kernels of its own to compile. */
    uint64_t on_device, more_on_device; /* more: from case 64 on */
    /* what else is true of a row that fits; NULL: nothing */
    void (*more)(int k, const struct trial *trial, const char *row);
};

extern const struct harness harness_near, harness_spread, harness_interp,
    harness_fft, harness_scale, harness_p2p,
    harness_p2m, harness_m2m, harness_m2l, harness_lattice, harness_l2l,
    harness_l2p;

/* Adds a part of n doubles, zero. */
double *outcome_part(struct outcome *outcome, const char *name, int64_t n,
                     double floor);

/* Arrays of a trial's precision. */
void *trial_array(const struct trial *trial, int64_t n);
void trial_put(const struct trial *trial, void *array, int64_t i, double v);
double trial_get(const struct trial *trial, const void *array, int64_t i);
/* What stands for a host array in a stage's io: the array itself, or on a
 * device `buf`. */
void *trial_io(const struct trial *trial, struct buf *buf, void *array);
/* The array into buf, made large enough, and back; nothing on the host. */
void trial_send(const struct trial *trial, struct buf *buf, const void *array,
                int64_t bytes);
void trial_fetch(const struct trial *trial, const struct buf *buf, void *array,
                 int64_t bytes);
/* The points that are set on the host on the trial's device too. */
struct points;
struct cell;
void trial_points(const struct trial *trial, struct points *points,
                  const struct cell *cell, const double *x);
/* fits, create, set, run `runs` times with `again` before each, destroy. */
farsum_status trial_run(const struct trial *trial, const void *args,
                        const struct points *sources,
                        const struct points *targets, const void *io,
                        void (*again)(void *data), void *data);
/* What plans ask the cache of kernels for, while it is recorded. */
enum { TEXTS = 256 };
struct texts {
    int n;
    char *text[TEXTS]; /* owned */
};
void texts_record(struct texts *to); /* NULL: no longer */
void texts_clear(struct texts *texts);
void texts_same(const char *what, const struct texts *found,
                const struct texts *wanted);
/* Sets the locale FARSUM_TEST_LOCALE, or C (in = 0); 0: none is named. */
int locale_test(int in);
/* 0 <= u < 1 from a counter: splitmix64 (Steele, Lea and Flood 2014). */
double trial_random(uint64_t *state);
#endif
