/* SPDX-License-Identifier: Apache-2.0 */
/* columns.h: points on a device by the columns of mesh points that their
 * windows touch, for rows whose warps own a column.
 *
 * A column is tile_y x tile_z mesh points over all x.  A point of several
 * columns is in the list of each; a list is in the order of the first plane
 * along x, and within it in that of the points' stable sort if there is one,
 * else of the caller.  Warps take tasks: a column's segment
 * of x, or one of the extra parts into which a crowded one is cut. */
#ifndef FARSUM_POINTS_DEVICE_COLUMNS_H
#define FARSUM_POINTS_DEVICE_COLUMNS_H

#include "points/device/set.h"
#include "points/device/scan.h"

enum {
    GPU_COLUMNS_LENGTH = 64, /* planes of a segment at most */
    GPU_COLUMNS_CAP = 2048,  /* entries of a part at least */
};

struct gpu_columns_shape {
    farsum_precision precision;
    int64_t mesh[3];
    int open[3];
    int support;
    int tile_y, tile_z;
    int by_first;       /* 1: a point is in the column of its first mesh point
                           alone; an open axis then has first points before 0 */
    int walk;           /* and 1: tasks are columns of mesh points all the same,
                           which read the lists that may reach them */
    int sources_y, sources_z; /* lists that those are at most; by _shape_set */
    int ring;           /* slots of planes */
    int most_y, most_z; /* columns that a point may touch; by _shape_set */
};

/* The host's twin of points/device/columns.kh. */
struct columns_args {
    int32_t columns_y, columns_z;
    int32_t segments, length;
    int32_t bins, shift;
    int64_t entries;
    int32_t cap, channel;
    int32_t lists_y, lists_z;
};
_Static_assert(sizeof(struct columns_args) == 48, "as the kernels have it");

struct gpu_columns_lists; /* what rows of one shape share */

/* A row's view of the lists, and its own cut of them into tasks.  The lists
 * belong to the points: rows whose shapes agree have the same ones, which are
 * made once for each set of positions. */
struct gpu_columns {
    struct device *device; /* borrowed */
    struct gpu_columns_shape shape;
    struct columns_args args; /* of the last set */
    int64_t tasks, extras;
    int has_inverse;
    struct jit jit;
    struct kernel keys, fill, invert, parts, part_tasks;
    struct gpu_scan *scan;
    struct buf part, of; /* where a task's extras begin; their task */
    struct gpu_columns_lists *lists;
    /* borrowed from them until the points are set again */
    struct buf start;          /* where the lists begin among the entries */
    struct buf t, place, item; /* of each entry */
    struct buf inverse;        /* [most_y most_z][n] u32: the entry of a point,
                                  0xffffffff: none */
};

/* Fills in what follows from the rest. */
void gpu_columns_shape_set(struct gpu_columns_shape *shape);
/* Lists along y (d = 1) or z (2). */
int64_t gpu_columns_lists_along(const struct gpu_columns_shape *shape, int d);
/* Columns of tasks, along an axis and all. */
int64_t gpu_columns_along(const struct gpu_columns_shape *shape, int d);
int64_t gpu_columns_count(const struct gpu_columns_shape *shape);
/* Planes of a segment, for so many warps that the device holds at once. */
int64_t gpu_columns_length(const struct gpu_columns_shape *shape,
                           int64_t warps);
/* About the entries of the fullest task or part of `entries`, where columns are
 * `crowd` times fuller than the mean; warps as in _set. */
double gpu_columns_fullest(const struct gpu_columns_shape *shape,
                           double entries, int64_t warps, double crowd);
/* Planes along x that a window may begin in. */
int64_t gpu_columns_bins(const struct gpu_columns_shape *shape);
/* Not more than indices can count. */
farsum_status gpu_columns_fits(const struct gpu_columns_shape *shape,
                               int64_t n);
/* Lists, and what it takes to sort them. */
int64_t gpu_columns_bytes(const struct gpu_columns_shape *shape, int64_t n,
                          int has_inverse);
/* Seconds of making them, on a device of `share` of an H200's units and clock.
 */
double gpu_columns_cost(const struct gpu_columns_shape *shape, int64_t n,
                        double share);
/* What rows whose shapes agree have once; *key is that of the shape. */
int64_t gpu_columns_shared(const struct gpu_columns_shape *shape, int64_t n,
                           uint64_t *key);

farsum_status gpu_columns_create(struct gpu_columns *columns,
                                 struct device *device,
                                 const struct gpu_columns_shape *shape,
                                 int has_inverse);
void gpu_columns_clear(struct gpu_columns *columns);
/* Lists of the points as they are set, made here or by a row before.  warps:
 * how many of the row's the device holds at once. */
farsum_status gpu_columns_set(struct gpu_columns *columns,
                              struct points_gpu *points, int64_t warps);
/* The points go; rows that have lists of theirs keep them. */
void gpu_columns_forget(struct points_gpu *points);
#endif
