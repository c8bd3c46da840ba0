/* SPDX-License-Identifier: Apache-2.0 */
/* bare.h: the bare kernel of a pair, for each kernel of pair.def, in f64 on
 * hosts and devices: what an exclusion takes away (math.md (3.7)).  d = x_i -
 * x_j at the nearest image, r2 = d.d > 0, kappa in the same unit, q the
 * strengths of the source.
 *
 * bare_NAME adds to the values of the target.  Where these are a potential,
 * bare_NAME_slope is the field over q d.
 *
 * Who includes it defines BARE_REAL and FN. */
#ifndef FARSUM_LEAF_BARE_H
#define FARSUM_LEAF_BARE_H

#define BARE_CAT_(a, b, c) a##b##c
#define BARE_CAT(a, b, c) BARE_CAT_(a, b, c)
/* The functions of the kernel that PAIR names. */
#define BARE_VALUE BARE_CAT(bare_, PAIR, )
#define BARE_SLOPE BARE_CAT(bare_, PAIR, _slope)

/* A cell's reduced basis, in what the differences of points are turned. */
struct bare_cell {
    BARE_REAL a[9]; /* rows are vectors */
    BARE_REAL sure; /* square of half the shortest vector of the lattice: what
                       is nearer has no nearer image */
    BARE_REAL skip; /* square of what is no distance (near_skip) */
};

FN BARE_REAL bare_place(const struct bare_cell *cell, const BARE_REAL *f,
                        BARE_REAL *d)
{
    for (int k = 0; k < 3; k++)
        d[k] =
            f[0] * cell->a[k] + f[1] * cell->a[3 + k] + f[2] * cell->a[6 + k];
    return d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
}

/* Of fractional coordinates' difference f the nearest image d and d.d. */
FN BARE_REAL bare_nearest(const struct bare_cell *cell, const BARE_REAL *f,
                          BARE_REAL *d)
{
    BARE_REAL g[3], least;
    for (int k = 0; k < 3; k++)
        g[k] = f[k] - floor(f[k] + (BARE_REAL)0.5);
    least = bare_place(cell, g, d);
    if (least <= cell->sure)
        return least;
    for (int n = 0; n < 27; n++) {
        BARE_REAL h[3], e[3], r2;
        h[0] = g[0] + (BARE_REAL)(n / 9 - 1);
        h[1] = g[1] + (BARE_REAL)(n / 3 % 3 - 1);
        h[2] = g[2] + (BARE_REAL)(n % 3 - 1);
        r2 = bare_place(cell, h, e);
        if (r2 < least) {
            least = r2;
            d[0] = e[0];
            d[1] = e[1];
            d[2] = e[2];
        }
    }
    return least;
}

FN BARE_REAL bare_dot(const BARE_REAL *a, const BARE_REAL *b)
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

FN void bare_laplace(BARE_REAL kappa, const BARE_REAL *d, BARE_REAL r2,
                     const BARE_REAL *q, BARE_REAL *value)
{
    (void)kappa, (void)d;
    value[0] += q[0] / sqrt(r2);
}

FN BARE_REAL bare_laplace_slope(BARE_REAL kappa, BARE_REAL r2)
{
    (void)kappa;
    return 1 / (r2 * sqrt(r2));
}

FN void bare_yukawa(BARE_REAL kappa, const BARE_REAL *d, BARE_REAL r2,
                    const BARE_REAL *q, BARE_REAL *value)
{
    BARE_REAL r = sqrt(r2);
    (void)d;
    value[0] += q[0] * exp(-kappa * r) / r;
}

FN BARE_REAL bare_yukawa_slope(BARE_REAL kappa, BARE_REAL r2)
{
    BARE_REAL r = sqrt(r2);
    return exp(-kappa * r) * (1 + kappa * r) / (r2 * r);
}

FN void bare_r6(BARE_REAL kappa, const BARE_REAL *d, BARE_REAL r2,
                const BARE_REAL *q, BARE_REAL *value)
{
    (void)kappa, (void)d;
    value[0] += q[0] / (r2 * r2 * r2);
}

FN BARE_REAL bare_r6_slope(BARE_REAL kappa, BARE_REAL r2)
{
    BARE_REAL r4 = r2 * r2;
    (void)kappa;
    return 6 / (r4 * r4);
}

FN void bare_stokeslet(BARE_REAL kappa, const BARE_REAL *d, BARE_REAL r2,
                       const BARE_REAL *f, BARE_REAL *value)
{
    BARE_REAL y = 1 / sqrt(r2), along = bare_dot(f, d) / r2;
    (void)kappa;
    for (int k = 0; k < 3; k++)
        value[k] += y * (f[k] + along * d[k]);
}

FN void bare_rotlet(BARE_REAL kappa, const BARE_REAL *d, BARE_REAL r2,
                    const BARE_REAL *t, BARE_REAL *value)
{
    BARE_REAL y3 = 1 / (r2 * sqrt(r2));
    (void)kappa;
    value[0] += y3 * (t[1] * d[2] - t[2] * d[1]);
    value[1] += y3 * (t[2] * d[0] - t[0] * d[2]);
    value[2] += y3 * (t[0] * d[1] - t[1] * d[0]);
}

/* strength q[0..2], normal q[3..5] */
FN void bare_stresslet(BARE_REAL kappa, const BARE_REAL *d, BARE_REAL r2,
                       const BARE_REAL *q, BARE_REAL *value)
{
    BARE_REAL a =
        -6 * bare_dot(q, d) * bare_dot(q + 3, d) / (r2 * r2 * sqrt(r2));
    (void)kappa;
    for (int k = 0; k < 3; k++)
        value[k] += a * d[k];
}
#endif
