/* SPDX-License-Identifier: Apache-2.0 */
/* methods.h: common code of the tolerance sweep, methods*.c.
 *
 * A cell of the sweep is one system, precision, split, window and tolerance (or
 * parameters fixed by hand).  Its error is measured against an Ewald sum. */
#ifndef FARSUM_TEST_METHODS_H
#define FARSUM_TEST_METHODS_H

#include "cases.h"

struct ladder_cell {
    const char *group; /* see the filter in methods.c */
    const struct system *system;
    farsum_precision precision;
    farsum_error_kind error;
    const char *split, *window; /* NULL: the default */
    double tolerance;
    double cutoff;              /* as in farsum_options */
    int support;
    int64_t mesh[3];
    /* results */
    farsum_status status;
    char message[240];
    farsum_plan_info info;
    double estimate, measured; /* in the norm `error` */
    double force_error, potential_error, energy_error, virial_error;
    double velocity_error;
    double seconds;
};

struct ladder {
    struct ladder_cell *cell;
    int n, capacity;
    int threads;
};

/* methods_cells.c: list of cells. */
enum { METHODS_LAPLACE = 7, METHODS_SYSTEMS = 22, METHODS_CROSS = 72 };
/* filter NULL: all.  full 0: the subset of pairs. */
void ladder_fill(struct ladder *ladder, struct system *systems, int full,
                 const char *filter);
int ladder_wanted(const char *filter, const char *key, const char *value);
void methods_systems(struct system *systems, const char *filter);

/* Adds a cell, if the filter selects it. */
void ladder_add(struct ladder *ladder, const struct ladder_cell *cell,
                const char *filter);

/* methods_cross.c: each kernel with each cell and distribution.  `systems` has
 * METHODS_CROSS entries; those needed are loaded. */
void ladder_fill_cross(struct ladder *ladder, struct system *systems, int full,
                       const char *filter);
void ladder_check_cross(const struct ladder *ladder);

/* methods_kernels.c: the cells of kernels other than 1/r. */
void ladder_fill_kernels(struct ladder *ladder, const struct system *systems,
                         int full, const char *filter);
void ladder_check_kernels(const struct ladder *ladder);
extern const char *const ladder_kernels[]; /* ended by NULL */

/* methods_run.c: measures one cell. */
void ladder_run(struct ladder_cell *cell, int threads);
/* 1: this refusal is allowed. */
int ladder_may_refuse(const struct ladder_cell *cell);
int ladder_is_default(const struct ladder_cell *cell);

/* methods_table.c */
const char *ladder_precision(farsum_precision precision);
struct ladder_summary {
    int cells, refused, over, honest;
    double median, worst;     /* of measured / tolerance */
    double low, middle, high; /* of estimate / measured */
};
/* The cells of a summary; NULL or 0: any. */
struct ladder_wanted {
    const char *group, *split, *window, *kernel;
    const struct system *system;
    int precision;
};
struct ladder_summary ladder_summarise(const struct ladder *ladder,
                                       struct ladder_wanted wanted);
void ladder_csv(const struct ladder *ladder, const char *path);
void ladder_print(const struct ladder *ladder);
void ladder_check(const struct ladder *ladder);
#endif
