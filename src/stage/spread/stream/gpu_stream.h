/* SPDX-License-Identifier: Apache-2.0 */
/* gpu_stream.h: common definitions of gpu_stream, gpu_walk and their _mma
 * variants. */
#ifndef FARSUM_STAGE_SPREAD_STREAM_GPU_STREAM_H
#define FARSUM_STAGE_SPREAD_STREAM_GPU_STREAM_H

#include "points/device/columns.h"
#include "stage/spread/device.h"

/* Parameters that follow only from args. */
struct stream_shape {
    struct gpu_columns_shape columns;
    int mma;      /* 0, or rows of a product: 8 or 16 */
    int walk;     /* 1: lists by first mesh points */
    int channels; /* channels per launch; divides args->channels */
    int warps, blocks;
    int64_t arena; /* bytes of shared memory */
};
/* Properties of a variant. */
struct stream_kind {
    int tensor; /* 1: uses FP64 tensor cores */
    int walk;   /* 1: lists by first mesh points */
};
void stream_shape_set(struct stream_shape *shape,
                      const struct spread_args *args, struct stream_kind kind);

farsum_status stream_fits(const struct spread_args *args,
                          struct stream_kind kind);
double stream_cost(const struct spread_args *args, struct stream_kind kind);
int64_t stream_bytes(const struct spread_args *args, struct stream_kind kind);
int64_t stream_shared(const struct spread_args *args, struct stream_kind kind,
                      uint64_t *key, double *cost);
farsum_status stream_create(const struct spread_args *args,
                            struct stream_kind kind, void **state);
farsum_status stream_set(void *state, const struct points *sources,
                         const struct points *targets);
farsum_status stream_run(void *state, const void *io);
void stream_destroy(void *state);

/* All of a variant's file except its head comment. */
#define STREAM_VARIANT(stem, is_tensor, is_walk, what)                         \
    static const struct stream_kind stem##_kind = {is_tensor, is_walk};        \
    static farsum_status stem##_fits(const void *args)                         \
    {                                                                          \
        return stream_fits(args, stem##_kind);                                 \
    }                                                                          \
    static double stem##_cost(const void *args)                                \
    {                                                                          \
        return stream_cost(args, stem##_kind);                                 \
    }                                                                          \
    static int64_t stem##_bytes(const void *args)                              \
    {                                                                          \
        return stream_bytes(args, stem##_kind);                                \
    }                                                                          \
    static int64_t stem##_shared(const void *args, uint64_t *key,              \
                                 double *cost)                                 \
    {                                                                          \
        return stream_shared(args, stem##_kind, key, cost);                    \
    }                                                                          \
    static farsum_status stem##_create(const void *args, void **state)         \
    {                                                                          \
        return stream_create(args, stem##_kind, state);                        \
    }                                                                          \
    const struct variant spread_##stem = {.fits = stem##_fits,                 \
                                          .cost = stem##_cost,                 \
                                          .bytes = stem##_bytes,               \
                                          .shared = stem##_shared,             \
                                          .create = stem##_create,             \
                                          .set = stream_set,                   \
                                          .run = stream_run,                   \
                                          .destroy = stream_destroy,           \
                                          .deterministic = 1,                  \
                                          .needs = what}
#endif
