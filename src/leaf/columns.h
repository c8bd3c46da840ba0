/* columns.h: points by the columns of mesh points that their windows touch, for
 * kernels whose warps own a column (points/gpu_columns.h, which has the host's
 * twin). */
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
};
#endif
