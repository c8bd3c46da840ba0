/* SPDX-License-Identifier: Apache-2.0 */
/* columns.h: points by the columns of mesh points that their windows touch, for
 * kernels whose warps own a column (points/device/columns.h, which has the
 * host's twin). */
#ifndef FARSUM_LEAF_COLUMNS_H
#define FARSUM_LEAF_COLUMNS_H

struct columns_args {
    i32 columns_y, columns_z; /* of TILE_Y x TILE_Z mesh points */
    i32 segments, length;     /* of x, and their planes; the last is shorter */
    i32 bins;                 /* first planes that there are: mesh0, or
                                 mesh0 + SUPPORT - 1 if x is open */
    i32 shift;                /* plane of bin 0: 0, or 1 - SUPPORT */
    i64 entries;              /* room of each array of the list */
    i32 cap;                  /* entries of a part of a task */
    i32 channel;              /* a room's own: the first of those at work */
    i32 lists_y, lists_z;     /* columns that have a list */
};

/* What is at work: a column's segment of x, or one of its extra parts. */
struct columns_task {
    i64 task, more;  /* more: the extra part, -1: none */
    i32 y, z;        /* of the column */
    i32 bin0, bins;  /* first planes of the segment */
};

/* A task's first part. */
FN struct columns_task columns_task(i64 task, struct columns_args s)
{
    i32 column = (i32)(task / s.segments);
    struct columns_task t;
    t.task = task;
    t.more = -1;
    t.y = column / s.columns_z;
    t.z = column % s.columns_z;
    t.bin0 = (i32)(task % s.segments) * s.length;
    t.bins = s.bins - t.bin0 < s.length ? s.bins - t.bin0 : s.length;
    return t;
}

/* The k-th of all: the tasks, then the extra parts; 0: there is none.  of,
 * parts: the task of each extra part, where a task's extra parts begin. */
FN i32 columns_task_find(struct columns_task *t, i64 k,
                         GLOBAL const u32 *RESTRICT of,
                         GLOBAL const u32 *RESTRICT parts,
                         struct columns_args s)
{
    i64 tasks = (i64)s.columns_y * s.columns_z * s.segments, more = k - tasks;
    if (more >= 0 && more >= (i64)parts[tasks])
        return 0;
    *t = columns_task(more >= 0 ? (i64)of[more] : k, s);
    t->more = more >= 0 ? more : -1;
    return 1;
}

/* Of a segment's entries *at .. *to those of this part. */
FN void columns_task_cut(const struct columns_task *t, u32 *at, u32 *to,
                         GLOBAL const u32 *RESTRICT parts,
                         struct columns_args s)
{
    if (t->more >= 0)
        *at += (u32)s.cap * ((u32)t->more - parts[t->task] + 1);
    *to = *to - *at > (u32)s.cap ? *at + (u32)s.cap : *to;
}

/* Lists are by first mesh points (BY_FIRST).  The k-th one along an axis whose
 * points may reach the mesh points of column c, -1 past the last; *shift, added
 * to a place in that list, is seen from the column's corner.  What a window of
 * the list does not reach has no weight there; on a small mesh a list may come
 * twice, from either side. */
FN i32 columns_source(i32 c, i32 mesh, i32 open, i32 edge, i32 k, i32 *shift)
{
    i32 low = c * edge, end = low + edge < mesh ? low + edge : mesh;
    i32 many = open ? mesh + SUPPORT - 1 : mesh; /* first points */
    i32 pos = low - SUPPORT + 1;
    *shift = 0;
    while (pos < end) {
        i32 w = open ? pos + SUPPORT - 1 : mesh_index(pos, mesh, 0);
        i32 list = w / edge;
        i32 last = (list + 1) * edge < many ? (list + 1) * edge : many;
        if (k == 0) {
            *shift = pos - w + list * edge - low;
            return list;
        }
        k--;
        pos += last - w;
    }
    return -1;
}
#endif
