/* SPDX-License-Identifier: Apache-2.0 */
/* team.h: the variants that evaluate erfc and exp for each pair, with one team
 * of threads per cell, whose edge is the cutoff. */
#ifndef FARSUM_STAGE_NEAR_PAPERS_TEAM_H
#define FARSUM_STAGE_NEAR_PAPERS_TEAM_H

#include "stage/near/device/device.h"

struct team_kind {
    const char *row;
    int team[2];  /* default: threads over targets, over sources */
    int over_two; /* 1: a target may have more than one thread */
    int held;     /* 1: sources are read through shared memory */
};

farsum_status team_fits(const struct near_args *args,
                        const struct team_kind *kind);
double team_cost(const struct near_args *args);
void team_ops(const void *args, struct work *work);
int64_t team_bytes(const void *args);
farsum_status team_create(const struct near_args *args,
                          const struct team_kind *kind, void **state);
farsum_status team_set(void *state, const struct points *sources,
                       const struct points *targets);
farsum_status team_run(void *state, const void *io);
void team_destroy(void *state);

/* All of a variant's file except its head comment. */
#define TEAM_VARIANT(stem, x, y, is_over_two, is_held)                         \
    static const struct team_kind stem##_kind = {                              \
        #stem, {x, y}, is_over_two, is_held};                                  \
    static farsum_status stem##_fits(const void *args)                         \
    {                                                                          \
        return team_fits(args, &stem##_kind);                                  \
    }                                                                          \
    static double stem##_cost(const void *args)                                \
    {                                                                          \
        return team_cost(args);                                                \
    }                                                                          \
    static farsum_status stem##_create(const void *args, void **state)         \
    {                                                                          \
        return team_create(args, &stem##_kind, state);                         \
    }                                                                          \
    const struct variant near_##stem = {.fits = stem##_fits,                   \
                                        .cost = stem##_cost,                   \
                                        .bytes = team_bytes,                   \
                                        .create = stem##_create,               \
                                        .set = team_set,                       \
                                        .run = team_run,                       \
                                        .destroy = team_destroy,               \
                                        .deterministic = 1,                    \
                                        .needs =                               \
                                            "a device, the Gaussian split",    \
                                        .work = team_ops}
#endif
