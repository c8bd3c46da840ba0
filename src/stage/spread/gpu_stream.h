/* gpu_stream.h: between the rows gpu_stream and gpu_stream_mma. */
#ifndef FARSUM_STAGE_SPREAD_GPU_STREAM_H
#define FARSUM_STAGE_SPREAD_GPU_STREAM_H

#include "points/gpu_scan.h"
#include "stage/spread/gpu_room.h"

/* The host's twin of gpu_stream_args.kh. */
struct stream_args {
    int32_t columns_y, columns_z;
    int32_t segments, length;
    int32_t bins, shift;
    int64_t entries;
    int32_t cap, channel;
};
_Static_assert(sizeof(struct stream_args) == 40, "as the kernels have it");

/* What follows from args alone. */
struct stream_shape {
    int mma;            /* 0; rows of a product: 8 or 16 */
    int tile_y, tile_z; /* mesh points of a column */
    int ring;           /* slots */
    int channels;       /* of a launch; divides args->channels */
    int warps, blocks;
    int most_y, most_z; /* columns that a particle may touch */
    int64_t arena;      /* bytes of group memory */
};
void stream_shape_set(struct stream_shape *shape,
                      const struct spread_args *args, int mma);

farsum_status stream_fits(const struct spread_args *args, int mma);
double stream_cost(const struct spread_args *args, int mma);
int64_t stream_bytes(const struct spread_args *args, int mma);
farsum_status stream_create(const struct spread_args *args, int mma,
                            void **state);
farsum_status stream_set(void *state, const struct points *sources,
                         const struct points *targets);
farsum_status stream_run(void *state, const void *io);
void stream_destroy(void *state);
#endif
