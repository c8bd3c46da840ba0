/* SPDX-License-Identifier: Apache-2.0 */
/* gpu_rotation_make.h: common code of the device variants by fast rotation;
 * gpu_rotation.k describes them. */
#ifndef FARSUM_STAGE_M2L_ROTATION_GPU_ROTATION_MAKE_H
#define FARSUM_STAGE_M2L_ROTATION_GPU_ROTATION_MAKE_H

#include "stage/expansions/device.h"
#include "stage/m2l/rotation/counts.h"

enum { ROTATION_ORDER = 20 };

/* Assignment of work to threads: see gpu_rotation.k.  teams 0: as many as fill
 * the device. */
struct rotation_form {
    int lanes, teams, by_source, by_operator;
    double share; /* speed relative to gpu_rotation, for the cost */
};

farsum_status rotation_fits(const void *args);
int64_t rotation_bytes(const void *args);
double rotation_cost(const void *args, const struct rotation_form *form);
double rotation_seconds(const struct boxes_args *a, double share);
void rotation_work(const void *args, struct work *work);
farsum_status rotation_create(const void *args,
                              const struct rotation_form *form, void **state);
farsum_status rotation_set(void *state, const struct points *source,
                           const struct points *target);
farsum_status rotation_run(void *state, const void *io);
void rotation_destroy(void *state);

/* Fills g->list and g->operators, rotation_turn(p) numbers per vector;
 * by_source: entries are a source's targets. */
farsum_status rotation_turns(struct boxes_gpu *g, int by_source);
/* Defines TEXT, NUMBERS and, if text is wanted, DEGREES and ORDERS. */
farsum_status rotation_text(struct jit *jit, int p, int text);

/* Defines a variant from its form. */
#define ROTATION_ROW(name, repeats, ...)                                       \
    static const struct rotation_form name##_form = {__VA_ARGS__};             \
    static double name##_cost(const void *args)                                \
    {                                                                          \
        return rotation_cost(args, &name##_form);                              \
    }                                                                          \
    static farsum_status name##_create(const void *args, void **state)         \
    {                                                                          \
        return rotation_create(args, &name##_form, state);                     \
    }                                                                          \
    const struct variant m2l_##name = {                                        \
        .fits = rotation_fits,                                                 \
        .cost = name##_cost,                                                   \
        .bytes = rotation_bytes,                                               \
        .create = name##_create,                                               \
        .set = rotation_set,                                                   \
        .run = rotation_run,                                                   \
        .destroy = rotation_destroy,                                           \
        .deterministic = repeats,                                              \
        .needs = "a device",                                                   \
        .work = rotation_work,                                                 \
    };
#endif
