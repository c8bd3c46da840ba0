/* SPDX-License-Identifier: Apache-2.0 */
/* given.h: fractions of a cell or of a region, from positions as they were
 * given, [n][3]; the host's twin is points/device/set.h's struct gpu_given. */
#ifndef FARSUM_LEAF_GIVEN_H
#define FARSUM_LEAF_GIVEN_H

#include "leaf/array.h"

#define GIVEN_THERE 0  /* fractions are there, [3][n] */
#define GIVEN_CELL 1   /* s_d = unit sum_j x_j inv[3j + d], wrapped */
#define GIVEN_REGION 2 /* (unit x_d - corner_d)/edge_d, cut to 0 .. 1 */

struct given_args {
    f64 inv[9], corner[3], edge[3];
    f64 far_away;   /* cells */
    f64 unit;       /* a power of two */
    i32 kind, wide; /* wide: 1: positions are f64 */
};

/* Of a cell; *good becomes 0 where wrapping would lose a coordinate's digits,
 * which then stands somewhere in the cell. */
FN void given_wrapped(const f64 x[3], struct given_args a, f64 to[3], i32 *good)
{
    f64 r[3];
    UNROLL
    for (i32 d = 0; d < 3; d++)
        r[d] = a.unit * x[d];
    UNROLL
    for (i32 d = 0; d < 3; d++) {
        f64 v = r[0] * a.inv[d] + r[1] * a.inv[3 + d] + r[2] * a.inv[6 + d];
        *good = fabs(v) < a.far_away ? *good : 0;
        v -= floor(v);
        to[d] = v < 1 ? v : 0;
    }
}

FN void given_fractions(GLOBAL const f64 *s, GLOBAL const f32 *x32,
                        GLOBAL const f64 *x64, i64 n, i64 i,
                        struct given_args a, f64 to[3], i32 *good)
{
    f64 x[3];
    UNROLL
    for (i32 d = 0; d < 3; d++)
        x[d] = a.kind == GIVEN_THERE ? s[d * n + i]
                                     : array_get(x32, x64, a.wide, 3 * i + d);
    if (a.kind == GIVEN_CELL) {
        given_wrapped(x, a, to, good);
        return;
    }
    UNROLL
    for (i32 d = 0; d < 3; d++) {
        f64 v = x[d];
        if (a.kind == GIVEN_REGION)
            v = (a.unit * v - a.corner[d]) / a.edge[d];
        to[d] = v > 0 ? (v < 1 ? v : 1) : 0;
    }
}

/* Do two points coincide?  In a cell after wrapping, in a region as they were
 * given. */
FN i32 given_same(GLOBAL const f64 *s, GLOBAL const f32 *x32,
                  GLOBAL const f64 *x64, i64 n, i64 i, i64 j,
                  struct given_args a)
{
    f64 one[3], two[3];
    i32 good = 1;
    if (a.kind == GIVEN_REGION) {
        UNROLL
        for (i32 d = 0; d < 3; d++) {
            one[d] = array_get(x32, x64, a.wide, 3 * i + d);
            two[d] = array_get(x32, x64, a.wide, 3 * j + d);
        }
    } else {
        given_fractions(s, x32, x64, n, i, a, one, &good);
        given_fractions(s, x32, x64, n, j, a, two, &good);
    }
    return one[0] == two[0] && one[1] == two[1] && one[2] == two[2];
}
#endif
