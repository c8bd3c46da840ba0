/* SPDX-License-Identifier: Apache-2.0 */
/* device_tiles.h: tiles of the mesh in group memory, for rows of spread and
 * interp whose threads take a particle together. */
#ifndef FARSUM_STAGE_PARTICLES_DEVICE_TILES_H
#define FARSUM_STAGE_PARTICLES_DEVICE_TILES_H

#include "points/device/ordering.h"
#include "stage/device.h"

/* as in stage/particles/team_tile.kh */
enum { GPU_TILES_WARP = 32, GPU_TILES_BATCH = 32 };

struct gpu_tiles_args {
    const struct device *device;
    farsum_precision precision;
    int64_t mesh[3];
    int support;
    int values; /* reals of a mesh point */
    int words;  /* of a particle in group memory beside its 3 support weights */
    int warps;  /* of a group; 0: by the row */
    int across; /* mesh points of a tile across its rows, 0: by their number */
};

/* How it is done. */
struct gpu_tiles {
    int edge[3];   /* mesh points of a tile, at most */
    int stride;    /* words from row to row in group memory */
    int rows;      /* rows of a window that 32 threads take at a time */
    int warps;     /* of a group */
    int values;    /* reals of a mesh point at a time */
    int64_t tile;  /* bytes in group memory */
    int64_t other; /* and beside the tile */
    int32_t nb[3];
    int64_t tiles;
};

struct gpu_tiles gpu_tiles_of(const struct gpu_tiles_args *args);
/* OK if the device has the memory. */
farsum_status gpu_tiles_fit(const struct gpu_tiles *tiles,
                            const struct device *device);
/* Defines what stage/particles/team_tile.kh wants but the window. */
void gpu_tiles_define(struct jit *jit, const struct gpu_tiles *tiles);
/* Of n particles: a group's, at most, for a crowded tile's are shared out; and
 * groups that there may be. */
int64_t gpu_tiles_most(const struct gpu_tiles *tiles, int64_t n);
int64_t gpu_tiles_parts(const struct gpu_tiles *tiles, int64_t n);

/* What new points leave, as stage/particles/team_tile.kh says. */
struct gpu_tiles_kept {
    struct kernel place; /* tile_place, of the row's text */
    struct cells_args cells;
    struct buf t, at, item, part;
    int64_t parts;
};
/* Sorts, and places n > 0 points; nothing waits. */
farsum_status gpu_tiles_set(struct gpu_tiles_kept *kept,
                            const struct gpu_tiles *tiles,
                            struct points_gpu *points, const int64_t mesh[3],
                            farsum_precision precision);
void gpu_tiles_clear(struct gpu_tiles_kept *kept);
/* Bytes that n points take. */
int64_t gpu_tiles_bytes(const struct gpu_tiles *tiles, int64_t n,
                        farsum_precision precision);
#endif
