/* SPDX-License-Identifier: Apache-2.0 */
/* host_tile_kern.h: interface between host_tile.c and its SIMD code. */
#ifndef FARSUM_STAGE_SPREAD_HOST_TILE_KERN_H
#define FARSUM_STAGE_SPREAD_HOST_TILE_KERN_H

#include "points/tiles.h"

/* The points of one task and their tile: as many tiles as channels times parts,
 * one after the other. */
struct spread_job {
    int support, degree;
    const void *coef;       /* [degree + 1][WINDOW_MAX], real */
    const double *s[3];     /* sorted */
    const int64_t *order;
    int channels, parts, slopes;
    const void *q;          /* in the caller's order, real: [channel q_channel +
                               point q_point + part] */
    int64_t q_channel, q_point;
    double mesh[3];
    int lo[3];              /* the tile's first mesh indices */
    int stride[3];          /* of the tile, in reals; stride[2] = 1 */
    void *tile;
    int64_t tile_step;      /* reals from one tile to the next */
    int n_ranges;
    const struct tiles_range *range;
};

struct spread_kern {
    int lanes;
    void (*points)(const struct spread_job *job);
    /* row[i step] += the sum of the sources' [i], in their order, i < n; 1 <=
     * sources <= 4; step is 1 or 2 */
    void (*add)(int64_t n, int sources, const void *const *source, int step,
                void *row);
};
#endif
