/* SPDX-License-Identifier: Apache-2.0 */
/* host_dense_kern.h: what host_dense_kern.c gives to host_dense.c.
 *
 * Numbers of an expansion are sorted by class: three bits, by which of the
 * mirrors x, y, z changes their sign.  A tile is TILE boxes side by side. */
#ifndef FARSUM_STAGE_M2L_DENSE_HOST_DENSE_KERN_H
#define FARSUM_STAGE_M2L_DENSE_HOST_DENSE_KERN_H

#include "stage/expansions/expansions.h"

enum { DENSE_CLASSES = 8, DENSE_ROWS = 4, DENSE_VECTORS = 3 };

/* The classes of an order. */
struct dense_classes {
    int size;                       /* (p + 1)^2 */
    int begin[DENSE_CLASSES + 1];   /* in the sorted numbers */
    int padded[DENSE_CLASSES + 1];  /* the same with classes' sizes rounded up
                                       to DENSE_ROWS */
    int *number;                    /* owned, [size]: the number that a sorted
                                       one was */
};

/* All far boxes at (+-a0, +-a1, +-a2). */
struct dense_group {
    int a[3];
    int two;      /* bits of the axes that have both signs */
    int zero;     /* of those where a is 0 */
    void *matrix; /* owned: operator of (a0, a1, a2), class by class of the
                     target, DENSE_ROWS of its rows at a time, of those all
                     numbers of the sources of classes that it sees */
};

/* What a group's product is of, for the boxes of one tile. */
struct dense_sources {
    const void *base[8];   /* by signs, bits of `two`: 1 is minus */
    const int32_t *at[8];  /* [tile] */
    int whole[8];          /* bit v: vector v lies side by side */
    int64_t ld;            /* numbers are so far apart */
    int minus;             /* bits of the axes that have minus alone */
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
