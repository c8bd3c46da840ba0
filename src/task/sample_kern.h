/* SPDX-License-Identifier: Apache-2.0 */
/* sample_kern.h: what sample_kern.c gives to sample_near.c. */
#ifndef FARSUM_TASK_SAMPLE_KERN_H
#define FARSUM_TASK_SAMPLE_KERN_H

#include <stdint.h>

enum { SAMPLE_LANES = 8, SAMPLE_CHUNK = 64 };

/* A target, and the sources that it may look at. */
struct sample_look {
    const double *s[3], *q; /* of all sources, and SAMPLE_LANES more;
                               fractional */
    const double *a;        /* rows of the cell */
    double p[3];            /* the target, fractional */
    double limit;           /* list, force: square of a distance, exclusive */
    double inverse;         /* force: 1 over the screen's square */
    double much;            /* force: square of a distance */
};

/* What sources of 1/r do to a target: the field of unit charge, screened; sums
 * of q^2/r^6 and q^2/r^4; the largest q^2/r^2 of those nearer than `much`; the
 * square of the nearest one's distance. */
struct sample_force {
    double field[3], close[2], near, nearest;
};

/* Of a stretch of sources, differences of positions and squares of distances;
 * and which are within the limit, from the first one. */
struct sample_list {
    double x[3][SAMPLE_CHUNK + SAMPLE_LANES], r2[SAMPLE_CHUNK + SAMPLE_LANES];
    int32_t at[SAMPLE_CHUNK + SAMPLE_LANES];
};

/* Every instruction set computes the same bits: the lanes are as many, and no
 * sum is contracted. */
struct sample_kern {
    /* Sources of n stretches: first, and one past the last. */
    void (*force)(const struct sample_look *, const int64_t (*range)[2], int n,
                  struct sample_force *);
    /* Sources begin .. end, SAMPLE_CHUNK at most; how many are within. */
    int (*list)(const struct sample_look *, int64_t begin, int64_t end,
                struct sample_list *);
    /* Squares of the distances of the first n sources, whatever they are. */
    void (*squares)(const struct sample_look *, int64_t n, double *r2);
};
#endif
