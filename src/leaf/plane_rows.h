/* SPDX-License-Identifier: Apache-2.0 */
/* plane_rows.h: a kernel that takes rows apart, [parent][number][octant], in
 * which the numbers of a parent's eight children are side by side.  Who
 * includes it has leaf/boxes.h. */
#ifndef FARSUM_LEAF_PLANE_ROWS_H
#define FARSUM_LEAF_PLANE_ROWS_H

/* Numbers: N0 of the class that no mirror changes, N1, N2, N3 of each that one,
 * two, three axes' mirrors do. */
#define K (N0 + 3 * N1 + 3 * N2 + N3)
#define SIZE_OF(f)                                                             \
    ((f) == 0 ? N0 : (f) == 7 ? N3 : ((f) & ((f)-1)) == 0 ? N1 : N2)
#define LANES 32
#define TILE 8 /* numbers that are copied at once */
#define COPIES (8 * LANES)

/* LANES parents, and in place of an octant which eighth of the numbers; those
 * of a sparse tree are its slots. */
FN struct boxes_run plane_run(struct boxes_levels a)
{
    struct boxes_run r;
    i32 group = (i32)GID;
    r.parents = a.sparse ? (i32)a.slots : a.parents[1];
    r.first = a.sparse ? a.slots : a.first[1];
    UNROLL /* places that are known: the struct stays where it is */
        for (i32 level = 2; level <= BOXES_LEVELS;
             level++) if (!a.sparse && level <= a.depth
                          && (i32)GID >= a.begin[level])
    {
        group = (i32)GID - a.begin[level];
        r.parents = a.parents[level];
        r.first = a.first[level];
    }
    r.part = 0;
    r.octant = group % 8;
    r.parent = group / 8 * LANES;
    r.near = 0;
    return r;
}

/* The box of a parent's child, -1: there is none. */
FN i64 plane_child_of(GLOBAL const i32 *near, struct boxes_run r, i32 octant,
                      i32 parent, struct boxes_levels a)
{
    if (parent >= r.parents)
        return -1;
    if (a.sparse)
        return near[a.child + octant * a.slots + parent];
    return r.first + (i64)octant * r.parents + parent;
}

KERNEL(COPIES)
plane_columns(GLOBAL real *RESTRICT sums, GLOBAL const real *RESTRICT rows,
              GLOBAL const i32 *RESTRICT cut, GLOBAL const i32 *RESTRICT near,
              struct boxes_levels a)
{
    LOCAL real tile[LANES * (8 * TILE + 1)];
    struct boxes_run r = plane_run(a);
    i32 octant = LID / LANES, lane = LID % LANES;
    i32 first = r.octant * K / 8, last = (r.octant + 1) * K / 8;
    i64 above = r.first - r.parents + r.parent;
    i64 child = plane_child_of(near, r, octant, r.parent + lane, a);
    for (i32 k = first; k < last; k += TILE) {
        i32 n = last - k < TILE ? last - k : TILE;
        BARRIER();
        UNROLL
        for (i32 part = 0; part < TILE; part++) {
            i32 i = part * COPIES + LID;
            i32 parent = i / (8 * TILE), j = i % (8 * TILE);
            if (r.parent + parent < r.parents && j < 8 * n)
                tile[parent * (8 * TILE + 1) + j] =
                    rows[((above + parent) * K + k) * 8 + j];
        }
        BARRIER();
        UNROLL
        for (i32 j = 0; j < TILE; j++)
            if (child >= 0 && j < n)
                sums[cut[k + j] * a.stride + child] =
                    tile[lane * (8 * TILE + 1) + 8 * j + octant];
    }
}
#endif
