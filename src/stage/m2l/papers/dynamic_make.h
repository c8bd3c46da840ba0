/* SPDX-License-Identifier: Apache-2.0 */
/* dynamic_make.h: common code of the variants of stage/m2l/papers/dynamic.k. */
#ifndef FARSUM_STAGE_M2L_PAPERS_DYNAMIC_MAKE_H
#define FARSUM_STAGE_M2L_PAPERS_DYNAMIC_MAKE_H

#include "stage/m2l/papers/naive_operators.h"

/* split 1: two threads share a coefficient. */
farsum_status dynamic_fits(const void *args, int split);
int64_t dynamic_bytes(const void *args);
double dynamic_cost(const void *args, int split);
void dynamic_work(const void *args, int split, struct work *work);
farsum_status dynamic_create(const void *args, int split, void **state);
farsum_status dynamic_run(void *state, const void *io);

/* Defines a variant from its form. */
#define DYNAMIC_ROW(name, split)                                               \
    static farsum_status name##_fits(const void *args)                         \
    {                                                                          \
        return dynamic_fits(args, split);                                      \
    }                                                                          \
    static double name##_cost(const void *args)                                \
    {                                                                          \
        return dynamic_cost(args, split);                                      \
    }                                                                          \
    static void name##_work(const void *args, struct work *work)               \
    {                                                                          \
        dynamic_work(args, split, work);                                       \
    }                                                                          \
    static farsum_status name##_create(const void *args, void **state)         \
    {                                                                          \
        return dynamic_create(args, split, state);                             \
    }                                                                          \
    const struct variant m2l_##name = {                                        \
        .fits = name##_fits,                                                   \
        .cost = name##_cost,                                                   \
        .bytes = dynamic_bytes,                                                \
        .create = name##_create,                                               \
        .run = dynamic_run,                                                    \
        .destroy = naive_row_destroy,                                          \
        .deterministic = 0,                                                    \
        .needs = "CUDA's device runtime",                                      \
        .work = name##_work,                                                   \
    };
#endif
