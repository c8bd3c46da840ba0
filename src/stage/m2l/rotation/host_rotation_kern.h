/* SPDX-License-Identifier: Apache-2.0 */
/* host_rotation_kern.h: interface of host_rotation_kern.c for the variants.
 *
 * Boxes are processed in tiles of TILE; all pairs of a tile have the same
 * vector between them.  Arrays are [coefficient][tile]. */
#ifndef FARSUM_STAGE_M2L_ROTATION_HOST_ROTATION_KERN_H
#define FARSUM_STAGE_M2L_ROTATION_HOST_ROTATION_KERN_H

#include "stage/expansions/expansions.h"

enum { ROTATION_VECTORS = 4, ROTATION_COLUMN = 2 * MULTIPOLE_MOST + 1 };

/* Tables in the variant's precision. */
struct rotation_tables {
    int p;
    /* For each degree, row after row the elements that are not zero by
     * symmetry: real parts of rows m >= 0, then imaginary ones; stride 2, a
     * quarter of all. */
    const void *swap;
    /* (10.12) along z at distance 1, for each order: [n][k] */
    const void *shift;
};

/* Constants of a vector. */
struct rotation_vector {
    const void *turn; /* cos and sin of m alpha, then of m beta, then R^-n */
    /* NULL: by two swaps and a rotation about z; else the rotation about y
     * itself, for each degree [n + 1][n + 1] of real parts, [n][n] of imaginary
     * ones, there and back */
    const void *there, *back;
};

struct rotation_kern {
    int tile; /* boxes */
    /* sum += contribution of boxes with the multipoles x; overwrites x. */
    void (*pair)(const struct rotation_tables *tables,
                 const struct rotation_vector *vector, void *x, void *sum);
};
#endif
