/* SPDX-License-Identifier: Apache-2.0 */
/* device_tiles.h: tiles of the mesh in shared memory, for spread and interp
 * variants with 32 threads per particle. */
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
    int values; /* reals per mesh point */
    int words;  /* words per particle in shared memory, in addition to its 3
                   support weights */
    int warps;  /* warps per thread block; 0: chosen by the variant */
    int across; /* mesh points of a tile across its rows; 0: by their number */
};

/* Parameters of the tiles. */
struct gpu_tiles {
    int edge[3];   /* maximum mesh points of a tile */
    int stride;    /* words from row to row in shared memory */
    int rows;      /* window rows that 32 threads process together */
    int warps;     /* warps per thread block */
    int values;    /* reals of a mesh point at a time */
    int64_t tile;  /* bytes in shared memory */
    int64_t other; /* bytes in addition to the tile */
    int32_t nb[3];
    int64_t tiles;
};

struct gpu_tiles gpu_tiles_of(const struct gpu_tiles_args *args);
/* Fails if the device has too little memory. */
farsum_status gpu_tiles_fit(const struct gpu_tiles *tiles,
                            const struct device *device);
/* Defines the constants of stage/particles/team_tile.kh except the window. */
void gpu_tiles_define(struct jit *jit, const struct gpu_tiles *tiles);
/* Maximum particles per thread block, for n particles, as crowded tiles are
 * divided; and the maximum number of blocks. */
int64_t gpu_tiles_most(const struct gpu_tiles *tiles, int64_t n);
int64_t gpu_tiles_parts(const struct gpu_tiles *tiles, int64_t n);

/* Data of new points, as described in stage/particles/team_tile.kh. */
struct gpu_tiles_kept {
    struct kernel place; /* tile_place, from the variant's text */
    struct cells_args cells;
    struct buf t, at, item, part;
    int64_t parts;
};
/* Sorts and places n > 0 points; asynchronous. */
farsum_status gpu_tiles_set(struct gpu_tiles_kept *kept,
                            const struct gpu_tiles *tiles,
                            struct points_gpu *points, const int64_t mesh[3],
                            farsum_precision precision);
void gpu_tiles_clear(struct gpu_tiles_kept *kept);
/* Bytes for n points. */
int64_t gpu_tiles_bytes(const struct gpu_tiles *tiles, int64_t n,
                        farsum_precision precision);
#endif
