/* SPDX-License-Identifier: Apache-2.0 */
/* host_rotation_make.h: common code of the host variants by rotation. */
#ifndef FARSUM_STAGE_M2L_ROTATION_HOST_ROTATION_MAKE_H
#define FARSUM_STAGE_M2L_ROTATION_HOST_ROTATION_MAKE_H

#include "stage/m2l/rotation/host_rotation_kern.h"

/* whole: 1: rotations about y are matrices, one per distinct angle; 0: two
 * swaps and a rotation about z. */
farsum_status stacked_create(const struct boxes_args *args, int whole,
                             void **state);
farsum_status stacked_set(void *state, const struct points *sources,
                          const struct points *targets);
farsum_status stacked_run(void *state, const void *io);
void stacked_destroy(void *state);
int64_t stacked_bytes(const struct boxes_args *args, int whole);
double stacked_cost(const struct boxes_args *args, int whole);

#define HOST_ROTATION_ROW(name, whole)                                         \
    static double name##_cost(const void *args)                                \
    {                                                                          \
        return stacked_cost(args, whole);                                      \
    }                                                                          \
    static int64_t name##_bytes(const void *args)                              \
    {                                                                          \
        return stacked_bytes(args, whole);                                     \
    }                                                                          \
    static farsum_status name##_create(const void *args, void **state)         \
    {                                                                          \
        return stacked_create(args, whole, state);                             \
    }                                                                          \
    const struct variant m2l_##name = {                                        \
        .fits = boxes_host_fits,                                               \
        .cost = name##_cost,                                                   \
        .bytes = name##_bytes,                                                 \
        .create = name##_create,                                               \
        .set = stacked_set,                                                    \
        .run = stacked_run,                                                    \
        .destroy = stacked_destroy,                                            \
        .deterministic = 1,                                                    \
        .needs = "",                                                           \
    };
#endif
