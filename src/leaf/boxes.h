/* SPDX-License-Identifier: Apache-2.0 */
/* boxes.h: trees on devices: which boxes a group works on, and where their
 * numbers lie (points/tree/tree_set.h has the order of a dense tree's boxes,
 * points/tree/tree_device_set.h that of a sparse one's). */
#ifndef FARSUM_LEAF_BOXES_H
#define FARSUM_LEAF_BOXES_H

#define BOXES_LEVELS 10

/* As stage/boxes_gpu.h has it: of levels 0 .. BOXES_LEVELS. */
struct boxes_levels {
    i64 stride;
    i64 first[BOXES_LEVELS + 1];   /* box of a level */
    i64 near[BOXES_LEVELS + 1];    /* where the near boxes of the level above
                                      begin, [side^3][its boxes] */
    i32 parents[BOXES_LEVELS + 1]; /* boxes of the level above */
    i32 begin[BOXES_LEVELS + 2];   /* group of a level */
    i32 depth, list, sparse;
    /* of a sparse tree: its slots, and where in their lists
     * (points/tree/tree_device_set.h)
       children and parents begin; near ones at 0 */
    i64 slots, child, above;
};

/* What a group does: boxes of one octant whose parents are parent, parent + 1,
 * ..., and one of PARTS parts of the rest. */
struct boxes_run {
    i32 octant, part, parent, parents;
    i64 first, near;
};

FN struct boxes_run boxes_run_of(struct boxes_levels a, i32 parts, i32 width,
                                 i32 group)
{
    struct boxes_run r;
    i32 level = 1;
    while (level < a.depth && group >= a.begin[level + 1])
        level++;
    group -= a.begin[level];
    r.part = group % parts;
    group /= parts;
    r.octant = group % 8;
    r.parent = group / 8 * width;
    r.parents = a.parents[level];
    r.first = a.first[level];
    r.near = a.near[level];
    return r;
}

FN struct boxes_run boxes_run(struct boxes_levels a, i32 parts, i32 width)
{
    return boxes_run_of(a, parts, width, (i32)GID);
}

/* Of a sparse tree: what group `group` does is in runs, boxes parent, parent +
 * 1, ... below parents; they stand for themselves. */
FN struct boxes_run boxes_sparse_run(GLOBAL const i32 *runs, i32 parts,
                                     i64 group)
{
    struct boxes_run r;
    runs += group / parts * 4;
    r.part = (i32)(group % parts);
    r.octant = runs[0];
    r.parent = runs[1];
    r.parents = runs[2];
    r.first = 0;
    r.near = 0;
    return r;
}

/* The slot that a box's parent is, -1: the box is beyond the run. */
FN i32 boxes_sparse_slot(GLOBAL const i32 *lists, struct boxes_levels a,
                         struct boxes_run r, i32 box)
{
    return box < r.parents ? lists[a.above + box] : -1;
}

/* The box of an octant in slot number `of` near one, -1: there is none. */
FN i64 boxes_sparse_near(GLOBAL const i32 *lists, struct boxes_levels a, i32 of,
                         i32 octant, i32 slot)
{
    i32 at = slot < 0 ? -1 : lists[of * a.slots + slot];
    return at < 0 ? -1 : lists[a.child + octant * a.slots + at];
}

/* The box of an octant whose parent is near box number `of` of a parent, -1:
 * there is none. */
FN i64 boxes_near(GLOBAL const i32 *near, struct boxes_run r, i32 of,
                  i32 octant, i32 parent)
{
    i32 at = parent < r.parents
                 ? near[r.near + (i64)of * r.parents + parent]
                 : -1;
    return at < 0 ? -1 : r.first + (i64)octant * r.parents + at;
}
#endif
