/* SPDX-License-Identifier: Apache-2.0 */
/* rotation_loops.h: common code of the variants of
 * stage/m2l/papers/rotation_loops.k. */
#ifndef FARSUM_STAGE_M2L_PAPERS_ROTATION_LOOPS_H
#define FARSUM_STAGE_M2L_PAPERS_ROTATION_LOOPS_H

#include "stage/expansions/device.h"

/* tiled: columns in shared memory, else in global memory; constant: swaps in
 * constant memory, else in global memory. */
struct rotation_loops {
    int by_source, tiled, constant;
};

farsum_status loops_fits(const void *args);
int64_t loops_bytes(const void *args);
double loops_cost(const void *args);
farsum_status loops_create(const void *args, const struct rotation_loops *form,
                           void **state);
farsum_status loops_run(void *state, const void *io);
void loops_destroy(void *state);
void loops_work(const void *args, struct work *work);

/* Defines a variant from its form. */
#define LOOPS_ROW(name, repeats, ...)                                          \
    static const struct rotation_loops name##_form = {__VA_ARGS__};            \
    static farsum_status name##_create(const void *args, void **state)         \
    {                                                                          \
        return loops_create(args, &name##_form, state);                        \
    }                                                                          \
    const struct variant m2l_##name = {                                        \
        .fits = loops_fits,                                                    \
        .cost = loops_cost,                                                    \
        .bytes = loops_bytes,                                                  \
        .create = name##_create,                                               \
        .run = loops_run,                                                      \
        .destroy = loops_destroy,                                              \
        .deterministic = repeats,                                              \
        .needs = "a device",                                                   \
        .work = loops_work,                                                    \
    };
#endif
