/* SPDX-License-Identifier: Apache-2.0 */
/* variants.h: common code of the tests variants*.c: every variant of every
 * stage against the stage's `plain`. */
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
    int runs; /* runs on the same state; the last one counts */
    struct device *device; /* NULL: the host */
};

/* Results of a run, as doubles. */
enum { PARTS_MAX = 5 };
struct part {
    const char *name;
    int64_t n;
    double *v;    /* owned, [n] */
    double floor; /* errors are relative to the RMS, or to this if larger */
};
struct outcome {
    int n;
    double error; /* relative error that the variant's design allows in the last
                   * part, instead of rounding in all parts; 0: none */
    struct part part[PARTS_MAX];
};

struct harness {
    const char *stage;
    int cases;
    void (*name)(int k, char *text, size_t size);
    /* Passes on FARSUM_ERR_UNSUPPORTED or _TOLERANCE from the variant's
     * fits. */
    farsum_status (*run)(int k, const struct trial *trial,
                         struct outcome *outcome);
    /* relative error allowed against plain in f64 */
    double (*bound)(int k, farsum_precision precision);
    /* cases that also run on a device, bit by bit; 0: all, as with
     * FARSUM_TEST_ALL.  Each may compile its own kernels. */
    uint64_t on_device, more_on_device; /* more: from case 64 on */
    /* other checks of a variant that fits; or NULL */
    void (*more)(int k, const struct trial *trial, const char *row);
};

extern const struct harness harness_near, harness_spread, harness_interp,
    harness_fft, harness_scale, harness_p2p,
    harness_p2m, harness_m2m, harness_m2l, harness_lattice, harness_l2l,
    harness_l2p;

/* Adds a part of n doubles, zero. */
double *outcome_part(struct outcome *outcome, const char *name, int64_t n,
                     double floor);

void outcome_clear(struct outcome *outcome);

/* Arrays of a trial's precision. */
void *trial_array(const struct trial *trial, int64_t n);
void trial_put(const struct trial *trial, void *array, int64_t i, double v);
double trial_get(const struct trial *trial, const void *array, int64_t i);
/* The array for a stage's io: the host array itself, or `buf` on a device. */
void *trial_io(const struct trial *trial, struct buf *buf, void *array);
/* Copies the array into buf, enlarged if necessary, and back; no-op on the
 * host. */
void trial_send(const struct trial *trial, struct buf *buf, const void *array,
                int64_t bytes);
void trial_fetch(const struct trial *trial, const struct buf *buf, void *array,
                 int64_t bytes);
/* Sets the host's points on the trial's device too. */
struct points;
struct cell;
void trial_points(const struct trial *trial, struct points *points,
                  const struct cell *cell, const double *x);
/* fits, create, set, run `runs` times with `again` before each, destroy. */
farsum_status trial_run(const struct trial *trial, const void *args,
                        const struct points *sources,
                        const struct points *targets, const void *io,
                        void (*again)(void *data), void *data);
/* Texts that plans request from the cache of kernels while recording. */
enum { TEXTS = 256 };
struct texts {
    int n;
    char *text[TEXTS]; /* owned */
};
void texts_record(struct texts *to); /* NULL: stops recording */
void texts_clear(struct texts *texts);
void texts_same(const char *what, const struct texts *found,
                const struct texts *wanted);
/* Sets the locale FARSUM_TEST_LOCALE, or C (in = 0); 0: none is set. */
int locale_test(int in);
/* 0 <= u < 1 from a counter: splitmix64 (Steele, Lea and Flood 2014). */
double trial_random(uint64_t *state);
#endif
