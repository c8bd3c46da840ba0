/* SPDX-License-Identifier: Apache-2.0 */
/* multipole.h: expansions in solid harmonics and the operators between them, in
 * f64 (math.md section 10; numbering and scaling: math/harmonic.kh).
 *
 * Lengths are in units of a box, so the centres of boxes are about 1 apart. */
#ifndef FARSUM_MATH_MULTIPOLE_H
#define FARSUM_MATH_MULTIPOLE_H

#include "base/status.h"

enum {
    MULTIPOLE_MOST = 40, /* largest order */
    /* coefficients of an expansion, and of a field of twice the order */
    MULTIPOLE_SIZE = (MULTIPOLE_MOST + 1) * (MULTIPOLE_MOST + 1),
    MULTIPOLE_DEGREES = 2 * MULTIPOLE_MOST + 1, /* degrees 0 .. twice the
                                                   order */
    MULTIPOLE_FIELD = (2 * MULTIPOLE_MOST + 1) * (2 * MULTIPOLE_MOST + 1),
};

static inline int multipole_size(int p)
{
    return (p + 1) * (p + 1);
}
/* Number of nonzero entries of (10.11) for degrees 0 .. p. */
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
/* Degree n of coefficient k of an expansion. */
static inline int multipole_degree(int k)
{
    int n = 0;
    while ((n + 1) * (n + 1) <= k)
        n++;
    return n;
}

/* A complex number. */
struct cnum {
    double re, im;
};
/* The coefficient of any order, |m| <= n. */
static inline struct cnum multipole_part(const double *x, int n, int m)
{
    int a = m < 0 ? -m : m;
    struct cnum c = {x[multipole_at(n, a)], a ? x[multipole_at(n, -a)] : 0};
    if (m >= 0)
        return c;
    return a % 2 ? (struct cnum){-c.re, c.im} : (struct cnum){c.re, -c.im};
}

/* Fills the table of math/harmonic.kh, HARMONIC_TERMS(p) numbers. */
void multipole_table(int p, double *table);
/* R (10.1) and S (10.2) at x, scaled, for degrees 0 .. p <= 2
 * MULTIPOLE_MOST. */
void multipole_regular(int p, const double x[3], double *r);
void multipole_singular(int p, const double x[3], double *s);
/* Returns the sum of L conj(R) over all orders: (10.9). */
double multipole_dot(int p, const double *local, const double *r);
/* Expands the derivative of a local expansion along axis 0 .. 2, by (10.10).
 * The coefficients of degree p are 0. */
void multipole_slope(int p, const double *local, int axis, double *slope);

/* Adds to sum the expansion of dipoles along axis 0 .. 2 from that of charges
 * of the same size, by (10.46): R's derivative along the axis. */
void multipole_raise(int p, const double *charges, int axis, double *sum);

/* Dense operators t[K][K], row-major, K = multipole_size(p): to = t from.
 *
 * M2M (10.6).  d: the source's centre less the target's, in the target's units.
 * The target's unit is 1/shrink of the source's; shrink = 1/2 for a child. */
void multipole_m2m(int p, const double d[3], double shrink, double *t);
/* L2L (10.8).  d: the target's centre less the source's, in the source's units.
 * The target's unit is shrink of the source's.  Potentials are in 1/unit. */
void multipole_l2l(int p, const double d[3], double shrink, double *t);
/* M2L (10.7).  s: a field of degrees 0 .. 2p, which is S at the target's centre
 * less the source's, or a sum of such fields. */
void multipole_m2l(int p, const double *s, double *t);
/* M2L term by term: t[i] = f[2i] s[at[2i]] + f[2i + 1] s[at[2i + 1]] for the K
 * K entries i. */
void multipole_m2l_terms(int p, int32_t *at, double *f);
/* One factor of M2L that follows from the scaling, (10.7). */
double multipole_factor(int n, int m, int k, int l);
/* The same for many.  root: sqrt(j!) for j = 0 .. n + k + |m + l|, which
 * multipole_roots sets. */
void multipole_roots(int most, long double *root);
double multipole_factor_of(const long double *root, int n, int m, int k, int l);

/* Exchanges x and z (10.11) for one degree, in the scaled real numbering.  The
 * matrix is the same for R and S and is its own inverse. b[2n+1][2n+1]: row and
 * column m are at n + m. */
void multipole_swap(int n, double *b);
/* The matrices of degrees 0 .. p < MULTIPOLE_DEGREES, one after another; n of
 * multipole_swap is at most MULTIPOLE_MOST.  work: 2 (2p + 1)^2 numbers. */
void multipole_swap_all(int p, double *work, double *all);

/* multipole_lattice.c. high[n] = Q(n + 1/2, x), the regularised incomplete
 * gamma function; low[n] = 1 - Q; n = 0 .. p, x > 0. */
void multipole_gammas(int p, double x, double *high, double *low);
/* The field of a lattice of unit charges, (10.13): S summed over d + L m for
 * all integers m except those where d + L m is near.  Near means |d[a] +
 * cell[a] m[a]| < near[a] along all axes.  It is an Ewald sum with tin-foil
 * boundary condition and a uniform background.  cell: three edges. */
farsum_status multipole_lattice(int p, const double cell[3],
                                const double near[3], const double d[3],
                                double *s);

/* images/images.c: rows and planes of images, of one or two periodic
 * axes. */
struct multipole_images;

/* p: the fields' degrees.  cell: the edges along the periodic axes, one or two.
 * near: as for multipole_lattice.  reach: the largest |d| along the open
 * axes. */
farsum_status multipole_images_create(int p, const int periodic[3],
                                      const double cell[3],
                                      const double near[3],
                                      const double reach[3],
                                      struct multipole_images **images);
/* Bytes of it; expected seconds to make it and so many fields, of which as many
 * lie at each distance up to reach. */
int64_t multipole_images_bytes(int p, const int periodic[3],
                               const double cell[3], const double near[3],
                               const double reach[3]);
double multipole_images_cost(int p, const int periodic[3], const double cell[3],
                             const double near[3], const double reach[3],
                             double fields);
void multipole_images_destroy(struct multipole_images *images);
/* The field of a row or plane of unit charges, S summed over d + cell[a] m[a]
 * for all integers m along the periodic axes except where that is near.  Far
 * from a row the potential is -2 ln(rho/L)/L, far from a plane -2 pi |z|/A. */
void multipole_images_field(const struct multipole_images *images,
                            const double d[3], double *s);
#endif
