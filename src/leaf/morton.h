/* SPDX-License-Identifier: Apache-2.0 */
/* morton.h: Morton keys of places, x the lowest bit (points/tree/tree_set.h),
 * and what is known of places and runs from sorted keys. */
#ifndef FARSUM_LEAF_MORTON_H
#define FARSUM_LEAF_MORTON_H

/* A region of root[0] x root[1] x root[2] root boxes, and its points: depth is
 * the level of their keys; a box of more than `leaf` is divided.  n: of these,
 * sources and targets together but where one side is worked on. */
struct tree_region {
    f64 corner[3], edge[3];
    f64 box[3], h0; /* edges of a box over its h; h of a root box */
    f64 unit;       /* lengths that are given, times unit, are the tree's */
    i64 n, leaf;
    i32 root[3], periodic[3];
    i32 depth, ws;
    i32 wide;      /* 1: lengths are f64 */
    i32 fractions; /* 1: points are fractions of the region, [3][n] f64 */
};

/* The lists of slots (points/tree/tree_device_set.h): where their parts begin,
 * after the near slots. */
struct tree_lists {
    i64 slots, boxes, leaves;
    i64 child, own, parent;
};

/* Bits of a place, every third bit, and back. */
FN u64 morton_spread(u64 x)
{
    x &= 0x1fffff;
    x = (x | x << 32) & 0x1f00000000ffff;
    x = (x | x << 16) & 0x1f0000ff0000ff;
    x = (x | x << 8) & 0x100f00f00f00f00f;
    x = (x | x << 4) & 0x10c30c30c30c30c3;
    return (x | x << 2) & 0x1249249249249249;
}
FN i32 morton_gather(u64 x)
{
    x &= 0x1249249249249249;
    x = (x | x >> 2) & 0x10c30c30c30c30c3;
    x = (x | x >> 4) & 0x100f00f00f00f00f;
    x = (x | x >> 8) & 0x1f0000ff0000ff;
    x = (x | x >> 16) & 0x1f00000000ffff;
    return (i32)((x | x >> 32) & 0x1fffff);
}
FN u64 morton_key(const i32 place[3])
{
    return morton_spread((u64)place[0]) | morton_spread((u64)place[1]) << 1
           | morton_spread((u64)place[2]) << 2;
}
FN void morton_place(u64 key, i32 place[3])
{
    UNROLL
    for (i32 d = 0; d < 3; d++)
        place[d] = morton_gather(key >> d);
}

/* The key of the place `step` from one of a level, wrapped on periodic axes;
 * 0: it is outside. */
FN i32 morton_near(const i32 place[3], const i32 step[3], struct tree_region a,
                   i32 level, u64 *key)
{
    i32 at[3], inside = 1;
    UNROLL
    for (i32 d = 0; d < 3; d++) {
        i32 n = a.root[d] << level;
        at[d] = place[d] + step[d];
        if (a.periodic[d])
            at[d] = (at[d] % n + n) % n;
        inside &= at[d] >= 0 && at[d] < n;
    }
    *key = morton_key(at);
    return inside;
}
/* Step number e of [2 ws + 1]^3, x fastest. */
FN void morton_step(i32 e, i32 ws, i32 step[3])
{
    i32 side = 2 * ws + 1;
    step[0] = e % side - ws;
    step[1] = e / side % side - ws;
    step[2] = e / side / side - ws;
}

/* The deepest level at which two keys are of one box, -1: none. */
FN i32 morton_common(u64 a, u64 b, i32 depth)
{
    u64 v = a ^ b;
    v |= v >> 1;
    v |= v >> 2;
    v |= v >> 4;
    v |= v >> 8;
    v |= v >> 16;
    v |= v >> 32;
    i32 level = depth - (POPCOUNT64(v) + 2) / 3;
    return level > -1 ? level : -1;
}

/* The first of key[from, to) that is not below wanted. */
FN i64 morton_find(GLOBAL const u64 *key, i64 from, i64 to, u64 wanted)
{
    while (from < to) {
        i64 middle = from + (to - from) / 2;
        if (key[middle] < wanted)
            from = middle + 1;
        else
            to = middle;
    }
    return from;
}
#endif
