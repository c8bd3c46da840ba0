/* SPDX-License-Identifier: Apache-2.0 */
/* near_side.h: sources whose coordinates and strengths lie side by side, 16
 * bytes at a time, for threads that take them one by one; and their pairs.
 *
 * Who includes it has included leaf/near.h and leaf/near_columns.h. */
#ifndef FARSUM_LEAF_NEAR_SIDE_H
#define FARSUM_LEAF_NEAR_SIDE_H

#if REAL_BITS == 64
#define PART real2
#define PARTS ((STRENGTHS + 4) / 2)
#else
#define PART f32x4
#define PARTS ((STRENGTHS + 6) / 4)
#endif

/* Sorted strengths, and coordinates and strengths of a source side by side. */
KERNEL(GROUP) near_pack(GLOBAL const real *q, GLOBAL const u32 *order,
                        GLOBAL const coord *xs, GLOBAL real *sorted,
                        GLOBAL PART *side, i64 n)
{
    i64 k = GID * GROUP + LID;
    if (k >= n)
        return;
    i64 from = order[k];
    real own[STRENGTHS];
    UNROLL
    for (i32 c = 0; c < STRENGTHS; c++) {
        own[c] = q[from * STRENGTHS + c];
        sorted[c * n + k] = own[c];
    }
#if REAL_BITS == 64
    real word[2 * PARTS];
    UNROLL
    for (i32 c = 0; c < 2 * PARTS; c++)
        word[c] = c < 3               ? xs[c * n + k]
                  : c < 3 + STRENGTHS ? own[c - 3]
                                      : R(0);
    UNROLL
    for (i32 c = 0; c < PARTS; c++) {
        real2 to;
        to.x = word[2 * c];
        to.y = word[2 * c + 1];
        side[k * PARTS + c] = to;
    }
#else
    f32 word[4 * PARTS];
    UNROLL
    for (i32 c = 0; c < 4 * PARTS; c++)
        word[c] = c < 3               ? F32_OF_BITS(xs[c * n + k])
                  : c < 3 + STRENGTHS ? own[c - 3]
                                      : R(0);
    UNROLL
    for (i32 c = 0; c < PARTS; c++) {
        f32x4 to;
        to.x = word[4 * c];
        to.y = word[4 * c + 1];
        to.z = word[4 * c + 2];
        to.w = word[4 * c + 3];
        side[k * PARTS + c] = to;
    }
#endif
}

/* A source as its numbers lie. */
struct near_source {
    PART part[PARTS];
};

FN struct near_source near_fetch(GLOBAL const PART *side, u32 j)
{
    struct near_source s;
    UNROLL
    for (i32 c = 0; c < PARTS; c++)
        s.part[c] = side[(i64)j * PARTS + c];
    return s;
}

/* What they say. */
struct near_words {
    coord x[3];
    real q[STRENGTHS];
};

FN struct near_words near_words_of(const struct near_source *s)
{
    struct near_words to;
#if REAL_BITS == 64
    real word[2 * PARTS];
    UNROLL
    for (i32 c = 0; c < PARTS; c++) {
        word[2 * c] = s->part[c].x;
        word[2 * c + 1] = s->part[c].y;
    }
    UNROLL
    for (i32 c = 0; c < 3; c++)
        to.x[c] = word[c];
#else
    real word[4 * PARTS];
    UNROLL
    for (i32 c = 0; c < PARTS; c++) {
        word[4 * c] = s->part[c].x;
        word[4 * c + 1] = s->part[c].y;
        word[4 * c + 2] = s->part[c].z;
        word[4 * c + 3] = s->part[c].w;
    }
    UNROLL
    for (i32 c = 0; c < 3; c++)
        to.x[c] = (i32)BITS_OF_F32(word[c]);
#endif
    UNROLL
    for (i32 c = 0; c < STRENGTHS; c++)
        to.q[c] = word[3 + c];
    return to;
}

/* From them to the target at `at`, and its square, cutoffs. */
FN real near_side_away(struct near_words s, const coord at[3],
                       struct near_cells a, real d[3])
{
    real d2 = R(0);
    UNROLL
    for (i32 c = 0; c < 3; c++) {
        coord_sum away = (coord_sum)at[c] - (coord_sum)s.x[c];
#if REAL_BITS == 64
        d[c] = away;
#else
        d[c] = (real)(coord)away * (real)a.per_raw;
#endif
        d2 = FMA(d[c], d[c], d2);
    }
    return d2;
}

/* Their pair with the target at `at`, if it is within the cutoff. */
FN void near_side_pair(struct near_words s, const coord at[3],
                       struct near_cells a, struct near_sums *sum)
{
    real d[3], d2 = near_side_away(s, at, a, d);
    if (d2 < R(1))
        near_pair(d, d2 >= (real)a.skip ? near_rsqrt(d2) : R(0), d2,
                  s.q, VIRIAL, sum);
}
#endif
