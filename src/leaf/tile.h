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
FN u32 tile_key(GLOBAL const f64 *s, i64 i, struct tile_args a)
{
    u32 bx = (u32)(s[i] * a.scale[0]);
    u32 by = (u32)(s[a.n + i] * a.scale[1]);
    u32 bz = (u32)(s[2 * a.n + i] * a.scale[2]);
    return (bx * (u32)a.nb1 + by) * (u32)a.nb2 + bz;
}
#endif
