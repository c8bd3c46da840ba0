/* SPDX-License-Identifier: Apache-2.0 */
/* waves.h: a small periodic system of 1/r, summed over all pairs and over waves
 * at the particles themselves.
 *
 * Lengths are in units of the cutoff.  Arrays of particles have `padded`
 * entries, a multiple of WAVES_PAD; those beyond n have strength 0. */
#ifndef FARSUM_BATCH_WAVES_H
#define FARSUM_BATCH_WAVES_H

#include <stdint.h>

enum { WAVES_PAD = 16, WAVES_IMAGES = 343 };

struct waves_near {
    int64_t n, padded;
    /* Fractional coordinates: f64 in [0, 1); f32 as integers, times 2^32, whose
     * differences wrap around as positions do. */
    const double *s[3];
    const uint32_t *fixed[3];
    const void *q;             /* [padded] of the kernel's precision */
    double a[9];               /* rows of the reduced cell */
    int images;
    const double (*image)[3];  /* [images] lattice vectors, first 0 */
    int terms;
    const double *p, *g;       /* near_poly of the split */
    double same;               /* r^2 that counts as no distance */
    int virial;
    /* Results; potential and field overwritten. */
    double *potential, *field[3];
    double w[6];    /* sum over i, j of q_i q_j f d d / 2: xx yy zz xy xz yz */
    double rough;   /* sum over i, j of (q_i q_j / r^2)^2 */
    int64_t meets;  /* smallest i with another point in its place; -1: none */
};

struct waves_row {
    int n1, n2, count;  /* n3 = 0 .. count - 1 */
    int64_t start;      /* entry of n3 = 0 */
};

struct waves_far {
    int64_t n, padded;
    const double *s[3], *q; /* [padded] */
    int most[3];            /* largest |n_d| */
    int64_t rows, entries;
    const struct waves_row *row;
    const double (*weight)[2]; /* [entries] of +n3 and -n3 */
    double *table[3];          /* work: [most + 1][2][padded] */
    double *turn;              /* work: [4][padded] */
    double (*sums)[4];         /* work: [entries] */
    /* Results; potential and slope are added to. */
    double (*power)[2];        /* [entries] |S|^2 of +n3 and -n3 */
    double *potential;
    double *slope[3];          /* d potential/d s */
};

struct waves_kern {
    void (*near)(struct waves_near *);
    void (*far)(struct waves_far *); /* f64 only */
};
#endif
