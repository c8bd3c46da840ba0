/* host_tile_kern.h: between host_tile.c and its kernels. */
#ifndef FARSUM_STAGE_INTERP_HOST_TILE_KERN_H
#define FARSUM_STAGE_INTERP_HOST_TILE_KERN_H

#include "points/tiles.h"

/* Points of one task and the tile that they are read from. */
struct interp_job {
    int support, degree;
    const void *coef;    /* [degree + 1][WINDOW_MAX], real */
    const double *s[3];  /* sorted */
    const int64_t *order;
    double mesh[3];
    int lo[3];           /* the tile's first mesh indices */
    int stride[3];       /* of the tile, in reals; stride[2] = 1 */
    const void *tile;
    int n_ranges;
    const struct tiles_range *range;
    double to_field[3][3]; /* [j][d]: field_j += to_field dw/dt_d mesh */
    void *potential;       /* caller's order, real; NULL: not wanted */
    void *field;           /* [n][3] likewise */
};

struct interp_kern {
    int lanes;
    void (*points)(const struct interp_job *job);
};
#endif
