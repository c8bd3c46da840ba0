/* SPDX-License-Identifier: Apache-2.0 */
/* spread.h: what kernels that add particles to a mesh have in common: one
 * particle by one thread, and a batch of particles by a group.
 *
 * Wants what leaf/window.h and leaf/strengths.h want; for a batch, before the
 * file is included, BATCH (particles; else 0) and GROUP (threads). */
#ifndef FARSUM_LEAF_SPREAD_H
#define FARSUM_LEAF_SPREAD_H

#include "leaf/strengths.h"
#include "leaf/window.h"

#define CUBE (SUPPORT * SUPPORT * SUPPORT)

/* Adds w[jc] v to row `at` of the mesh, its points at z[jc], -1 for none.  A
 * channel's row at a time: neighbours in memory should be neighbours in time,
 * or what the threads in flight touch outgrows the cache. */
FN void spread_row(GLOBAL real *mesh, struct mesh_args a, i32 c0, i64 at,
                   real wxy, const real *wz, const i32 *z, const real *v)
{
    UNROLL
    for (i32 c = 0; c < STEP; c++) {
        if (c0 + c >= CHANNELS)
            continue;
        GLOBAL real *to = mesh + (c0 + c) * a.mesh_channel + at;
        UNROLL
        for (i32 jc = 0; jc < SUPPORT; jc++) {
            UNROLL
            for (i32 part = 0; part < PARTS; part++)
                if (z[jc] >= 0)
                    SPREAD_ADD(to + ((i64)z[jc] * PARTS + part),
                               wxy * wz[jc] * v[c * PARTS + part]);
        }
    }
}

/* One thread adds point i to its SUPPORT^3 mesh points, its own weights in
 * registers along z alone: those of x and y are asked for by all threads at
 * the same time, so that they cost little. */
FN void spread_point(GLOBAL const f64 *s, GLOBAL const real *q,
                     GLOBAL real *mesh, struct mesh_args a, i64 i)
{
    real tx, ty, tz, wz[SUPPORT], v[STEP * PARTS];
    i32 z[SUPPORT];
    i32 x0 = window_first(s[i], a.mesh[0], &tx);
    i32 y0 = window_first(s[a.n + i], a.mesh[1], &ty);
    i32 z0 = window_first(s[2 * a.n + i], a.mesh[2], &tz);
    window_weights(tz, wz);
    UNROLL
    for (i32 jc = 0; jc < SUPPORT; jc++)
        z[jc] = mesh_index(z0 + jc, a.mesh[2], a.open[2]);
    for (i32 c0 = 0; c0 < CHANNELS; c0 += STEP) {
        spread_strengths(q, a, c0, i, v);
        UNROLL_NOT
        for (i32 ja = 0; ja < SUPPORT; ja++) {
            i32 x = mesh_index(x0 + ja, a.mesh[0], a.open[0]);
            real wx = window_weight(ja, tx);
            if (x < 0)
                continue;
            UNROLL_NOT
            for (i32 jb = 0; jb < SUPPORT; jb++) {
                i32 y = mesh_index(y0 + jb, a.mesh[1], a.open[1]);
                real wxy = wx * window_weight(jb, ty);
                if (y >= 0)
                    spread_row(mesh, a, c0, mesh_at(a, x, y, 0), wxy, wz, z,
                               v);
            }
        }
    }
}

#if BATCH > 0
/* Words of a particle in group memory: 3 SUPPORT, odd against conflicts. */
#define SPREAD_ROW (3 * SUPPORT | 1)

/* m[p SPREAD_ROW + d SUPPORT + j]: mesh index j along axis d of point
 * from + p, -1 off the mesh. */
FN void spread_batch_index(GLOBAL const f64 *s, i64 from, struct mesh_args a,
                           LOCAL_PTR i32 *m)
{
    for (i32 k = LID; k < 3 * BATCH; k += GROUP) {
        i32 d = k / BATCH, p = k % BATCH;
        if (from + p >= a.n)
            continue;
        real t;
        i32 mesh = d == 0 ? a.mesh[0] : d == 1 ? a.mesh[1] : a.mesh[2];
        i32 open = d == 0 ? a.open[0] : d == 1 ? a.open[1] : a.open[2];
        i32 first = window_first(s[d * a.n + from + p], mesh, &t);
        LOCAL_PTR i32 *to = m + p * SPREAD_ROW + d * SUPPORT;
        for (i32 j = 0; j < SUPPORT; j++)
            to[j] = mesh_index(first + j, mesh, open);
    }
}

/* w: the weights, of the same shape. */
FN void spread_batch_weights(GLOBAL const f64 *s, i64 from,
                             struct mesh_args a, LOCAL_PTR real *w)
{
    for (i32 k = LID; k < 3 * BATCH; k += GROUP) {
        i32 d = k / BATCH, p = k % BATCH;
        if (from + p >= a.n)
            continue;
        real t, v[SUPPORT];
        i32 mesh = d == 0 ? a.mesh[0] : d == 1 ? a.mesh[1] : a.mesh[2];
        window_first(s[d * a.n + from + p], mesh, &t);
        window_weights(t, v);
        LOCAL_PTR real *to = w + p * SPREAD_ROW + d * SUPPORT;
        UNROLL
        for (i32 j = 0; j < SUPPORT; j++)
            to[j] = v[j];
    }
}
#endif
#endif
