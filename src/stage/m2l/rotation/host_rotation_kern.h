/* SPDX-License-Identifier: Apache-2.0 */
/* host_rotation_kern.h: what host_rotation_kern.c gives to the rows.
 *
 * Boxes go side by side in tiles of TILE, all pairs of a tile have the same
 * vector between them: arrays are [number][tile]. */
#ifndef FARSUM_STAGE_M2L_ROTATION_HOST_ROTATION_KERN_H
#define FARSUM_STAGE_M2L_ROTATION_HOST_ROTATION_KERN_H

#include "stage/expansions/expansions.h"

enum { ROTATION_VECTORS = 4, ROTATION_COLUMN = 2 * MULTIPOLE_MOST + 1 };

/* Tables in the row's precision. */
struct rotation_tables {
    int p;
    /* Of each degree, row after row what is not zero by symmetry: real parts of
     * rows m >= 0, then imaginary ones; stride 2, a quarter of all. */
    const void *swap;
    /* (10.12) along z at distance 1, of each order: [n][k] */
    const void *shift;
};

/* Of a vector. */
struct rotation_vector {
    const void *turn; /* cos and sin of m alpha, then of m beta, then R^-n */
    /* NULL: by two swaps and a turn; else the turn about y itself, of each
     * degree [n + 1][n + 1] of real parts, [n][n] of imaginary ones, there and
     * back */
    const void *there, *back;
};

struct rotation_kern {
    int tile; /* boxes */
    /* sum += what boxes with the multipoles x give; x: lost. */
    void (*pair)(const struct rotation_tables *tables,
                 const struct rotation_vector *vector, void *x, void *sum);
};
#endif
