/* methods.h: the ladder of tolerances: what the files methods*.c share.
 *
 * A cell of the ladder is one system, precision, split, window and tolerance
 * (or parameters fixed by hand); its error is measured against Ewald's sum. */
#ifndef FARSUM_TEST_METHODS_H
#define FARSUM_TEST_METHODS_H

#include "cases.h"

struct ladder_cell {
    const char *group; /* ladder, potential, absolute, fixed */
    const struct system *system;
    farsum_precision precision;
    farsum_error_kind error;
    const char *split, *window; /* NULL: the default */
    double tolerance;
    double cutoff;              /* as in farsum_options */
    int support;
    int64_t mesh[3];
    /* what came out */
    farsum_status status;
    char message[240];
    farsum_plan_info info;
    double estimate, measured; /* in the norm of `error` */
    double force_error, potential_error, energy_error, virial_error;
    double seconds;
};

struct ladder {
    struct ladder_cell *cell;
    int n, room;
    int threads;
};

/* methods_cells.c: which cells there are. */
enum { METHODS_SYSTEMS = 7 };
/* filter NULL: all.  full 0: the pairwise subset. */
void ladder_fill(struct ladder *ladder, struct system *systems, int full,
                 const char *filter);
int ladder_wanted(const char *filter, const char *key, const char *value);
void methods_systems(struct system *systems, const char *filter);

/* methods_run.c: measures one cell. */
void ladder_run(struct ladder_cell *cell, int threads);
/* A refusal that is allowed. */
int ladder_may_refuse(const struct ladder_cell *cell);
int ladder_is_default(const struct ladder_cell *cell);

/* methods_table.c */
void ladder_csv(const struct ladder *ladder, const char *path);
void ladder_print(const struct ladder *ladder);
void ladder_check(const struct ladder *ladder);
#endif
