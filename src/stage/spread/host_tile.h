/* SPDX-License-Identifier: Apache-2.0 */
/* host_tile.h: state of host_tile. */
#ifndef FARSUM_STAGE_SPREAD_HOST_TILE_H
#define FARSUM_STAGE_SPREAD_HOST_TILE_H

#include "stage/spread/tile_layers.h"
#include "stage/spread/host_tile_kern.h"
#include "stage/spread/spread.h"

/* Parameters that follow from the arguments. */
struct shape {
    struct tiles tiles;
    const struct spread_kern *kern;
    struct tiles_layout tile;
    int channels, parts;
    int64_t tile_bytes;  /* of a tile with all channels and parts, one after the
                            other */
    int32_t thick;       /* layers per slab */
    int64_t layer_tiles; /* tiles per layer */
};

struct state {
    struct spread_args args;
    struct shape shape;
    struct tiles_cover cover[2];
    struct waves waves;
    void *coef;   /* owned, [degree + 1][WINDOW_MAX], real */
    char *layers; /* owned, [slot][y][z] tiles */
    char *extra;  /* owned, tiles: further parts of crowded tiles */
    int64_t extra_capacity;
    const struct points *points; /* borrowed */
    struct tiles_tasks tasks;
    int64_t *wave_task;  /* owned, [waves + 1] */
    int64_t *part;       /* owned, [task]: its tile in extra, -1: in layers */
    int64_t part_capacity;
    unsigned char *full; /* owned, [tile]: 1: it has points */
};

static inline int64_t spread_tile_index(const struct state *s,
                                        const int32_t b[3])
{
    return b[0] * s->shape.layer_tiles
           + b[1] * (int64_t)s->shape.tiles.count[2] + b[2];
}

farsum_status spread_tile_run(void *state, const void *io);
#endif
