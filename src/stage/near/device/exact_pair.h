/* SPDX-License-Identifier: Apache-2.0 */
/* exact_pair.h: the near part of a pair by Ewald's Gaussian split, E = erf(xi
 * r), in closed form, for each kernel of pair.def, as references sum it: the
 * formulas of exact_flows.c and exact_potentials.c, in f64.  No table and no
 * formula is shared with the fast methods.
 *
 * exact_NAME adds to the VALUES values of a target what a source of strengths q
 * at the distance d gives, r2 = d.d, y = 1/r.  exact_NAME_self adds what a
 * target on a source gets, so that the far sum's part of that pair goes. */
#ifndef FARSUM_LEAF_EXACT_PAIR_H
#define FARSUM_LEAF_EXACT_PAIR_H

#define EXACT_TWO_BY_ROOT_PI 1.1283791670955126

FN f64 exact_dot(const f64 *a, const f64 *b)
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

#define EXACT_CAT_(a, b) a##b
#define EXACT_CAT(a, b) EXACT_CAT_(a, b)
#define EXACT_PAIR EXACT_CAT(exact_, PAIR)
#define EXACT_SELF EXACT_CAT(EXACT_PAIR, _self)

/* phi and E of a charge with potential phi and field f d. */
FN void exact_put(f64 phi, f64 f, const f64 *d, f64 *v)
{
    v[0] += phi;
    if (VALUES == 1)
        return;
    UNROLL
    for (i32 c = 0; c < 3; c++)
        v[1 + c] += f * d[c];
}

/* y = 1/r.  1 - E over r, and E', of E = erf(xi r). */
FN f64 exact_rest(f64 xi, f64 r2, f64 y)
{
    return erfc(xi * r2 * y) * y;
}
FN f64 exact_slope(f64 xi, f64 r2)
{
    return EXACT_TWO_BY_ROOT_PI * xi * exp(-xi * xi * r2);
}

FN void exact_laplace(f64 xi, f64 kappa, const f64 *d, f64 r2, f64 y,
                      const f64 *q, f64 *v)
{
    f64 p = exact_rest(xi, r2, y), f = 0;
    (void)kappa;
    if (VALUES > 1)
        f = (p + exact_slope(xi, r2)) * y * y;
    exact_put(q[0] * p, q[0] * f, d, v);
}
FN void exact_laplace_self(f64 xi, f64 kappa, const f64 *q, f64 *v)
{
    (void)kappa;
    v[0] -= EXACT_TWO_BY_ROOT_PI * xi * q[0];
}

FN void exact_yukawa(f64 xi, f64 kappa, const f64 *d, f64 r2, f64 y,
                     const f64 *q, f64 *v)
{
    f64 r = r2 * y, b = kappa / (2 * xi), x = xi * r;
    f64 plus = x + b < 26 ? exp(kappa * r) * erfc(x + b) : 0;
    f64 minus = exp(-kappa * r) * erfc(x - b);
    f64 slope = kappa * (minus - plus) / 2
                + EXACT_TWO_BY_ROOT_PI * xi * exp(-x * x - b * b);
    f64 phi = (plus + minus) * y / 2;
    exact_put(q[0] * phi, q[0] * (phi + slope) * y * y, d, v);
}
FN void exact_yukawa_self(f64 xi, f64 kappa, const f64 *q, f64 *v)
{
    f64 b = kappa / (2 * xi);
    v[0] += q[0] * (kappa * erfc(b) - EXACT_TWO_BY_ROOT_PI * xi * exp(-b * b));
}

FN void exact_r6(f64 xi, f64 kappa, const f64 *d, f64 r2, f64 y, const f64 *q,
                 f64 *v)
{
    f64 x2 = xi * xi * r2, y2 = y * y, e = exp(-x2) * q[0] * y2 * y2 * y2;
    f64 most = 1 + x2 + x2 * x2 / 2;
    (void)kappa;
    exact_put(e * most, 6 * e * (most + x2 * x2 * x2 / 6) * y2, d, v);
}
FN void exact_r6_self(f64 xi, f64 kappa, const f64 *q, f64 *v)
{
    f64 xi3 = xi * xi * xi;
    (void)kappa;
    v[0] -= q[0] * xi3 * xi3 / 6;
}

FN void exact_stokeslet(f64 xi, f64 kappa, const f64 *d, f64 r2, f64 y,
                        const f64 *f, f64 *v)
{
    f64 e = exact_rest(xi, r2, y), g = exact_slope(xi, r2);
    f64 along = (e + g) * y * y * exact_dot(f, d);
    (void)kappa;
    UNROLL
    for (i32 c = 0; c < 3; c++)
        v[c] += (e - g) * f[c] + along * d[c];
}
FN void exact_stokeslet_self(f64 xi, f64 kappa, const f64 *f, f64 *v)
{
    (void)kappa;
    UNROLL
    for (i32 c = 0; c < 3; c++)
        v[c] -= 2 * EXACT_TWO_BY_ROOT_PI * xi * f[c];
}

FN void exact_rotlet(f64 xi, f64 kappa, const f64 *d, f64 r2, f64 y,
                     const f64 *t, f64 *v)
{
    f64 g = (exact_rest(xi, r2, y) + exact_slope(xi, r2)) * y * y;
    (void)kappa;
    v[0] += g * (t[1] * d[2] - t[2] * d[1]);
    v[1] += g * (t[2] * d[0] - t[0] * d[2]);
    v[2] += g * (t[0] * d[1] - t[1] * d[0]);
}
FN void exact_rotlet_self(f64 xi, f64 kappa, const f64 *t, f64 *v)
{
    (void)xi, (void)kappa, (void)t, (void)v;
}

/* strength q[0..2], normal q[3..5] */
FN void exact_stresslet(f64 xi, f64 kappa, const f64 *d, f64 r2, f64 y,
                        const f64 *q, f64 *v)
{
    f64 e = exact_rest(xi, r2, y), g = exact_slope(xi, r2), y2 = y * y;
    f64 b = 2 * xi * xi * g; /* -E''/r */
    f64 a = -2 * (3 * (e + g) + b * r2) * y2 * y2;
    f64 dq = exact_dot(d, q), dn = exact_dot(d, q + 3);
    f64 along = a * dq * dn + b * exact_dot(q, q + 3);
    (void)kappa;
    UNROLL
    for (i32 c = 0; c < 3; c++)
        v[c] += along * d[c] + b * (dn * q[c] + dq * q[3 + c]);
}
FN void exact_stresslet_self(f64 xi, f64 kappa, const f64 *q, f64 *v)
{
    (void)xi, (void)kappa, (void)q, (void)v;
}
#endif
