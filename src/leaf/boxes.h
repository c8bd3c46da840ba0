/* boxes.h: dense trees on devices: which boxes a group works on, and where
 * their numbers lie (points/tree.h has the order of boxes). */
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
    i32 depth, list, unused;
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
