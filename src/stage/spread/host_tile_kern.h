/* host_tile_kern.h: between host_tile.c and its kernels. */
#ifndef FARSUM_STAGE_SPREAD_HOST_TILE_KERN_H
#define FARSUM_STAGE_SPREAD_HOST_TILE_KERN_H

#include "points/tiles.h"

/* Points of one task and the tile that they are added to. */
struct spread_job {
    int support, degree;
    const void *coef;       /* [degree + 1][WINDOW_MAX], real */
    const double *s[3];     /* sorted */
    const int64_t *order;
    const void *q;          /* caller's order, real */
    double mesh[3];
    int lo[3];              /* the tile's first mesh indices */
    int stride[3];          /* of the tile, in reals; stride[2] = 1 */
    void *tile;
    int n_ranges;
    const struct tiles_range *range;
};

struct spread_kern {
    int lanes;
    void (*points)(const struct spread_job *job);
    /* row[0..n) += the sum of the sources, in their order; 1 <= sources <= 4 */
    void (*add)(int64_t n, int sources, const void *const *source, void *row);
};
#endif
