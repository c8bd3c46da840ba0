/* SPDX-License-Identifier: Apache-2.0 */
/* near_verlet.h: lists of the sources around targets: threads in step make one
 * together, and points that have moved go to where they are now.
 *
 * Who includes it has included leaf/near_outer.h. */
#ifndef FARSUM_LEAF_NEAR_VERLET_H
#define FARSUM_LEAF_NEAR_VERLET_H

#include "leaf/near_ball.h"
#include "leaf/near_columns.h"

/* Lists begin at multiples of so many entries. */
#ifndef ALIGN
#define ALIGN 8
#endif

/* An entry: the source's place and its image, in one word if there are none
 * but the nearest; APART: in two. */
#ifndef PLACE_BITS
#define PLACE_BITS 27
#endif
#define HOME 13 /* of 27 images */

/* Squares, cutoffs: of what lists reach, of what their first part does, of what
 * is no pair that may meet, of half a skin. */
struct verlet {
    f64 range, near, close, moved;
    i32 room[2]; /* entries of each list's parts; 0: as many as there are */
    i32 same, pad;
};

/* Pairs in f32: from the square `inner` on; the polynomials' argument; in f64
 * units of integer coordinates in a cutoff, the cell's vectors in them. */
struct verlet_far {
    f64 unit;
    f32 inner, scale, shift, per_unit;
    i32 image[9], pad;
};
/* Does a list have two parts? */
#define PARTED (REAL_BITS == 64 && OUTER)

/* What shifts a source in image `of`, raw. */
FN void verlet_shift(struct near_cells a, const i32 of[3], coord by[3])
{
    coord none[3], minus[3];
    UNROLL
    for (i32 c = 0; c < 3; c++)
        none[c] = 0;
    near_shift(a, of, none, minus);
    UNROLL
    for (i32 c = 0; c < 3; c++)
        by[c] = (coord)((coord_sum)0 - (coord_sum)minus[c]);
}

/* Sums of `count` over the threads in step up to this one. */
FN i32 verlet_upto(i32 count)
{
#if HAS_SUBGROUP
    i32 v = count;
    UNROLL
    for (i32 by = 1; by < SG_SIZE; by *= 2) {
        i32 other = sg_shuffle(v, (LANE - by) & (SG_SIZE - 1));
        v += LANE >= by ? other : 0;
    }
    return v;
#else
    return count;
#endif
}

/* The thread whose run holds candidate c, by the sums up to each. */
FN i32 verlet_owner(i32 upto, i32 c)
{
    i32 low = 0;
#if HAS_SUBGROUP
    UNROLL
    for (i32 by = SG_SIZE / 2; by > 0; by /= 2) {
        i32 there = sg_shuffle(upto, low + by - 1);
        low += there <= c ? by : 0;
    }
#endif
    return low;
}

/* A part of a list. */
struct verlet_part {
    i64 at;     /* where it begins */
    u32 listed; /* how many are in it, */
    u32 room;   /* and can be */
};

/* Source j, in image `of`, whose code is `image`. */
FN void verlet_put(GLOBAL u32 *entry, i64 at, u32 j, u32 image, const i32 of[3])
{
#if APART
    (void)of;
    entry[2 * at] = j;
    entry[2 * at + 1] = image;
#else
    (void)image;
    entry[at] = j
                | (u32)((of[0] + 1) * 9 + (of[1] + 1) * 3 + of[2] + 1)
                      << PLACE_BITS;
#endif
}

/* Runs of candidates, one a thread, begin .. begin + count in image `code`,
 * around target k at x: those within reach, into the list (fill) or counted;
 * *close becomes 1 where two may meet. */
FN void verlet_runs(GLOBAL const coord *xs, i64 n, u32 begin, i32 count,
                    u32 code, i64 k, const coord x[3], struct near_cells a,
                    struct verlet v, i32 fill, GLOBAL u32 *entry,
                    struct verlet_part part[2], i32 *close)
{
    i32 upto = verlet_upto(count);
    i32 all = sg_shuffle(upto, SG_SIZE - 1);
    u32 base = begin - (u32)(upto - count);
    for (i32 c0 = 0; c0 < all; c0 += SG_SIZE) {
        i32 c = c0 + LANE < all ? c0 + LANE : all - 1, of[3];
        i32 owner = verlet_owner(upto, c);
        u32 j = sg_shuffle(base, owner) + (u32)c;
        u32 image = sg_shuffle(code, owner);
        coord at[3];
        real d2 = R(0);
        near_decode(image, of);
        UNROLL
        for (i32 d = 0; d < 3; d++)
            at[d] = x[d];
        if (image != NEAR_HOME)
            near_shift(a, of, x, at);
        UNROLL
        for (i32 d = 0; d < 3; d++) {
            coord_sum away = (coord_sum)at[d] - (coord_sum)xs[d * n + j];
            real by = (real)(coord)away * (real)a.per_raw;
            d2 = FMA(by, by, d2);
        }
        i32 in = c == c0 + LANE && d2 < (real)v.range;
        i32 far = PARTED && d2 >= (real)v.near;
        if (in && d2 < (real)v.close)
            *close |= v.same && !(j == (u32)k && image == NEAR_HOME);
        UNROLL
        for (i32 p = 0; p < (PARTED ? 2 : 1); p++) {
            BITS found = (BITS)sg_ballot(in && far == p);
            u32 to = part[p].listed + (u32)BITS_SET(found & BITS_BELOW);
            if (fill && in && far == p && to < part[p].room)
                verlet_put(entry, part[p].at + to, j, image, of);
            part[p].listed += (u32)BITS_SET(found);
        }
    }
}

/* The list of target k. */
FN void verlet_list(GLOBAL const coord *xs, GLOBAL const u32 *start, i64 n,
                    GLOBAL const coord *xt, GLOBAL const f32 *place,
                    GLOBAL const u32 *cell, i64 k, struct near_cells a,
                    struct near_ball g, struct verlet v, i32 fill,
                    GLOBAL u32 *entry, struct verlet_part part[2], i32 *close)
{
    i32 b[3];
    f32 w[3];
    coord x[3];
    near_place_of(cell, place, a, k, b, w);
    UNROLL
    for (i32 c = 0; c < 3; c++)
        x[c] = xt[c * a.n + k];
    for (i32 t0 = 0; t0 < g.columns; t0 += SG_SIZE) {
        i32 step[2], of[3], z, last;
        near_ball_column(g, t0 + LANE, a.reach, b, w, step, &z, &last);
        i32 i = near_home(b[0] + step[0], a.nb[0], &of[0]);
        i32 j = near_home(b[1] + step[1], a.nb[1], &of[1]);
        i64 row = ((i64)i * a.nb[1] + j) * a.nb[2];
        while (sg_any(z <= last)) {
            u32 begin = 0, code = NEAR_HOME;
            i32 count = 0;
            if (z <= last) {
                i32 to = near_home(z, a.nb[2], &of[2]);
                i32 more = a.nb[2] - to < last - z + 1 ? a.nb[2] - to
                                                       : last - z + 1;
                begin = start[row + to];
                count = (i32)(start[row + to + more] - begin);
                code = near_code(of);
                z += more;
            }
            verlet_runs(xs, n, begin, count, code, k, x, a, v, fill, entry,
                        part, close);
        }
    }
}

/* The target whose list threads in step make. */
#define MAKES (GID * (GROUP / SG_SIZE) + LID / SG_SIZE)

FN u32 verlet_aligned(u32 listed)
{
    return (listed + ALIGN - 1) / ALIGN * ALIGN;
}

/* Lengths of lists' parts, and what both take; flag[1] becomes 1 where two
 * sources may meet. */
KERNEL(GROUP) verlet_count(GLOBAL const coord *xs, GLOBAL const u32 *start,
                           i64 n, GLOBAL const coord *xt,
                           GLOBAL const f32 *place, GLOBAL const u32 *cell,
                           GLOBAL u32 *count, GLOBAL u32 *room,
                           GLOBAL u32 *flag, struct near_cells a,
                           struct near_ball g, struct verlet v)
{
    const i64 k = MAKES;
    i32 close = 0;
    if (k >= a.n)
        return;
    struct verlet_part part[2];
    part[0].at = part[1].at = 0;
    part[0].listed = part[1].listed = 0;
    part[0].room = part[1].room = 0;
    verlet_list(xs, start, n, xt, place, cell, k, a, g, v, 0, count, part,
                &close);
    if (close)
        flag[1] = 1;
    if (LANE == 0) {
        count[2 * k] = part[0].listed;
        count[2 * k + 1] = part[1].listed;
        room[k] =
            verlet_aligned(part[0].listed) + verlet_aligned(part[1].listed);
    }
}

KERNEL(GROUP) verlet_fill(GLOBAL const coord *xs, GLOBAL const u32 *start,
                          i64 n, GLOBAL const coord *xt,
                          GLOBAL const f32 *place, GLOBAL const u32 *cell,
                          GLOBAL u32 *count, GLOBAL const u64 *first,
                          GLOBAL u32 *entry, struct near_cells a,
                          struct near_ball g, struct verlet v)
{
    const i64 k = MAKES;
    struct verlet_part part[2];
    i32 close = 0;
    if (k >= a.n)
        return;
    part[0].at = (i64)first[k];
    part[1].at = part[0].at + verlet_aligned(count[2 * k]);
    part[0].listed = part[1].listed = 0;
    part[0].room = count[2 * k]; /* as counted, whatever is rounded here */
    part[1].room = count[2 * k + 1];
    verlet_list(xs, start, n, xt, place, cell, k, a, g, v, 1, entry, part,
                &close);
    for (i32 p = 0; p < 2; p++)
        if (LANE == 0 && part[p].listed < part[p].room)
            count[2 * k + p] = part[p].listed;
}

/* Both at once, into lists of v.room entries each; flag[2] becomes 1 where that
 * is too few. */
KERNEL(GROUP) verlet_once(GLOBAL const coord *xs, GLOBAL const u32 *start,
                          i64 n, GLOBAL const coord *xt,
                          GLOBAL const f32 *place, GLOBAL const u32 *cell,
                          GLOBAL u32 *count, GLOBAL u64 *first,
                          GLOBAL u32 *entry, GLOBAL u32 *flag,
                          struct near_cells a, struct near_ball g,
                          struct verlet v)
{
    const i64 k = MAKES;
    struct verlet_part part[2];
    i32 close = 0;
    if (k >= a.n)
        return;
    part[0].at = k * ((i64)v.room[0] + v.room[1]);
    part[1].at = part[0].at + v.room[0];
    part[0].room = (u32)v.room[0];
    part[1].room = (u32)v.room[1];
    part[0].listed = part[1].listed = 0;
    verlet_list(xs, start, n, xt, place, cell, k, a, g, v, 1, entry, part,
                &close);
    if (close)
        flag[1] = 1;
    if (part[0].listed > part[0].room || part[1].listed > part[1].room)
        flag[2] = 1;
    if (LANE == 0) {
        count[2 * k] = part[0].listed;
        count[2 * k + 1] = part[1].listed;
        first[k] = (u64)part[0].at;
    }
}

/* Points to where they are now; s: [3][n], the caller's order; listed: sorted,
 * where lists were made.  flag[0] becomes 1 where one is too far from there. */
KERNEL(GROUP) verlet_move(GLOBAL const f64 *s, GLOBAL const u32 *order,
                          GLOBAL const f64 *listed, GLOBAL coord *x,
                          GLOBAL u32 *flag, struct near_cells a,
                          struct verlet v)
{
    i64 k = GID * GROUP + LID;
    f64 by[3], now[3], far = 0;
    if (k >= a.n)
        return;
    i64 from = order[k];
    UNROLL
    for (i32 d = 0; d < 3; d++) {
        f64 was = listed[d * a.n + k];
        by[d] = s[d * a.n + from] - was;
        by[d] -= floor(by[d] + 0.5);
        now[d] = was + by[d];
    }
    UNROLL
    for (i32 j = 0; j < 3; j++) {
        f64 at = now[0] * a.a[j] + now[1] * a.a[3 + j] + now[2] * a.a[6 + j];
        f64 step = by[0] * a.a[j] + by[1] * a.a[3 + j] + by[2] * a.a[6 + j];
#if REAL_BITS == 64
        x[j * a.n + k] = at;
#else
        x[j * a.n + k] = (i32)(u32)(i64)floor(at + 0.5);
#endif
        step *= a.per_raw;
        far += step * step;
    }
    if (!(far <= v.moved))
        flag[0] = 1;
}
#endif
