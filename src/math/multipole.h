/* SPDX-License-Identifier: Apache-2.0 */
/* multipole.h: expansions in solid harmonics and operators between them, in
 * f64 (math.md section 10; numbering and scaling: math/harmonic.kh).
 *
 * Lengths are in units of a box: centres of boxes differ by some 1. */
#ifndef FARSUM_MATH_MULTIPOLE_H
#define FARSUM_MATH_MULTIPOLE_H

#include "base/status.h"

enum {
    MULTIPOLE_MOST = 40, /* orders */
    /* numbers of an expansion, and of a field of twice the order */
    MULTIPOLE_SIZE = (MULTIPOLE_MOST + 1) * (MULTIPOLE_MOST + 1),
    MULTIPOLE_DEGREES = 2 * MULTIPOLE_MOST + 1, /* 0 .. twice the order */
    MULTIPOLE_FIELD = (2 * MULTIPOLE_MOST + 1) * (2 * MULTIPOLE_MOST + 1),
};

static inline int multipole_size(int p)
{
    return (p + 1) * (p + 1);
}
/* The numbers of (10.11) that are not zero, of the degrees 0 .. p. */
static inline int64_t multipole_swaps(int p)
{
    int64_t all = 0;
    for (int64_t n = 0; n <= p; n++)
        all += n * n + n + 1;
    return all;
}
static inline int multipole_at(int n, int m)
{
    return n * n + n + m;
}
/* Degree n <= most and order m of a number of an expansion. */
static inline int multipole_degree(int k)
{
    int n = 0;
    while ((n + 1) * (n + 1) <= k)
        n++;
    return n;
}

/* The table of math/harmonic.kh, HARMONIC_TERMS(p) numbers. */
void multipole_table(int p, double *table);
/* R (10.1) and S (10.2) at x, scaled, of degrees 0 .. p <= 2 MULTIPOLE_MOST. */
void multipole_regular(int p, const double x[3], double *r);
void multipole_singular(int p, const double x[3], double *s);
/* Sum over all orders of L conj(R): (10.9). */
double multipole_dot(int p, const double *local, const double *r);
/* An expansion of the derivative along axis 0 .. 2 of a local expansion, by
 * (10.10); its degree p is 0. */
void multipole_slope(int p, const double *local, int axis, double *slope);

/* Dense operators, t[K][K] row-major, K = multipole_size(p): to = t from.
 *
 * M2M (10.6): d is the source's centre less the target's, in units of the
 * target, whose unit is 1/shrink of the source's: shrink = 1/2 for a child. */
void multipole_m2m(int p, const double d[3], double shrink, double *t);
/* L2L (10.8): d is the target's centre less the source's in units of the
 * source; the target's unit is shrink of it; potentials are in 1/unit. */
void multipole_l2l(int p, const double d[3], double shrink, double *t);
/* M2L (10.7): s is a field of degrees 0 .. 2p: S at the target's centre less
 * the source's, or a sum of such. */
void multipole_m2l(int p, const double *s, double *t);
/* The same by terms: t[i] = f[2i] s[at[2i]] + f[2i + 1] s[at[2i + 1]], i of
 * K K. */
void multipole_m2l_terms(int p, int32_t *at, double *f);
/* One number of M2L's factor that the scaling gives, (10.7). */
double multipole_factor(int n, int m, int k, int l);

/* The swap of x and z, (10.11), for one degree in the scaled real numbering:
 * the same for R and S, and its own inverse.  b[2n+1][2n+1], row and column m
 * at n + m. */
void multipole_swap(int n, double *b);

/* multipole_lattice.c.  high[n] = Q(n + 1/2, x), the regularised incomplete
 * gamma function, low[n] = 1 - Q; n = 0 .. p, x > 0. */
void multipole_gammas(int p, double x, double *high, double *low);
/* The field of a lattice of unit charges, (10.13): S
 * summed over d + L m for all integers m but those where d + L m is near
 * (|d[a] + cell[a] m[a]| < near[a] along all axes), Ewald's way with
 * tin-foil surroundings and a uniform background.  cell: three edges. */
farsum_status multipole_lattice(int p, const double cell[3],
                                const double near[3], const double d[3],
                                double *s);
#endif
