/* SPDX-License-Identifier: Apache-2.0 */
/* host_tile_kern.h: interface between host_tile.c and its SIMD code. */
#ifndef FARSUM_STAGE_INTERP_HOST_TILE_KERN_H
#define FARSUM_STAGE_INTERP_HOST_TILE_KERN_H

#include "points/tiles.h"

enum { INTERP_BATCH = 64 }; /* points */
/* Numbers of a point with a gradient: phi; its derivatives by x, y, z; xx, xy,
 * yy; xz, yz, zz; two unused. */
enum { INTERP_GRADIENT = 12 };

/* The points of one task and their tile: as many tiles as channels times parts,
 * one after the other. */
struct interp_job {
    int support, degree;
    const void *coef;    /* [degree + 1][WINDOW_MAX], real */
    const double *s[3];  /* sorted */
    const int64_t *order;
    double mesh[3];
    int lo[3];           /* the tile's first mesh indices */
    int stride[3];       /* of the tile, in reals; stride[2] = 1 */
    int channels, parts;
    const void *tile;
    int64_t tile_step;   /* reals from one tile to the next */
    void *out;           /* scratch, real: [channel parts + part]
                            [INTERP_BATCH][4], or [..][INTERP_GRADIENT] */
    int n_ranges;
    const struct tiles_range *range;
    double to_field[3][3]; /* [j][d]: field_j += to_field dw/dt_d mesh */
    void *potential;       /* as in interp_io; NULL: not wanted */
    void *field, *gradient;
    int64_t potential_channel, field_channel;
};

struct interp_kern {
    int lanes;
    void (*points)(const struct interp_job *job);
};
#endif
