/* SPDX-License-Identifier: Apache-2.0 */
/* pair.h: the near part of a pair, for each kernel of pair.def (math.md section
 * 9).  d = x_i - x_j, y = 1/r, or 0 where the singular part is left out, u =
 * 2 r^2, v = u - 1, all in units of the cutoff; q are the strengths of the
 * source.  v has lost the digits of a small r^2, u has not.
 *
 * pair_NAME adds to the values of the target.  Where these are a potential,
 * pair_NAME_slope is the field over q d.
 *
 * pair_NAME_whole: c[k] so that polynomials of these values, and y = 0, give
 * the same pair: what a polynomial in v stands for where it is to hold the
 * singular part as well, apart from r = 0.
 *
 * Who includes it defines PAIR_REAL, the type of a number or of some side by
 * side, PAIR_TABLE, the type of what PAIR_POLY(t, k, v), polynomial k at v, is
 * looked up in, and FN; PAIR_OWN(name) if the functions are not to be called
 * pair_name.  It may be included again, with other definitions, so it has no
 * guard. */
#ifndef PAIR_OWN
#define PAIR_OWN(name) pair_##name
#endif

#define PAIR_CAT_(a, b, c) a##b##c
#define PAIR_CAT(a, b, c) PAIR_CAT_(a, b, c)
/* The functions of the kernel that PAIR names. */
#define PAIR_VALUE PAIR_CAT(pair_, PAIR, )
#define PAIR_SLOPE PAIR_CAT(pair_, PAIR, _slope)

FN PAIR_REAL PAIR_OWN(dot)(const PAIR_REAL *a, const PAIR_REAL *b)
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* (3.1), (3.2) */
FN void PAIR_OWN(laplace)(PAIR_TABLE t, const PAIR_REAL *d, PAIR_REAL y,
                          PAIR_REAL u, PAIR_REAL v, const PAIR_REAL *q,
                          PAIR_REAL *value)
{
    (void)d;
    (void)u;
    value[0] += q[0] * (y - PAIR_POLY(t, 0, v));
}

FN PAIR_REAL PAIR_OWN(laplace_slope)(PAIR_TABLE t, PAIR_REAL y, PAIR_REAL u,
                                     PAIR_REAL v)
{
    (void)u;
    return y * y * y - PAIR_POLY(t, 1, v);
}

FN void PAIR_OWN(laplace_whole)(PAIR_TABLE t, PAIR_REAL y, PAIR_REAL u,
                                PAIR_REAL v, PAIR_REAL *c)
{
    (void)u;
    c[0] = PAIR_POLY(t, 0, v) - y;
    c[1] = PAIR_POLY(t, 1, v) - y * y * y;
}

/* (9.16): the first and third polynomial are in 2 r - 1 */
FN void PAIR_OWN(yukawa)(PAIR_TABLE t, const PAIR_REAL *d, PAIR_REAL y,
                         PAIR_REAL u, PAIR_REAL v, const PAIR_REAL *q,
                         PAIR_REAL *value)
{
    PAIR_REAL w = y * u - 1;
    (void)d;
    value[0] += q[0] * (y * PAIR_POLY(t, 0, w) - PAIR_POLY(t, 1, v));
}

FN PAIR_REAL PAIR_OWN(yukawa_slope)(PAIR_TABLE t, PAIR_REAL y, PAIR_REAL u,
                                    PAIR_REAL v)
{
    PAIR_REAL w = y * u - 1;
    return y * y * y * PAIR_POLY(t, 2, w) - PAIR_POLY(t, 3, v);
}

FN void PAIR_OWN(yukawa_whole)(PAIR_TABLE t, PAIR_REAL y, PAIR_REAL u,
                               PAIR_REAL v, PAIR_REAL *c)
{
    PAIR_REAL w = y * u - 1;
    c[0] = c[2] = 0 * y;
    c[1] = PAIR_POLY(t, 1, v) - y * PAIR_POLY(t, 0, w);
    c[3] = PAIR_POLY(t, 3, v) - y * y * y * PAIR_POLY(t, 2, w);
}

/* (9.19) */
FN void PAIR_OWN(r6)(PAIR_TABLE t, const PAIR_REAL *d, PAIR_REAL y, PAIR_REAL u,
                     PAIR_REAL v, const PAIR_REAL *q, PAIR_REAL *value)
{
    PAIR_REAL y2 = y * y;
    (void)d;
    (void)u;
    value[0] += q[0] * (y2 * y2 * y2 - PAIR_POLY(t, 0, v));
}

FN PAIR_REAL PAIR_OWN(r6_slope)(PAIR_TABLE t, PAIR_REAL y, PAIR_REAL u,
                                PAIR_REAL v)
{
    (void)u;
    PAIR_REAL y2 = y * y, y4 = y2 * y2;
    return 6 * y4 * y4 - PAIR_POLY(t, 1, v);
}

FN void PAIR_OWN(r6_whole)(PAIR_TABLE t, PAIR_REAL y, PAIR_REAL u, PAIR_REAL v,
                           PAIR_REAL *c)
{
    (void)u;
    PAIR_REAL y2 = y * y, y6 = y2 * y2 * y2;
    c[0] = PAIR_POLY(t, 0, v) - y6;
    c[1] = PAIR_POLY(t, 1, v) - 6 * y6 * y2;
}

/* (9.2) */
FN void PAIR_OWN(stokeslet)(PAIR_TABLE t, const PAIR_REAL *d, PAIR_REAL y,
                            PAIR_REAL u, PAIR_REAL v, const PAIR_REAL *f,
                            PAIR_REAL *value)
{
    (void)u;
    PAIR_REAL a = y - PAIR_POLY(t, 0, v);
    PAIR_REAL b = PAIR_OWN(dot)(f, d) * (y * y * y - PAIR_POLY(t, 1, v));
    value[0] += a * f[0] + b * d[0];
    value[1] += a * f[1] + b * d[1];
    value[2] += a * f[2] + b * d[2];
}

FN void PAIR_OWN(stokeslet_whole)(PAIR_TABLE t, PAIR_REAL y, PAIR_REAL u,
                                  PAIR_REAL v, PAIR_REAL *c)
{
    PAIR_OWN(laplace_whole)(t, y, u, v, c);
}

/* (9.4) */
FN void PAIR_OWN(rotlet)(PAIR_TABLE t, const PAIR_REAL *d, PAIR_REAL y,
                         PAIR_REAL u, PAIR_REAL v, const PAIR_REAL *f,
                         PAIR_REAL *value)
{
    (void)u;
    PAIR_REAL g = y * y * y - PAIR_POLY(t, 0, v);
    value[0] += g * (f[1] * d[2] - f[2] * d[1]);
    value[1] += g * (f[2] * d[0] - f[0] * d[2]);
    value[2] += g * (f[0] * d[1] - f[1] * d[0]);
}

FN void PAIR_OWN(rotlet_whole)(PAIR_TABLE t, PAIR_REAL y, PAIR_REAL u,
                               PAIR_REAL v, PAIR_REAL *c)
{
    (void)u;
    c[0] = PAIR_POLY(t, 0, v) - y * y * y;
}

/* (9.6); strength q[0..2], normal q[3..5] */
FN void PAIR_OWN(stresslet)(PAIR_TABLE t, const PAIR_REAL *d, PAIR_REAL y,
                            PAIR_REAL u, PAIR_REAL v, const PAIR_REAL *q,
                            PAIR_REAL *value)
{
    (void)u;
    const PAIR_REAL *n = q + 3;
    PAIR_REAL y2 = y * y, dq = PAIR_OWN(dot)(d, q), dn = PAIR_OWN(dot)(d, n);
    PAIR_REAL b = PAIR_POLY(t, 1, v);
    PAIR_REAL a = dq * dn * (PAIR_POLY(t, 0, v) - 6 * y2 * y2 * y)
                  - b * PAIR_OWN(dot)(q, n);
    PAIR_REAL bn = b * dn, bq = b * dq;
    value[0] += a * d[0] - bn * q[0] - bq * n[0];
    value[1] += a * d[1] - bn * q[1] - bq * n[1];
    value[2] += a * d[2] - bn * q[2] - bq * n[2];
}

FN void PAIR_OWN(stresslet_whole)(PAIR_TABLE t, PAIR_REAL y, PAIR_REAL u,
                                  PAIR_REAL v, PAIR_REAL *c)
{
    (void)u;
    PAIR_REAL y2 = y * y;
    c[0] = PAIR_POLY(t, 0, v) - 6 * y2 * y2 * y;
    c[1] = PAIR_POLY(t, 1, v);
}
