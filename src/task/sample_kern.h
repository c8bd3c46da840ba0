/* SPDX-License-Identifier: Apache-2.0 */
/* sample_kern.h: the functions of sample_kern.c for one instruction set. */
#ifndef FARSUM_TASK_SAMPLE_KERN_H
#define FARSUM_TASK_SAMPLE_KERN_H

#include <stdint.h>

enum { SAMPLE_LANES = 8, SAMPLE_CHUNK = 256, SAMPLE_OUTER = 8 };

/* A target, and the sources that it may interact with: all sources, then
 * SAMPLE_LANES more. */
struct sample_look {
    const double *s[3];     /* list, count: fractional */
    const double *x[3], *q; /* force: Cartesian; charges */
    const double *a;        /* list, count: rows of the cell */
    double p[3];            /* the target: as the sources */
    double limit;           /* list, force: a squared distance, exclusive */
    double inverse;         /* force: 1 over the square of the screening
                               radius */
    double much;            /* force: a squared distance */
    double least;           /* force: shorter squared distances count as it */
};

/* Sources begin to end, displaced by a lattice vector. */
struct sample_range {
    int64_t begin, end;
    const double *shift; /* [3] */
};

/* Effect of sources of 1/r on a target: the screened field of unit charges;
 * sums of q^2/r^6 and q^2/r^4; the largest q^2/r^2 of sources nearer than
 * `much`; the squared distance of the nearest source. */
struct sample_force {
    double field[3], close[2], near, nearest;
};

/* For a range of sources: position differences, squared distances, and which
 * sources are within the limit.  Index 0 is the first source of the range. */
struct sample_list {
    double x[3][SAMPLE_CHUNK + SAMPLE_LANES], r2[SAMPLE_CHUNK + SAMPLE_LANES];
    int32_t at[SAMPLE_CHUNK + SAMPLE_LANES]; /* these sources, ascending */
};

/* Every instruction set computes the same bits: the number of partial sums is
 * fixed, and no multiply-add is contracted. */
struct sample_kern {
    /* Sums over the sources of n ranges. */
    void (*force)(const struct sample_look *, const struct sample_range *,
                  int n, struct sample_force *);
    /* Lists the sources begin to end, at most SAMPLE_CHUNK; returns how many
     * are within the limit. */
    int (*list)(const struct sample_look *, int64_t begin, int64_t end,
                struct sample_list *);
    /* Adds to each count the number of the first n sources whose squared
     * distance is at most that limit, in ascending order.  Lists the squared
     * distances up to the first limit; returns how many. */
    int (*count)(const struct sample_look *, int64_t n,
                 const double limit[SAMPLE_OUTER], int64_t count[SAMPLE_OUTER],
                 double *r2);
};
#endif
