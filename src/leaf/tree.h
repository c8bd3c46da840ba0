/* SPDX-License-Identifier: Apache-2.0 */
/* tree.h: places, numbers and near lists of boxes (points/tree/tree_set.h). */
#ifndef FARSUM_LEAF_TREE_H
#define FARSUM_LEAF_TREE_H

/* An entry of a sparse tree's near list: a leaf of sources, its h over that of
 * the targets' leaf, its centre minus theirs in units of their h. */
struct tree_near {
    u32 leaf;
    f32 scale;
    f64 offset[3];
};

/* What f32 leaves of coordinates in a box, |x| <= 1/2 but for rounding: ten
 * bits each, in units of 2^-34, as tree_low_of of the host. */
FN u32 tree_low(f64 x, f64 y, f64 z)
{
    f64 v[3];
    u32 low = 0;
    v[0] = x - (f64)(f32)x;
    v[1] = y - (f64)(f32)y;
    v[2] = z - (f64)(f32)z;
    UNROLL
    for (i32 d = 0; d < 3; d++) {
        i32 part = (i32)floor(v[d] * 17179869184.0 + 0.5) + 512;
        part = part < 0 ? 0 : part > 1023 ? 1023 : part;
        low |= (u32)part << 10 * d;
    }
    return low;
}

/* Square of a distance, in a leaf's h, below which pairs are told of these
 * bits: at 1/32 a pair's force errs by 6e-7 without. */
#define TREE_CLOSE 9.765625e-4

FN f32 tree_low_part(u32 low, i32 d)
{
    return (f32)((i32)(low >> 10 * d & 1023) - 512) * 5.8207660913467407e-11f;
}

/* The number of a place in its level: octants of all levels above, then the
 * root box. */
FN i64 tree_number(i32 x, i32 y, i32 z, i32 level, i32 root_x, i32 root_y,
                   i64 roots)
{
    i64 number = 0, above = roots;
    for (i32 bit = level - 1; bit >= 0; bit--) {
        i64 octant = (x >> bit & 1) | (y >> bit & 1) << 1 | (z >> bit & 1) << 2;
        number += octant * above;
        above *= 8;
    }
    return number
           + ((i64)(z >> level) * root_y + (y >> level)) * root_x
           + (x >> level);
}

/* And back; 32 bits number the boxes of a device. */
FN void tree_place(i64 number, i32 level, i32 root_x, i32 root_y, i64 roots,
                   i32 place[3])
{
    u32 above = (u32)(roots << (3 * level)), rest = (u32)number;
    place[0] = place[1] = place[2] = 0;
    for (i32 bit = 0; bit < level; bit++) {
        above /= 8;
        i32 octant = (i32)(rest / above);
        rest -= (u32)octant * above;
        place[0] |= (octant & 1) << bit;
        place[1] |= (octant >> 1 & 1) << bit;
        place[2] |= (octant >> 2) << bit;
    }
    u32 row = rest / (u32)root_x;
    place[0] |= (i32)(rest - row * (u32)root_x) << level;
    place[1] |= (i32)(row % (u32)root_y) << level;
    place[2] |= (i32)(row / (u32)root_y) << level;
}
#endif
