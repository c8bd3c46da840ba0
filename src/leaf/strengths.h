/* SPDX-License-Identifier: Apache-2.0 */
/* strengths.h: strengths of particles and their sums on a mesh, some channels
 * at a time.
 *
 * Wants CHANNELS and PARTS, and ADD, which says how a thread adds where others
 * may: 0 by the device's instruction, 1 by compare and swap, 2 plainly, which
 * loses sums. */
#ifndef FARSUM_LEAF_STRENGTHS_H
#define FARSUM_LEAF_STRENGTHS_H

#include "leaf/mesh.h"

/* Channels that are added at a time. */
#if CHANNELS < 4
#define STEP CHANNELS
#else
#define STEP 4
#endif

#if ADD == 0
#define SPREAD_ADD(p, v) atomic_add_real(p, v)
#elif ADD == 1
#define SPREAD_ADD(p, v) atomic_cas_add_real(p, v)
#else
#define SPREAD_ADD(p, v) (*(p) += (v))
#endif

/* v[c PARTS + part]: strengths of point i in channels c0 + c, 0 past the
 * last. */
FN void spread_strengths(GLOBAL const real *q, struct mesh_args a, i32 c0,
                         i64 i, real *v)
{
    UNROLL
    for (i32 c = 0; c < STEP; c++) {
        UNROLL
        for (i32 part = 0; part < PARTS; part++)
            v[c * PARTS + part] =
                c0 + c < CHANNELS ? q[mesh_q(a, c0 + c, i) + part] : R(0);
    }
}

/* Adds w v to the mesh point whose part 0 lies at `at` of a channel. */
FN void spread_add(GLOBAL real *mesh, struct mesh_args a, i32 c0, i64 at,
                   real w, const real *v)
{
    UNROLL
    for (i32 c = 0; c < STEP; c++) {
        if (c0 + c >= CHANNELS)
            continue;
        GLOBAL real *to = mesh + (c0 + c) * a.mesh_channel + at;
        UNROLL
        for (i32 part = 0; part < PARTS; part++)
            SPREAD_ADD(to + part, w * v[c * PARTS + part]);
    }
}
#endif
