/* SPDX-License-Identifier: Apache-2.0 */
/* naive_make.h: common code of the variants of stage/m2l/papers/naive.k. */
#ifndef FARSUM_STAGE_M2L_PAPERS_NAIVE_MAKE_H
#define FARSUM_STAGE_M2L_PAPERS_NAIVE_MAKE_H

#include "stage/m2l/papers/naive_operators.h"

/* managed 1: multipoles, locals and operators are in memory that host and
 * device share.  The multipoles and locals are the variant's own, copied from
 * and to the method's arrays; a run includes both copies. */
farsum_status naive_fits(const void *args, int managed);
int64_t naive_bytes(const void *args, int managed);
double naive_cost(const void *args, int managed);
void naive_work(const void *args, int managed, struct work *work);
farsum_status naive_create(const void *args, int managed, void **state);
farsum_status naive_run(void *state, const void *io);

/* Defines a variant from its form. */
#define NAIVE_ROW(name, managed, wants)                                        \
    static farsum_status name##_fits(const void *args)                         \
    {                                                                          \
        return naive_fits(args, managed);                                      \
    }                                                                          \
    static int64_t name##_bytes(const void *args)                              \
    {                                                                          \
        return naive_bytes(args, managed);                                     \
    }                                                                          \
    static double name##_cost(const void *args)                                \
    {                                                                          \
        return naive_cost(args, managed);                                      \
    }                                                                          \
    static void name##_work(const void *args, struct work *work)               \
    {                                                                          \
        naive_work(args, managed, work);                                       \
    }                                                                          \
    static farsum_status name##_create(const void *args, void **state)         \
    {                                                                          \
        return naive_create(args, managed, state);                             \
    }                                                                          \
    const struct variant m2l_##name = {                                        \
        .fits = name##_fits,                                                   \
        .cost = name##_cost,                                                   \
        .bytes = name##_bytes,                                                 \
        .create = name##_create,                                               \
        .run = naive_run,                                                      \
        .destroy = naive_row_destroy,                                          \
        .deterministic = 0,                                                    \
        .needs = wants,                                                        \
        .work = name##_work,                                                   \
    };
#endif
