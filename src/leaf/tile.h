/* SPDX-License-Identifier: Apache-2.0 */
/* tile.h: the mesh tile that holds a point; the host's is in points/bins.c. */
#ifndef FARSUM_LEAF_TILE_H
#define FARSUM_LEAF_TILE_H

struct tile_args {
    f64 scale[3]; /* tiles along a, b, c */
    i64 n;        /* points; s is [3][n] */
    i32 nb1, nb2;
};

/* floor(s nb) < nb for every s < 1, also rounded: nb/2^53 is more than half of
 * the spacing of doubles just below nb. */
FN u32 tile_key_of(f64 x, f64 y, f64 z, struct tile_args a)
{
    u32 bx = (u32)(x * a.scale[0]);
    u32 by = (u32)(y * a.scale[1]);
    u32 bz = (u32)(z * a.scale[2]);
    return (bx * (u32)a.nb1 + by) * (u32)a.nb2 + bz;
}

FN u32 tile_key(GLOBAL const f64 *s, i64 i, struct tile_args a)
{
    return tile_key_of(s[i], s[a.n + i], s[2 * a.n + i], a);
}

/* A point's coordinates side by side, so that one at random is one read;
 * `real` is f64 where this is used. */
FN void tile_pack(GLOBAL const f64 *s, i64 i, i64 n, GLOBAL real4 *packed)
{
    real4 v;
    v.x = (real)s[i];
    v.y = (real)s[n + i];
    v.z = (real)s[2 * n + i];
    v.w = R(0);
    packed[i] = v;
}

/* Point i to place k of the sorted. */
FN void tile_gather(i64 i, i64 k, i64 n, GLOBAL const f64 *s,
                    GLOBAL const real4 *packed, GLOBAL f64 *sorted, i32 pack)
{
    f64 x, y, z;
    if (pack) {
        real4 v = packed[i];
        x = v.x;
        y = v.y;
        z = v.z;
    } else {
        x = s[i];
        y = s[n + i];
        z = s[2 * n + i];
    }
    sorted[k] = x;
    sorted[n + k] = y;
    sorted[2 * n + k] = z;
}
#endif
