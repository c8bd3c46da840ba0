/* tree.h: places, numbers and near lists of boxes (points/tree.h). */
#ifndef FARSUM_LEAF_TREE_H
#define FARSUM_LEAF_TREE_H

/* An entry of a sparse tree's near list: a leaf of sources, its h over that of
 * the targets' leaf, its centre minus theirs in units of their h. */
struct tree_near {
    u32 leaf;
    f32 scale;
    f64 offset[3];
};

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
