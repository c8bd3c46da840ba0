/* SPDX-License-Identifier: Apache-2.0 */
/* measured_choice.h: choice of variants by cost model or measured times.
 *
 * Costs come from models.  Measured times come from the timing cache.  If the
 * options request it, the variants that the models rank as fastest are also
 * measured, on synthetic points of the expected number and clustering. */
#ifndef FARSUM_TUNE_MEASURED_CHOICE_H
#define FARSUM_TUNE_MEASURED_CHOICE_H

#include "base/isa.h"
#include "device/device.h"
#include "stage/interp/interp.h"
#include "stage/spread/spread.h"

struct planner {
    const char *name;      /* of a variant, or NULL */
    int deterministic;     /* see choose_options */
    int measure;           /* 1: unknown times are measured and cached */
    struct device *device; /* borrowed; NULL: the host */
    enum isa isa;
    int threads;
};

/* The arguments of a spread for the same points, mesh and channels. */
struct spread_args planner_spread(const struct interp_args *args);

/* Works as choose, for spread or interp; args: the stage's struct. */
farsum_status planner_choose(const struct planner *how,
                             const struct stage *stage, const void *args,
                             struct choice *choice);

/* tune/measure_variants.c: measures seconds of one set and one run of each
 * variant on the same synthetic points.  Variants that fail are omitted;
 * *n_times is the number measured.  Fails if there is no memory for the points.
 * Waits for the device. */
farsum_status planner_measure_rows(const struct stage *stage,
                                   const struct variant_row *const *rows,
                                   int n, const void *args,
                                   struct choose_time *times, int *n_times);
/* The cache key of a stage's times; "" if it keeps none. */
void planner_key(char key[KEPT_TIMES_KEY], const struct device *device,
                 enum isa isa, int threads, const struct stage *stage,
                 const void *args);
#endif
