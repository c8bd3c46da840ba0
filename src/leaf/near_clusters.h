/* SPDX-License-Identifier: Apache-2.0 */
/* near_clusters.h: what near's gpu_clusters.k keeps of a cluster and of
 * sources, and the sums of pairs, in f32 and in full precision. */
#ifndef FARSUM_LEAF_NEAR_CLUSTERS_H
#define FARSUM_LEAF_NEAR_CLUSTERS_H

/* The row's shape, if nobody says it. */
#ifndef BATCH
#define TARGETS 16
#define BATCH (HAS_SUBGROUP ? 64 : 8)
#define RING (4 * BATCH)
#define LATER (2 * BATCH)
#define BLOCKS 8
#endif
#include "leaf/near_outer.h"
#include "leaf/near_columns.h"

/* targets that threads in step share */
#define CLUSTER (HAS_SUBGROUP ? TARGETS : 1)
#define SHARE (SG_SIZE / CLUSTER) /* threads at one target */
#define TEAMS (GROUP / SG_SIZE)
#define QUADS (ALL_LATER ? 1 : (STRENGTHS + 6) / 4)
#define FULL_PAIRS ((STRENGTHS + 4) / 2)
#define SOME_QUADS ((STRENGTHS + 3) / 4)
/* f64, and no pair is for f32 */
#define ALL_LATER (!HAS_PAIR32)

/* A team's memory. */
struct clusters_team {
    LOCAL_PTR f32x4 *entry; /* [BATCH][QUADS]: place from the first target,
                               cutoffs; strengths */
    LOCAL_PTR u32 *source, *image; /* [RING] */
    LOCAL_PTR u16 *later; /* [LATER] of this thread's target: places in the
                             ring of the pairs put aside */
    i32 ring;             /* where the list begins there */
    i32 have;             /* of `later` */
    BITS mine;            /* the threads at this one's target */
};

/* The cluster. */
struct clusters_target {
    coord x[3];          /* this thread's target */
    f32 at[3];           /* from the first, cutoffs; FAR_AWAY: not wanted */
    f32 box[3], reach[3]; /* of the cluster: centre, half its edges */
};

/* Sorted points: place from their cell's corner, cutoffs, and cell along c. */
KERNEL(GROUP) clusters_spot(GLOBAL const f32 *place, GLOBAL const u32 *cell,
                            GLOBAL f32x4 *spot, struct near_cells a,
                            struct near_columns g)
{
    i64 k = GID * GROUP + LID;
    if (k >= a.n)
        return;
    f32 u = place[3 * a.n + k], v = place[4 * a.n + k], w = place[5 * a.n + k];
    f32x4 to;
    to.x = u * g.edge[0] + v * g.edge[3] + w * g.edge[6];
    to.y = u * g.edge[1] + v * g.edge[4] + w * g.edge[7];
    to.z = u * g.edge[2] + v * g.edge[5] + w * g.edge[8];
    to.w = (f32)(cell[k] % (u32)a.nb[2]);
    spot[k] = to;
}

#if REAL_BITS == 64
/* Sorted coordinates and strengths of a source side by side. */
KERNEL(GROUP) clusters_full(GLOBAL const coord *xs, GLOBAL const real *qs,
                            GLOBAL real2 *full, i64 n)
{
    i64 k = GID * GROUP + LID;
    if (k >= n)
        return;
    real word[2 * FULL_PAIRS];
    UNROLL
    for (i32 c = 0; c < 2 * FULL_PAIRS; c++)
        word[c] = c < 3               ? xs[c * n + k]
                  : c < 3 + STRENGTHS ? qs[(c - 3) * n + k]
                                      : R(0);
    UNROLL
    for (i32 c = 0; c < FULL_PAIRS; c++) {
        real2 to;
        to.x = word[2 * c];
        to.y = word[2 * c + 1];
        full[k * FULL_PAIRS + c] = to;
    }
}
#endif

/* Sorted strengths in f32. */
KERNEL(GROUP) clusters_some(GLOBAL const real *q, GLOBAL f32x4 *some, i64 n)
{
    i64 k = GID * GROUP + LID;
    if (k >= n)
        return;
    f32 word[4 * SOME_QUADS];
    UNROLL
    for (i32 c = 0; c < 4 * SOME_QUADS; c++)
        word[c] = c < STRENGTHS ? (f32)q[c * n + k] : 0;
    UNROLL
    for (i32 c = 0; c < SOME_QUADS; c++) {
        f32x4 to;
        to.x = word[4 * c];
        to.y = word[4 * c + 1];
        to.z = word[4 * c + 2];
        to.w = word[4 * c + 3];
        some[k * SOME_QUADS + c] = to;
    }
}

/* Sources as they are for pairs in full precision: [n] records in f64, which
 * lie about, in f32 arrays of coordinates and strengths. */
struct clusters_sources {
    GLOBAL const coord *x;
    GLOBAL const real *q;
    GLOBAL const real2 *full;
    i64 n;
};

/* The k-th pair that was put aside for this thread's target. */
FN void clusters_fetch(struct clusters_sources from, struct near_cells a,
                       const struct clusters_team *team, const coord at[3],
                       i32 k, real d[3], real *y, real *square,
                       real q[STRENGTHS])
{
    i32 there = k < team->have;
    i32 slot = there ? team->later[k] : 0;
    u32 j = team->source[slot], code = team->image[slot];
    coord x[3], other[3];
    real d2 = R(0);
#if REAL_BITS == 64
    real word[2 * FULL_PAIRS];
    UNROLL
    for (i32 c = 0; c < FULL_PAIRS; c++) {
        real2 w = from.full[(i64)j * FULL_PAIRS + c];
        word[2 * c] = w.x;
        word[2 * c + 1] = w.y;
    }
#endif
    UNROLL
    for (i32 c = 0; c < 3; c++) {
#if REAL_BITS == 64
        other[c] = word[c];
#else
        other[c] = from.x[c * from.n + j];
#endif
        x[c] = at[c];
    }
    if (code != NEAR_HOME) {
        i32 image[3];
        near_decode(code, image);
        near_shift(a, image, at, x);
    }
    UNROLL
    for (i32 c = 0; c < 3; c++) {
        coord_sum to = (coord_sum)x[c] - (coord_sum)other[c];
#if REAL_BITS == 64
        d[c] = to;
#else
        d[c] = (real)(coord)to * (real)a.per_raw;
#endif
        d2 = FMA(d[c], d[c], d2);
    }
#if ALL_LATER
    there = there && d2 < R(1);
#endif
    UNROLL
    for (i32 c = 0; c < STRENGTHS; c++)
#if REAL_BITS == 64
        q[c] = there ? word[3 + c] : R(0);
#else
        q[c] = there ? from.q[c * from.n + j] : R(0);
#endif
    *square = there ? d2 : R(0);
    *y = d2 >= (real)a.skip ? near_rsqrt(d2) : R(0);
}

/* Pairs that were put aside, in full precision. */
FN void clusters_later(struct clusters_sources from, struct near_cells a,
                       struct clusters_team *team,
                       const struct clusters_target *target,
                       struct near_sums *sum)
{
    SG_BARRIER();
    for (i32 k = LANE / CLUSTER; sg_any(k < team->have); k += SHARE) {
        real d[3], y, d2, q[STRENGTHS];
        clusters_fetch(from, a, team, target->x, k, d, &y, &d2, q);
        near_pair(d, y, d2, q, VIRIAL, sum);
    }
    near_spill(sum);
    team->have = 0;
    team->ring = 0;
    SG_BARRIER();
}
#endif
