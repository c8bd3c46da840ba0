/* SPDX-License-Identifier: Apache-2.0 */
/* monic.h: regular harmonics on devices, without their factors (math.md 10.1):
 * columns of one order m, R_n = z R_{n-1} - c r^2 R_{n-2}, from (x + iy)^m on.
 * What multiplies them is with the host (stage/boxes_points.h).
 *
 * Numbers are in the order of columns: of m = 0 the degrees 0 .. P, then of m =
 * 1 the real part and the imaginary part of degree 1, and so on.
 *
 * Who includes it defines P, and MONIC as a list of c, order by order. */
#ifndef FARSUM_LEAF_MONIC_H
#define FARSUM_LEAF_MONIC_H

/* Where a column's c begin: P + 1 - m of each order. */
FN i32 monic_at(i32 m)
{
    return m * (P + 1) - m * (m - 1) / 2;
}
/* Where its numbers do. */
FN i32 monic_number(i32 m)
{
    return m == 0 ? 0 : 2 * monic_at(m) - (P + 1);
}

/* From order m - 1 to m. */
FN void monic_next(i32 m, real x, real y, real *re, real *im)
{
    real r = *re, i = *im;
    *re = m == 1 ? x * r : FMA(x, r, -(y * i));
    *im = m == 1 ? y * r : FMA(x, i, y * r);
}

/* Degree n > m of a column from the two before. */
FN real monic_up(i32 first, real z, real cr2, real one, real two)
{
    return first ? z * one : FMA(z, one, -(cr2 * two));
}
#endif
