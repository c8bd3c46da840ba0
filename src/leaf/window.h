/* SPDX-License-Identifier: Apache-2.0 */
/* window.h: the window's weights in a kernel (math.md section 4).
 *
 * Wants SUPPORT, WINDOW_DEGREE_ and WINDOW_TABLE: the pieces' coefficients,
 * [degree + 1][SUPPORT], highest degree last (math/window.h). */
#ifndef FARSUM_LEAF_WINDOW_H
#define FARSUM_LEAF_WINDOW_H

#include "leaf/place.h"

CONSTANT real window_coef[(WINDOW_DEGREE_ + 1) * SUPPORT] = {WINDOW_TABLE};

/* Piece j; all threads may ask for different ones. */
FN real window_weight(i32 j, real t)
{
    real w = window_coef[WINDOW_DEGREE_ * SUPPORT + j];
    UNROLL
    for (i32 d = WINDOW_DEGREE_ - 1; d >= 0; d--)
        w = FMA(w, t, window_coef[d * SUPPORT + j]);
    return w;
}

/* dw/du, u in mesh spacings. */
FN real window_slope(i32 j, real t)
{
    real w = R(0);
    UNROLL
    for (i32 d = WINDOW_DEGREE_; d >= 1; d--)
        w = FMA(w, t, R(d) * window_coef[d * SUPPORT + j]);
    return R(-2) * w;
}

/* Piece j and piece SUPPORT - 1 - j, which is piece j of -t since a window is
 * even: even and odd powers are summed once for both. */
FN void window_pair(i32 j, real t, real t2, real *w, real *mirror)
{
    real even = R(0), odd = R(0);
    UNROLL
    for (i32 d = WINDOW_DEGREE_; d >= 0; d--) {
        if (d % 2 == 0)
            even = FMA(even, t2, window_coef[d * SUPPORT + j]);
        else
            odd = FMA(odd, t2, window_coef[d * SUPPORT + j]);
    }
    *w = FMA(odd, t, even);
    *mirror = FMA(odd, -t, even);
}

/* All pieces. */
FN void window_weights(real t, real *w)
{
    real t2 = t * t;
    UNROLL
    for (i32 j = 0; j < (SUPPORT + 1) / 2; j++)
        window_pair(j, t, t2, &w[j], &w[SUPPORT - 1 - j]);
}

/* dw/du of all pieces. */
FN void window_slopes(real t, real *w)
{
    UNROLL
    for (i32 j = 0; j < SUPPORT; j++)
        w[j] = window_slope(j, t);
}
#endif
