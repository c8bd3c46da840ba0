/* SPDX-License-Identifier: Apache-2.0 */
/* set.h: points on a device.
 *
 * Nothing here waits for the device, but where it says so: sizes that only the
 * device knows are bounded by what the host knows.  Memory grows and is kept.
 * Indices are u32: GPU_POINTS_MOST points at most. */
#ifndef FARSUM_POINTS_DEVICE_SET_H
#define FARSUM_POINTS_DEVICE_SET_H

#include "device/buf.h"
#include "device/compile/jit.h"

struct cell;

#define GPU_POINTS_MOST ((int64_t)0xfffffffe)
#define GPU_BINS_MOST ((int64_t)1 << 31)

/* How a sort was made. */
enum gpu_sort_path {
    GPU_SORT_NONE,
    GPU_SORT_COUNTED, /* by atomics, from the caller's order: few points */
    GPU_SORT_AGAIN,   /* by atomics, from the order of the sort before */
    GPU_SORT_RADIX,   /* by digits, stable */
    GPU_SORT_FROM,    /* by digits, from another order of these positions */
};

/* Points in the order of the mesh tiles that hold them, as bins.h. */
struct gpu_sort {
    int32_t nb[3];
    int64_t n, n_bins;
    int stable; /* 1: within a tile in the caller's order */
    enum gpu_sort_path path;
    int64_t version;  /* of the positions */
    struct buf start; /* [n_bins + 1] u32; tile (bx*nb1 + by)*nb2 + bz */
    struct buf order; /* [n] u32: caller's index of the k-th sorted point */
    struct buf s;     /* [3][n] f64: fractional coordinates, sorted */
};

/* Padded cell lists: cell b holds items start[b] .. start[b + 1], the holes
 * among them, last in their cell, are GPU_CELLS_HOLE. */
struct gpu_cells {
    int32_t nb[3], pad;
    int64_t n_bins;
    int64_t room; /* items that there may be; start[n_bins] says how many */
    int64_t version;
    struct buf start; /* [n_bins + 1] u32, multiples of pad */
    struct buf item;  /* [room] u32: caller's indices, in any order in a cell */
};
#define GPU_CELLS_HOLE 0xffffffffu

/* Positions as they were given, and what fractions are of; as
 * points/device/caller_points.kh has it. */
enum gpu_given_kind { GPU_GIVEN_THERE, GPU_GIVEN_CELL, GPU_GIVEN_REGION };
struct gpu_given {
    double inv[9], corner[3], edge[3], far_away, unit;
    int32_t kind, wide;
};
_Static_assert(sizeof(struct gpu_given) == 144, "as the kernels have it");

struct points_gpu {
    struct device *device; /* borrowed */
    int64_t n;
    int64_t version;      /* counts the sets; 0: none yet */
    struct buf x;         /* [n][3] as they were given, borrowed until the
                             next set */
    struct gpu_given given; /* of x: fractions of the cell */
    int placed;             /* 1: their fractions are in s */
    struct buf s;         /* [3][n] f64 in [0, 1), caller's order */
    struct gpu_sort sort; /* the last one that was asked for */
    struct gpu_cells cells;
    struct gpu_columns_lists *lists; /* columns.c: those of variants */
    struct gpu_inside *inside; /* owned: kernels and scratch */
};

/* The kernels that sort about n points, where they are compiled beside others:
 * elsewhere whoever sorts first compiles them. */
farsum_status points_gpu_ahead(struct points_gpu *points, int64_t n);
farsum_status points_gpu_create(struct device *device,
                                struct points_gpu **points);
void points_gpu_destroy(struct points_gpu *points); /* NULL is legal */

/* As points_set, of a host array; waits, and fails as it does. */
farsum_status points_gpu_set(struct points_gpu *points, const struct cell *cell,
                             int64_t n, const void *x, farsum_precision arrays,
                             const char *what);
/* Of an array on the device, which is borrowed until the next set.  What is
 * bad about it is said by points_gpu_check; until then a bad point stands
 * somewhere in the cell. */
farsum_status points_gpu_set_device(struct points_gpu *points,
                                    const struct cell *cell, int64_t n,
                                    const struct buf *x,
                                    farsum_precision arrays, const char *what);
/* The same for who takes positions from where they are, points->x: nothing is
 * done, and points->s is not there until points_gpu_fractions puts it there.
 * Who goes through all of them may leave points_gpu_flag's serial in its flag
 * for bad ones; else points_gpu_check has to. */
farsum_status points_gpu_look(struct points_gpu *points,
                              const struct cell *cell, int64_t n,
                              const struct buf *x, farsum_precision arrays,
                              const char *what);
farsum_status points_gpu_fractions(struct points_gpu *points);
int32_t points_gpu_flag(struct points_gpu *points, const struct buf **flag);
/* Waits, the first time after a set: OK, or the message of points_set. */
farsum_status points_gpu_check(struct points_gpu *points);

/* What holds the points that are not bad; without any, lo is infinite and
 * above hi. */
struct gpu_box {
    double lo[3], hi[3];     /* as they were given, caller's length unit */
    double s_lo[3], s_hi[3]; /* fractional, wrapped */
};
/* Waits, the first time after a set. */
farsum_status points_gpu_box(struct points_gpu *points, struct gpu_box *box);

/* Sorts points->s into points->sort; does nothing if that is what the last
 * sort of these positions was.  stable = 1: the result of bins_build, bit by
 * bit, whatever the points.  stable = 0: the fastest way, which may leave any
 * order within a tile; a sort that is there, of as many points into the same
 * tiles, is where the next one starts from unless there are few of them; and
 * so is a stable one of the same positions into others. */
farsum_status gpu_sort_build(struct points_gpu *points, const int32_t nb[3],
                             int stable);
/* Compiles what build needs, and takes its memory for n points. */
farsum_status gpu_sort_reserve(struct points_gpu *points, const int32_t nb[3],
                               int64_t n, int stable);

/* A stable sort of a room's own keys by the scratch of the points' sorts.
 * room: where to write n keys, u32 below n_bins.  sort: order [n] u32, the
 * index of the k-th key; start [n_bins + 1] u32, where those of a value
 * begin. */
farsum_status gpu_keys_room(struct points_gpu *points, int64_t n,
                            int64_t n_bins, struct buf **keys);
farsum_status gpu_keys_sort(struct points_gpu *points, int64_t n,
                            int64_t n_bins, struct buf *order,
                            struct buf *start);

/* The same of keys of so many bits, at most 32, and without where values begin.
 * given: the keys' own indices, [n] u32, not order; NULL: 0, 1, 2 ...  Longer
 * keys are sorted by their lower halves, then by their upper ones in that
 * order. */
farsum_status gpu_keys_order(struct points_gpu *points, int64_t n, int bits,
                             const struct buf *given, struct buf *order);

/* How the tiles of the last sort are filled. */
struct gpu_filling {
    int64_t most;   /* points in the fullest tile */
    int64_t held;   /* tiles that hold a point */
    double squares; /* sum of the squares of the counts */
};
/* Waits. */
farsum_status gpu_sort_measure(struct points_gpu *points,
                               struct gpu_filling *filling);

/* Two passes over the points as they come, count and insert; every cell's list
 * is filled up to a multiple of pad. */
farsum_status gpu_cells_build(struct points_gpu *points, const int32_t nb[3],
                              int32_t pad);
#endif
