/* SPDX-License-Identifier: Apache-2.0 */
/* window_local.h: the window's pieces in group memory, for threads that ask
 * for different pieces at the same time: constant memory would serve them one
 * after the other. */
#ifndef FARSUM_LEAF_WINDOW_LOCAL_H
#define FARSUM_LEAF_WINDOW_LOCAL_H
#include "leaf/window.h"

#define WINDOW_WORDS ((WINDOW_DEGREE_ + 1) * SUPPORT)

/* Copies the table, all threads of the group together; a barrier must
 * follow. */
FN void window_local(LOCAL_PTR real *coef)
{
    for (i32 k = LID; k < WINDOW_WORDS; k += LSIZE)
        coef[k] = window_coef[k];
}

/* As window_weight and window_slope. */
FN real window_local_weight(LOCAL_PTR const real *coef, i32 j, real t)
{
    real w = coef[WINDOW_DEGREE_ * SUPPORT + j];
    UNROLL
    for (i32 d = WINDOW_DEGREE_ - 1; d >= 0; d--)
        w = FMA(w, t, coef[d * SUPPORT + j]);
    return w;
}

FN real window_local_slope(LOCAL_PTR const real *coef, i32 j, real t)
{
    real w = R(0);
    UNROLL
    for (i32 d = WINDOW_DEGREE_; d >= 1; d--)
        w = FMA(w, t, R(d) * coef[d * SUPPORT + j]);
    return R(-2) * w;
}
#endif
