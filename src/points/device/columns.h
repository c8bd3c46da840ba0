/* SPDX-License-Identifier: Apache-2.0 */
/* columns.h: points on a device listed by the mesh columns that their windows
 * touch, for variants in which a warp owns a column.
 *
 * A column is tile_y x tile_z mesh points over all x.  A point of several
 * columns is in the list of each.  A list is ordered by the first plane along
 * x.  Within a plane its order is that of the points' stable sort if there is
 * one, else the caller's.  Warps process tasks: a segment of a column along x,
 * or one of the extra parts into which a segment with many points is cut. */
#ifndef FARSUM_POINTS_DEVICE_COLUMNS_H
#define FARSUM_POINTS_DEVICE_COLUMNS_H

#include "points/device/set.h"
#include "points/device/scan.h"

enum {
    GPU_COLUMNS_LENGTH = 64, /* maximum planes per segment */
    GPU_COLUMNS_CAP = 2048,  /* minimum of the limit on entries per part */
};

struct gpu_columns_shape {
    farsum_precision precision;
    int64_t mesh[3];
    int open[3];
    int support;
    int tile_y, tile_z;
    int by_first;       /* 1: a point is only in the column of its first mesh
                           point; an open axis then has first points before 0 */
    int walk;           /* 1: also, tasks are columns of mesh points, which read
                           all lists that may reach them */
    int sources_y, sources_z; /* maximum number of lists that these read; set by
                                 _shape_set */
    int ring;           /* slots for planes */
    int most_y, most_z; /* maximum number of columns that a point touches; set
                           by _shape_set */
};

/* Host counterpart of the struct in points/device/columns.kh. */
struct columns_args {
    int32_t columns_y, columns_z;
    int32_t segments, length;
    int32_t bins, shift;
    int64_t entries;
    int32_t cap, channel;
    int32_t lists_y, lists_z;
};
_Static_assert(sizeof(struct columns_args) == 48, "as the kernels have it");

struct gpu_columns_lists; /* lists shared by variants of one shape */

/* A variant's view of the lists, and its own division into tasks.  The lists
 * belong to the points.  Variants with equal shapes share them, and they are
 * made once per set of positions. */
struct gpu_columns {
    struct device *device; /* borrowed */
    struct gpu_columns_shape shape;
    struct columns_args args; /* of the last gpu_columns_set */
    int64_t tasks, extras;
    int has_inverse;
    struct jit jit;
    struct kernel keys, fill, invert, parts, part_tasks;
    struct gpu_scan *scan;
    struct buf part, of; /* index of a task's first extra part; task of each
                            part */
    struct gpu_columns_lists *lists;
    /* borrowed from the lists until the points are set again */
    struct buf start;          /* first entry of each list */
    struct buf t, place, item; /* of each entry */
    struct buf inverse;        /* [most_y most_z][n] u32: the entry of a point;
                                  0xffffffff: none */
};

/* Computes the fields that follow from the others. */
void gpu_columns_shape_set(struct gpu_columns_shape *shape);
/* Number of lists along y (d = 1) or z (2). */
int64_t gpu_columns_lists_along(const struct gpu_columns_shape *shape, int d);
/* Number of columns of tasks, along an axis and in total. */
int64_t gpu_columns_along(const struct gpu_columns_shape *shape, int d);
int64_t gpu_columns_count(const struct gpu_columns_shape *shape);
/* Planes per segment if the device holds that many warps. */
int64_t gpu_columns_length(const struct gpu_columns_shape *shape,
                           int64_t warps);
/* Estimates the entries of the fullest task or part.  `entries`: total;
 * `clustering`: fullness of the fullest columns over the mean; warps as in
 * _set. */
double gpu_columns_fullest(const struct gpu_columns_shape *shape,
                           double entries, int64_t warps, double clustering);
/* Number of planes along x in which a window may begin. */
int64_t gpu_columns_bins(const struct gpu_columns_shape *shape);
/* Fails if there are more entries or lists than indices can count. */
farsum_status gpu_columns_fits(const struct gpu_columns_shape *shape,
                               int64_t n);
/* Bytes of the lists and of sorting them. */
int64_t gpu_columns_bytes(const struct gpu_columns_shape *shape, int64_t n,
                          int has_inverse);
/* Seconds to make them, on a device with `share` of an H200's units times
 * clock. */
double gpu_columns_cost(const struct gpu_columns_shape *shape, int64_t n,
                        double share);
/* Bytes that variants of equal shapes share; *key identifies the shape. */
int64_t gpu_columns_shared(const struct gpu_columns_shape *shape, int64_t n,
                           uint64_t *key);

farsum_status gpu_columns_create(struct gpu_columns *columns,
                                 struct device *device,
                                 const struct gpu_columns_shape *shape,
                                 int has_inverse);
void gpu_columns_clear(struct gpu_columns *columns);
/* Makes the lists for the current positions, unless another variant has made
 * them.  warps: the number of the variant's warps that the device can hold. */
farsum_status gpu_columns_set(struct gpu_columns *columns,
                              struct points_gpu *points, int64_t warps);
/* Detaches the lists from points that are destroyed.  Variants keep their
 * lists. */
void gpu_columns_forget(struct points_gpu *points);
#endif
