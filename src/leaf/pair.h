/* pair.h: the near part of a pair, for each kernel of pair.def (math.md section
 * 9).  d = x_i - x_j, y = 1/r, or 0 where the singular part is left out, v =
 * 2 r^2 - 1, all in units of the cutoff; q are the strengths of the source.
 *
 * pair_NAME adds to the values of the target.  Where these are a potential,
 * pair_NAME_slope is the field over q d.
 *
 * Who includes it defines PAIR_REAL, the type of a number or of some side by
 * side, PAIR_TABLE, the type of what PAIR_POLY(t, k, v), polynomial k at v, is
 * looked up in, and FN. */
#ifndef FARSUM_LEAF_PAIR_H
#define FARSUM_LEAF_PAIR_H

#define PAIR_CAT_(a, b, c) a##b##c
#define PAIR_CAT(a, b, c) PAIR_CAT_(a, b, c)
/* The functions of the kernel that PAIR names. */
#define PAIR_VALUE PAIR_CAT(pair_, PAIR, )
#define PAIR_SLOPE PAIR_CAT(pair_, PAIR, _slope)

FN PAIR_REAL pair_dot(const PAIR_REAL *a, const PAIR_REAL *b)
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* (3.1), (3.2) */
FN void pair_laplace(PAIR_TABLE t, const PAIR_REAL *d, PAIR_REAL y, PAIR_REAL v,
                     const PAIR_REAL *q, PAIR_REAL *value)
{
    (void)d;
    value[0] += q[0] * (y - PAIR_POLY(t, 0, v));
}

FN PAIR_REAL pair_laplace_slope(PAIR_TABLE t, PAIR_REAL y, PAIR_REAL v)
{
    return y * y * y - PAIR_POLY(t, 1, v);
}

/* (9.16): the first and third polynomial are in 2 r - 1 */
FN void pair_yukawa(PAIR_TABLE t, const PAIR_REAL *d, PAIR_REAL y, PAIR_REAL v,
                    const PAIR_REAL *q, PAIR_REAL *value)
{
    PAIR_REAL w = y * (v + 1) - 1;
    (void)d;
    value[0] += q[0] * (y * PAIR_POLY(t, 0, w) - PAIR_POLY(t, 1, v));
}

FN PAIR_REAL pair_yukawa_slope(PAIR_TABLE t, PAIR_REAL y, PAIR_REAL v)
{
    PAIR_REAL w = y * (v + 1) - 1;
    return y * y * y * PAIR_POLY(t, 2, w) - PAIR_POLY(t, 3, v);
}

/* (9.19) */
FN void pair_r6(PAIR_TABLE t, const PAIR_REAL *d, PAIR_REAL y, PAIR_REAL v,
                const PAIR_REAL *q, PAIR_REAL *value)
{
    PAIR_REAL y2 = y * y;
    (void)d;
    value[0] += q[0] * (y2 * y2 * y2 - PAIR_POLY(t, 0, v));
}

FN PAIR_REAL pair_r6_slope(PAIR_TABLE t, PAIR_REAL y, PAIR_REAL v)
{
    PAIR_REAL y2 = y * y, y4 = y2 * y2;
    return 6 * y4 * y4 - PAIR_POLY(t, 1, v);
}

/* (9.2) */
FN void pair_stokeslet(PAIR_TABLE t, const PAIR_REAL *d, PAIR_REAL y,
                       PAIR_REAL v, const PAIR_REAL *f, PAIR_REAL *value)
{
    PAIR_REAL a = y - PAIR_POLY(t, 0, v);
    PAIR_REAL b = pair_dot(f, d) * (y * y * y - PAIR_POLY(t, 1, v));
    value[0] += a * f[0] + b * d[0];
    value[1] += a * f[1] + b * d[1];
    value[2] += a * f[2] + b * d[2];
}

/* (9.4) */
FN void pair_rotlet(PAIR_TABLE t, const PAIR_REAL *d, PAIR_REAL y, PAIR_REAL v,
                    const PAIR_REAL *f, PAIR_REAL *value)
{
    PAIR_REAL g = y * y * y - PAIR_POLY(t, 0, v);
    value[0] += g * (f[1] * d[2] - f[2] * d[1]);
    value[1] += g * (f[2] * d[0] - f[0] * d[2]);
    value[2] += g * (f[0] * d[1] - f[1] * d[0]);
}

/* (9.6); strength q[0..2], normal q[3..5] */
FN void pair_stresslet(PAIR_TABLE t, const PAIR_REAL *d, PAIR_REAL y,
                       PAIR_REAL v, const PAIR_REAL *q, PAIR_REAL *value)
{
    const PAIR_REAL *n = q + 3;
    PAIR_REAL y2 = y * y, dq = pair_dot(d, q), dn = pair_dot(d, n);
    PAIR_REAL b = PAIR_POLY(t, 1, v);
    PAIR_REAL a = dq * dn * (PAIR_POLY(t, 0, v) - 6 * y2 * y2 * y)
                  - b * pair_dot(q, n);
    PAIR_REAL bn = b * dn, bq = b * dq;
    value[0] += a * d[0] - bn * q[0] - bq * n[0];
    value[1] += a * d[1] - bn * q[1] - bq * n[1];
    value[2] += a * d[2] - bn * q[2] - bq * n[2];
}
#endif
