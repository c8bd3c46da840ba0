/* SPDX-License-Identifier: Apache-2.0 */
/* bench.h: measurements of a benchmark, and their output formats. */
#ifndef FARSUM_TOOLS_BENCH_H
#define FARSUM_TOOLS_BENCH_H

#include <farsum/device.h>

#include "case.h"
#include "exclude.h"

enum { BENCH_PLANS = 32, BENCH_ROWS = 64, BENCH_REPEATS = 1000 };

/* One bar: a stage of a plan, or its set_points, or both calls together. */
struct bench_row {
    int plan;                /* in bench.plans; -1: not supported */
    char stage[32], variant[48];
    char reason[320];        /* why it is not supported */
    char parameters[200];    /* chosen by the plan */
    double *seconds;         /* owned, [repeats] */
    double min, median;
};

struct bench {
    const struct settings *settings;
    struct case_spec spec;
    struct case_particles particles;
    struct exclude_list exclude;
    char case_text[300], machine[128];
    int threads, repeats;
    int n_plans, n_rows;
    farsum_plan *plans[BENCH_PLANS]; /* owned */
    struct bench_row rows[BENCH_ROWS];
    farsum_plan *base;               /* owned; holds the fixed names */
    double *potential, *field;       /* owned; every plan writes the same
                                        arrays; field: velocities of a flow */
    /* arrays on the device: */
    farsum_device *device;           /* owned; NULL: they are on the host */
    void *there[4];                  /* owned: positions, strengths,
                                        potential, field */
};
/* The median and the minimum of n times, which it sorts. */
double bench_median(double *t, int n, double *min);
/* Each returns 0, or -1 with the reason. */
/* Makes the case's particles, and allocates the results. */
int bench_prepare(struct bench *b, char *error, size_t size);
void bench_free(struct bench *b);
/* The output arrays, on the host or the device. */
farsum_result bench_result(const struct bench *b);
/* Sets the points of a plan, if `points`, and sums; seconds of both calls. */
farsum_status bench_sum(const struct bench *b, farsum_plan *plan, int points,
                        double seconds[2]);
/* Reads the particles of a file instead of a case's, and their name. */
int bench_read(struct bench *b, char *error, size_t size);
/* Adds a plan and a row for each variant of a stage. */
int bench_add_variants(struct bench *b, const char *stage_name, char *error,
                       size_t size);
/* Adds one plan, and rows for its calls and stages; NULL: the chosen method. */
int bench_add_method(struct bench *b, const char *method, char *error,
                     size_t size);
int bench_csv_append(const struct bench *b, const char *path, char *error,
                     size_t size);
/* Compares with the rows of an older run of the same case; prints a line for
 * each. */
struct bench_old;
int bench_csv_read(const char *path, struct bench_old **old, char *error,
                   size_t size);
void bench_csv_compare(const struct bench *b, const struct bench_old *old,
                       FILE *out);
void bench_csv_free(struct bench_old *old);
/* Tests whether a picture can be made, before the long work. */
int bench_plot_ready(const char *path, char *error, size_t size);
int bench_plot(const struct bench *b, const char *path, char *error,
               size_t size);
#endif
