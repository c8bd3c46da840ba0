/* SPDX-License-Identifier: Apache-2.0 */
/* harmonic.h: solid harmonics on hosts and devices (math.md 10.1).
 *
 * An expansion of order p is (p + 1)^2 real numbers: number n n + n + m is the
 * real part of its coefficient of degree n and order m for m >= 0, the
 * imaginary part of order -m for m < 0; coefficients of negative order follow
 * from X_n^-m = (-1)^m conj(X_n^m).  All are scaled, (10.4).
 *
 * Who includes it defines FN, HARMONIC_REAL (which may be a vector of numbers),
 * HARMONIC_SET, a number as one, and HARMONIC_TABLE, what a pointer to the
 * recursion's table points to. */
#ifndef FARSUM_LEAF_HARMONIC_H
#define FARSUM_LEAF_HARMONIC_H

#define HARMONIC_SIZE(p) (((p) + 1) * ((p) + 1))
#define HARMONIC_AT(n, m) ((n) * (n) + (n) + (m))
/* Numbers of the table.  With w = sqrt(n^2 - m^2) it has (2n - 1)/w and
 * sqrt((n - 1)^2 - m^2)/w of degree n and order 0 <= m < n at 2 HARMONIC_AT(n,
 * m), and sqrt((2n - 1)/(2n)) at that of m = n. */
#define HARMONIC_TERMS(p) (2 * HARMONIC_SIZE(p))

/* R of (10.1), scaled, of degrees 0 .. p at (x, y, z). */
FN void harmonic_regular(int p, HARMONIC_TABLE *table, HARMONIC_REAL x,
                         HARMONIC_REAL y, HARMONIC_REAL z, HARMONIC_REAL *r)
{
    HARMONIC_REAL r2 = x * x + y * y + z * z;
    HARMONIC_REAL re = HARMONIC_SET(1), im = HARMONIC_SET(0);
    for (int m = 0; m <= p; m++) {
        HARMONIC_REAL re1, im1, re2, im2;
        if (m > 0) {
            HARMONIC_REAL a = HARMONIC_SET(table[2 * HARMONIC_AT(m, m)]);
            re1 = a * (x * re - y * im);
            im = a * (x * im + y * re);
            re = re1;
            r[HARMONIC_AT(m, -m)] = im;
        }
        r[HARMONIC_AT(m, m)] = re;
        re1 = re, im1 = im;
        re2 = im2 = HARMONIC_SET(0);
        for (int n = m + 1; n <= p; n++) {
            int k = 2 * HARMONIC_AT(n, m);
            HARMONIC_REAL b = HARMONIC_SET(table[k]) * z;
            HARMONIC_REAL d = HARMONIC_SET(table[k + 1]) * r2;
            HARMONIC_REAL re0 = b * re1 - d * re2, im0 = b * im1 - d * im2;
            r[HARMONIC_AT(n, m)] = re0;
            if (m > 0)
                r[HARMONIC_AT(n, -m)] = im0;
            re2 = re1, im2 = im1;
            re1 = re0, im1 = im0;
        }
    }
}
#endif
