/* SPDX-License-Identifier: Apache-2.0 */
/* cartesian.h: derivatives of a radial function by x, y and z, and the values
 * of a source with charge, dipole and quadrupole that follow from them
 * (math.md 7.6).
 *
 * Before including, define CARTESIAN_REAL, a number or a SIMD vector, and
 * CARTESIAN_FN.
 *
 * The derivatives of order n are a symmetric tensor of (n + 1)(n + 2)/2
 * numbers, in the order of their axes: xx xy xz yy yz zz.  A number has n - r
 * axes x; number i of row r becomes i with one more x, i + r + 1 with one more
 * y and i + r + 2 with one more z. */
#ifndef FARSUM_REFERENCE_CARTESIAN_H
#define FARSUM_REFERENCE_CARTESIAN_H

enum {
    CARTESIAN_ORDER = 5,
    CARTESIAN_ALL = 56, /* numbers of the orders 0 to 5 */
};

/* Where the derivatives of an order begin. */
static inline int cartesian_start(int order)
{
    return order * (order + 1) * (order + 2) / 6;
}

/* The number of steps from a number of row r to that with one more axis, and to
 * those with two more: xx xy xz yy yz zz. */
static inline int cartesian_one(int r, int axis)
{
    return axis == 0 ? 0 : r + axis;
}
static inline int cartesian_two(int r, int pair)
{
    return pair < 3 ? cartesian_one(r, pair) : 2 * r + pair;
}

/* Sets t to the derivatives up to `order` at d of the function with the chain
 * f_0 to f_order, (7.15): derivatives of f_n follow from those of f_(n+1), by
 * (7.19b). */
CARTESIAN_FN void cartesian_set(const CARTESIAN_REAL d[3],
                                const CARTESIAN_REAL *f, int order,
                                CARTESIAN_REAL t[CARTESIAN_ALL])
{
    for (int n = order; n >= 0; n--) {
        for (int m = order - n; m > 0; m--) {
            CARTESIAN_REAL *to = t + cartesian_start(m);
            const CARTESIAN_REAL *one = t + cartesian_start(m - 1);
            const CARTESIAN_REAL *two =
                m > 1 ? t + cartesian_start(m - 2) : one;
            for (int r = 0, i = 0; r <= m; r++)
                for (int z = 0; z <= r; z++, i++) {
                    /* one axis less; `more`: the others of this axis */
                    int axis = r < m ? 0 : z < r ? 1 : 2;
                    int more = (axis == 0 ? m - r : axis == 1 ? r - z : z) - 1;
                    int of = axis == 0 ? i : i - (r - 1) - axis;
                    int last = axis == 0 ? of : of - (r - 2) - axis;
                    to[i] = -d[axis] * one[of];
                    if (more > 0)
                        to[i] -= (double)more * two[last];
                }
        }
        t[0] = f[n];
    }
}

/* The derivative of order m whose number i is in row r, of the potential of a
 * source q, p, Q. */
CARTESIAN_FN CARTESIAN_REAL cartesian_source(const CARTESIAN_REAL *t,
                                             const double q[10], int m, int i,
                                             int r)
{
    CARTESIAN_REAL v = q[0] * t[cartesian_start(m) + i];
    for (int a = 0; a < 3; a++)
        v -= q[1 + a] * t[cartesian_start(m + 1) + i + cartesian_one(r, a)];
    for (int k = 0; k < 6; k++) {
        double half = k == 0 || k == 3 || k == 5 ? 0.5 : 1;
        v += half * q[4 + k]
             * t[cartesian_start(m + 2) + i + cartesian_two(r, k)];
    }
    return v;
}

/* Sets v to the derivatives of orders 0 to `order` of the potential. */
CARTESIAN_FN void cartesian_potential(const CARTESIAN_REAL *t,
                                      const double q[10], int order,
                                      CARTESIAN_REAL *v)
{
    for (int m = 0, k = 0; m <= order; m++)
        for (int r = 0, i = 0; r <= m; r++)
            for (int z = 0; z <= r; z++, i++, k++)
                v[k] = cartesian_source(t, q, m, i, r);
}

/* The number of the derivative along n axes, in any order; its row. */
static inline int cartesian_at(int n, const int *axis, int *row)
{
    int z = 0, r = 0;
    for (int k = 0; k < n; k++) {
        r += axis[k] != 0;
        z += axis[k] == 2;
    }
    *row = r;
    return cartesian_start(n) + r * (r + 1) / 2 + z;
}

/* The derivative along the n axes from axis[2] on of w_ab, a and b being the
 * first two, (7.19c); v: from cartesian_potential. */
CARTESIAN_FN CARTESIAN_REAL cartesian_strain(const CARTESIAN_REAL d[3],
                                             const CARTESIAN_REAL *t,
                                             const CARTESIAN_REAL *v,
                                             const double q[10], int n,
                                             const int *axis)
{
    static const int of[3][3] = {{0, 1, 2}, {1, 3, 4}, {2, 4, 5}};
    int b = axis[1], a[5] = {axis[0]}, row;
    for (int k = 0; k < n; k++)
        a[1 + k] = axis[2 + k];
    CARTESIAN_REAL w = -d[b] * v[cartesian_at(1 + n, a, &row)];
    w += q[1 + b] * t[cartesian_at(1 + n, a, &row)];
    for (int c = 0; c < 3; c++) {
        a[1 + n] = c;
        w -= q[4 + of[b][c]] * t[cartesian_at(2 + n, a, &row)];
    }
    for (int k = 0; k < n; k++) /* the derivative of d_b */
        if (axis[2 + k] == b) {
            int rest[2] = {axis[0], n > 1 ? axis[2 + !k] : 0};
            w -= v[cartesian_at(n, rest, &row)];
        }
    return w;
}

/* Sets w to w (6), its first derivatives (18, those by x first) and its second
 * ones (36, those by xx first). */
CARTESIAN_FN void cartesian_strains(const CARTESIAN_REAL d[3],
                                    const CARTESIAN_REAL *t,
                                    const CARTESIAN_REAL *v, const double q[10],
                                    CARTESIAN_REAL w[60])
{
    static const int two[6][2] = {{0, 0}, {0, 1}, {0, 2},
                                  {1, 1}, {1, 2}, {2, 2}};
    for (int i = 0; i < 6; i++) {
        int axis[4] = {two[i][0], two[i][1]};
        w[i] = cartesian_strain(d, t, v, q, 0, axis);
        for (int c = 0; c < 3; c++) {
            axis[2] = c;
            w[6 + 6 * c + i] = cartesian_strain(d, t, v, q, 1, axis);
        }
        for (int k = 0; k < 6; k++) {
            axis[2] = two[k][0];
            axis[3] = two[k][1];
            w[24 + 6 * k + i] = cartesian_strain(d, t, v, q, 2, axis);
        }
    }
}
#endif
