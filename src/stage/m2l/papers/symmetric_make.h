/* SPDX-License-Identifier: Apache-2.0 */
/* symmetric_make.h: common code of the variants of
 * stage/m2l/papers/symmetric.k. */
#ifndef FARSUM_STAGE_M2L_PAPERS_SYMMETRIC_MAKE_H
#define FARSUM_STAGE_M2L_PAPERS_SYMMETRIC_MAKE_H

#include "stage/expansions/device.h"

struct symmetric_form {
    int merged;   /* 1: one operator serves its images; 0: each target has its
                     own */
    int sums;     /* 1: signs are applied after the sums */
    int pointers; /* 1: targets are in a table */
};

farsum_status symmetric_fits(const void *args,
                             const struct symmetric_form *form);
int64_t symmetric_bytes(const void *args, const struct symmetric_form *form);
double symmetric_cost(const void *args, const struct symmetric_form *form);
void symmetric_work(const void *args, const struct symmetric_form *form,
                    struct work *work);
farsum_status symmetric_create(const void *args,
                               const struct symmetric_form *form, void **state);
farsum_status symmetric_run(void *state, const void *io);
void symmetric_destroy(void *state);

/* Defines a variant from its form. */
#define SYMMETRIC_ROW(name, ...)                                               \
    static const struct symmetric_form name##_form = {__VA_ARGS__};            \
    static farsum_status name##_fits(const void *args)                         \
    {                                                                          \
        return symmetric_fits(args, &name##_form);                             \
    }                                                                          \
    static int64_t name##_bytes(const void *args)                              \
    {                                                                          \
        return symmetric_bytes(args, &name##_form);                            \
    }                                                                          \
    static double name##_cost(const void *args)                                \
    {                                                                          \
        return symmetric_cost(args, &name##_form);                             \
    }                                                                          \
    static farsum_status name##_create(const void *args, void **state)         \
    {                                                                          \
        return symmetric_create(args, &name##_form, state);                    \
    }                                                                          \
    static void name##_work(const void *args, struct work *work)               \
    {                                                                          \
        symmetric_work(args, &name##_form, work);                              \
    }                                                                          \
    const struct variant m2l_##name = {                                        \
        .fits = name##_fits,                                                   \
        .cost = name##_cost,                                                   \
        .bytes = name##_bytes,                                                 \
        .create = name##_create,                                               \
        .run = symmetric_run,                                                  \
        .destroy = symmetric_destroy,                                          \
        .deterministic = 0,                                                    \
        .needs = "a device",                                                   \
        .work = name##_work,                                                   \
    };
#endif
