/* SPDX-License-Identifier: Apache-2.0 */
/* interp_block.h: a target's sums from mesh points in group memory.  Wants what
 * interp.h wants, and SIDE_Y and SIDE_Z: rows of a plane, words from one row to
 * the next. */
#ifndef FARSUM_LEAF_INTERP_BLOCK_H
#define FARSUM_LEAF_INTERP_BLOCK_H
#include "leaf/interp.h"

/* Weights along x are made beforehand, or plane by plane where code and
 * registers would be too many. */
#define SHORT_X (SUPPORT <= 8)
#if SHORT_X
#define UNROLL_X UNROLL
#else
#define UNROLL_X UNROLL_NOT
#endif

/* What a target has of the window, and where its mesh points begin. */
struct target {
    i32 at;
    real tx, wx[SUPPORT], dx[SUPPORT];
    real wy[SUPPORT], dy[SUPPORT], wz[SUPPORT], dz[SUPPORT];
};

FN void target_set(struct target *me, i32 at, real tx, real ty, real tz)
{
    me->at = at;
    me->tx = tx;
    if (SHORT_X)
        window_weights(tx, me->wx);
    window_weights(ty, me->wy);
    window_weights(tz, me->wz);
#if FIELD
    if (SHORT_X)
        window_slopes(tx, me->dx);
    window_slopes(ty, me->dy);
    window_slopes(tz, me->dz);
#else
    UNROLL
    for (i32 j = 0; j < SUPPORT; j++)
        me->dx[j] = me->dy[j] = me->dz[j] = R(0);
#endif
}

FN void target_sum(const struct target *me, LOCAL_PTR const real *block,
                   real *sum)
{
    UNROLL
    for (i32 u = 0; u < SUMS; u++)
        sum[u] = R(0);
    UNROLL_X
    for (i32 jx = 0; jx < SUPPORT; jx++) {
        LOCAL_PTR const real *from = block + me->at + jx * SIDE_Y * SIDE_Z;
        real plane[SUMS];
        UNROLL
        for (i32 u = 0; u < SUMS; u++)
            plane[u] = R(0);
        UNROLL
        for (i32 jy = 0; jy < SUPPORT; jy++) {
            real f = R(0), df = R(0);
            UNROLL
            for (i32 jz = 0; jz < SUPPORT; jz++) {
                real m = from[jy * SIDE_Z + jz];
                f = FMA(me->wz[jz], m, f);
                if (FIELD)
                    df = FMA(me->dz[jz], m, df);
            }
            interp_row(me->wy[jy], me->dy[jy], f, df, plane);
        }
        interp_plane(SHORT_X ? me->wx[jx] : window_weight(jx, me->tx),
                     SHORT_X || !FIELD ? me->dx[jx]
                                       : window_slope(jx, me->tx),
                     plane, sum);
    }
}
#endif
