/* SPDX-License-Identifier: Apache-2.0 */
/* pair_erfc.h: the near part of a pair of the Gaussian split, E = erf(xi r), in
 * closed form, for the kernels of pair.def that have one (math.md section 9).
 *
 * Called as the functions of leaf/pair.h, with xi where those have their table
 * and r2 = r^2 where they have u, v.  With y = 0 r is 0 but for rounding, and
 * what is added is minus the far part there.  For devices: they want the
 * dialect's words. */
#ifndef FARSUM_LEAF_PAIR_ERFC_H
#define FARSUM_LEAF_PAIR_ERFC_H

#define ERFC_CAT_(a, b, c) a##b##c
#define ERFC_CAT(a, b, c) ERFC_CAT_(a, b, c)
/* The functions of the kernel that PAIR names. */
#define ERFC_VALUE ERFC_CAT(erfc_, PAIR, )
#define ERFC_SLOPE ERFC_CAT(erfc_, PAIR, _slope)

FN real erfc_dot(const real *a, const real *b)
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* E' */
FN real erfc_window(real xi, real r2)
{
    return R(1.1283791670955126) * xi * EXP(-xi * xi * r2);
}

/* (1 - E)/r; g: E' */
FN real erfc_rest(real xi, real y, real r2, real g)
{
    return y > R(0) ? ERFC(xi * r2 * y) * y : -g;
}

/* ((1 - E)/r + E')/r^2, e: (1 - E)/r */
FN real erfc_gradient(real xi, real y, real e, real g)
{
    return y > R(0) ? (e + g) * y * y : -g * xi * xi * R(2) / R(3);
}

FN void erfc_laplace(real xi, const real *d, real y, real r2, const real *q,
                     real *value)
{
    (void)d;
    value[0] += q[0] * erfc_rest(xi, y, r2, erfc_window(xi, r2));
}

FN real erfc_laplace_slope(real xi, real y, real r2)
{
    real g = erfc_window(xi, r2);
    return erfc_gradient(xi, y, erfc_rest(xi, y, r2, g), g);
}

/* Hasimoto's: I ((1 - E)/r - E') + dd/r^2 ((1 - E)/r + E') */
FN void erfc_stokeslet(real xi, const real *d, real y, real r2, const real *f,
                       real *value)
{
    real g = erfc_window(xi, r2), e = erfc_rest(xi, y, r2, g);
    real a = e - g, b = erfc_dot(f, d) * (e + g) * y * y;
    value[0] += a * f[0] + b * d[0];
    value[1] += a * f[1] + b * d[1];
    value[2] += a * f[2] + b * d[2];
}

FN void erfc_rotlet(real xi, const real *d, real y, real r2, const real *f,
                    real *value)
{
    real g = erfc_window(xi, r2), e = erfc_rest(xi, y, r2, g);
    real s = erfc_gradient(xi, y, e, g);
    value[0] += s * (f[1] * d[2] - f[2] * d[1]);
    value[1] += s * (f[2] * d[0] - f[0] * d[2]);
    value[2] += s * (f[0] * d[1] - f[1] * d[0]);
}

/* E'' = -2 xi^2 r E' */
FN void erfc_stresslet(real xi, const real *d, real y, real r2, const real *q,
                       real *value)
{
    const real *n = q + 3;
    real g = erfc_window(xi, r2), e = erfc_rest(xi, y, r2, g);
    real x2 = xi * xi, y2 = y * y, b = 2 * x2 * g;
    real dq = erfc_dot(d, q), dn = erfc_dot(d, n);
    real s =
        y > R(0) ? -2 * y2 * y2 * (3 * (e + g) + b * r2) : R(1.6) * x2 * x2 * g;
    real a = dq * dn * s + b * erfc_dot(q, n);
    real bn = b * dn, bq = b * dq;
    value[0] += a * d[0] + bn * q[0] + bq * n[0];
    value[1] += a * d[1] + bn * q[1] + bq * n[1];
    value[2] += a * d[2] + bn * q[2] + bq * n[2];
}
#endif
