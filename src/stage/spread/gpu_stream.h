/* gpu_stream.h: between the rows gpu_stream, gpu_walk and theirs with _mma. */
#ifndef FARSUM_STAGE_SPREAD_GPU_STREAM_H
#define FARSUM_STAGE_SPREAD_GPU_STREAM_H

#include "points/gpu_columns.h"
#include "stage/spread/gpu_room.h"

/* What follows from args alone. */
struct stream_shape {
    struct gpu_columns_shape columns;
    int mma;      /* 0; rows of a product: 8 or 16 */
    int walk;     /* 1: lists by first mesh points */
    int channels; /* of a launch; divides args->channels */
    int warps, blocks;
    int64_t arena; /* bytes of group memory */
};
void stream_shape_set(struct stream_shape *shape,
                      const struct spread_args *args, int mma, int walk);

farsum_status stream_fits(const struct spread_args *args, int mma, int walk);
double stream_cost(const struct spread_args *args, int mma, int walk);
int64_t stream_bytes(const struct spread_args *args, int mma, int walk);
int64_t stream_shared(const struct spread_args *args, int mma, int walk,
                      uint64_t *key);
farsum_status stream_create(const struct spread_args *args, int mma, int walk,
                            void **state);
farsum_status stream_set(void *state, const struct points *sources,
                         const struct points *targets);
farsum_status stream_run(void *state, const void *io);
void stream_destroy(void *state);
#endif
