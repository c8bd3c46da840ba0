/* SPDX-License-Identifier: Apache-2.0 */
/* measured_choice.h: which row, by its cost or by its measured times.
 *
 * Costs are models; measured times are those in the wisdom file, and, where
 * they are asked for, those of the rows that the models take for the fastest,
 * on synthetic points of the expected number and crowding. */
#ifndef FARSUM_TUNE_MEASURED_CHOICE_H
#define FARSUM_TUNE_MEASURED_CHOICE_H

#include "base/isa.h"
#include "device/device.h"
#include "stage/interp/interp.h"
#include "stage/spread/spread.h"

struct planner {
    const char *name;      /* of a row, or NULL */
    int deterministic;     /* as choose_options */
    int measure;           /* 1: what is not known is measured and kept */
    struct device *device; /* borrowed; NULL: the host */
    enum isa isa;
    int threads;
};

/* The spread of the same points, mesh and channels. */
struct spread_args planner_spread(const struct interp_args *args);

/* As choose, of spread or interp; args a struct of the room. */
farsum_status planner_choose(const struct planner *how,
                             const struct stage *stage, const void *args,
                             struct choice *choice);

/* tune/measure_variants.c: seconds of a set and a run of rows that see the same
 * synthetic points; those that cannot be made are left out, *n_times says how
 * many are there.  Fails if there is no memory for the points.  Waits. */
farsum_status planner_measure_rows(const struct stage *stage,
                                   const struct variant_row *const *rows,
                                   int n, const void *args,
                                   struct choose_time *times, int *n_times);
/* What a stage's times are kept by; "" if it keeps none. */
void planner_key(char key[WISDOM_KEY], const struct device *device,
                 enum isa isa, int threads, const struct stage *stage,
                 const void *args);
#endif
