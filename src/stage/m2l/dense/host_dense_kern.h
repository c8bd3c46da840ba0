/* SPDX-License-Identifier: Apache-2.0 */
/* host_dense_kern.h: interface between host_dense_kern.c and host_dense.c.
 *
 * Coefficients of an expansion are sorted by class: three bits, one for each of
 * the mirrors x, y, z that change the sign.  A tile is TILE adjacent boxes. */
#ifndef FARSUM_STAGE_M2L_DENSE_HOST_DENSE_KERN_H
#define FARSUM_STAGE_M2L_DENSE_HOST_DENSE_KERN_H

#include "stage/expansions/expansions.h"

enum { DENSE_CLASSES = 8, DENSE_ROWS = 4, DENSE_VECTORS = 3 };

/* The classes of an expansion order. */
struct dense_classes {
    int size;                       /* (p + 1)^2 */
    int begin[DENSE_CLASSES + 1];   /* in the sorted coefficients */
    int padded[DENSE_CLASSES + 1];  /* the same, with the sizes of classes
                                       rounded up to DENSE_ROWS */
    int *number;                    /* owned, [size]: original index of a sorted
                                       coefficient */
};

/* All far boxes at (+-a0, +-a1, +-a2). */
struct dense_group {
    int a[3];
    int two;      /* bit mask of the axes that have both signs */
    int zero;     /* bit mask of those where a is 0 */
    void *matrix; /* owned: operator of (a0, a1, a2), class by class of the
                     target; DENSE_ROWS of its rows at a time, each with all
                     coefficients of the source classes that contribute */
};

/* Input of a group's product, for the boxes of one tile. */
struct dense_sources {
    const void *base[8];   /* by signs, bits of `two`: 1 is minus */
    const int32_t *at[8];  /* [tile] */
    int whole[8];          /* bit v: the boxes of vector v are contiguous */
    int64_t ld;            /* distance between coefficients */
    int minus;             /* bit mask of the axes that have only minus */
};

struct dense_kern {
    int tile; /* boxes */
    /* Transforms the sources: x[8][size][tile]. */
    void (*sources)(const struct dense_classes *classes,
                    const struct dense_group *group,
                    const struct dense_sources *sources, void *x);
    /* local[padded][tile] += matrix x */
    void (*product)(const struct dense_classes *classes,
                    const struct dense_group *group, int minus, const void *x,
                    void *local);
};
#endif
