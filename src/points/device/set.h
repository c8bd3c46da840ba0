/* SPDX-License-Identifier: Apache-2.0 */
/* set.h: points on a device.
 *
 * Functions are asynchronous unless stated otherwise: sizes that only the
 * device knows are bounded by values that the host knows.  Memory grows and is
 * reused.  Indices are u32, so there are at most GPU_POINTS_MOST points. */
#ifndef FARSUM_POINTS_DEVICE_SET_H
#define FARSUM_POINTS_DEVICE_SET_H

#include "device/buf.h"
#include "device/compile/jit.h"

struct cell;

#define GPU_POINTS_MOST ((int64_t)0xfffffffe)
#define GPU_BINS_MOST ((int64_t)1 << 31)

/* The method of a sort. */
enum gpu_sort_path {
    GPU_SORT_NONE,
    GPU_SORT_COUNTED, /* by atomics, from the caller's order; for few points */
    GPU_SORT_AGAIN,   /* by atomics, from the order of the previous sort */
    GPU_SORT_RADIX,   /* by digits, stable */
    GPU_SORT_FROM,    /* by digits, from another order of these positions */
};

/* An ordering of the points: sorted by the mesh tiles that hold them, as in
 * bins.h, or in padded lists of cells.  Variants hold the orderings that they
 * need (points/device/ordering.h).  The points keep those that nobody holds,
 * and make the next ones in their memory. */
struct gpu_ordering {
    int32_t nb[3];
    int32_t pad;        /* cells: each list is a multiple of it, with holes at
                           its end; a sort: 0 */
    int stable;         /* 1: within a tile in the caller's order */
    enum gpu_sort_path path; /* a sort; NONE: not made */
    int64_t version;    /* of the positions; 0: not made */
    int64_t n, n_bins;
    int64_t capacity;   /* of item; cells: the actual number is start[n_bins] */
    struct buf start;   /* [n_bins + 1] u32; tile (bx*nb1 + by)*nb2 + bz */
    struct buf item;    /* [capacity] u32: caller's indices.  Cells: in any
                           order within a cell, or GPU_CELLS_HOLE */
    struct buf s;       /* a sort: [3][n] f64: fractional coordinates, sorted */
    int holders;        /* variants that hold it */
    int kept;           /* 1: it is in the points' list */
    struct gpu_ordering *next;
};
#define GPU_CELLS_HOLE 0xffffffffu

/* Properties of the caller's positions, for computing fractions; as in
 * points/device/caller_points.kh. */
enum gpu_given_kind { GPU_GIVEN_THERE, GPU_GIVEN_CELL, GPU_GIVEN_REGION };
struct gpu_given {
    double inv[9], corner[3], edge[3], far_away, unit;
    int32_t kind, wide;
};
_Static_assert(sizeof(struct gpu_given) == 144, "as the kernels have it");

struct points_gpu {
    struct device *device; /* borrowed */
    int64_t n;
    int64_t version;      /* number of sets so far; 0: none */
    struct buf x;         /* [n][3] the caller's positions, borrowed until the
                             next set */
    struct gpu_given given; /* how to compute fractions of the cell from x */
    int placed;             /* 1: the fractions are in s */
    struct buf s;         /* [3][n] f64 in [0, 1), caller's order */
    struct gpu_ordering *orderings; /* owned unless held */
    struct gpu_columns_lists *lists; /* columns.c: shared by variants */
    struct gpu_inside *inside; /* owned; kernels and scratch */
};

/* Compiles the kernels that sort about n points, if several kernels are
 * compiled concurrently.  Otherwise the first sort compiles them. */
farsum_status points_gpu_ahead(struct points_gpu *points, int64_t n);
farsum_status points_gpu_create(struct device *device,
                                struct points_gpu **points);
void points_gpu_destroy(struct points_gpu *points); /* NULL is legal */

/* Sets points from a host array, as points_set does.  Waits, and fails in the
 * same cases. */
farsum_status points_gpu_set(struct points_gpu *points, const struct cell *cell,
                             int64_t n, const void *x, farsum_precision arrays,
                             const char *what);
/* Sets points from a device array, which is borrowed until the next set.
 * points_gpu_check reports invalid points; until then such a point is somewhere
 * in the cell. */
farsum_status points_gpu_set_device(struct points_gpu *points,
                                    const struct cell *cell, int64_t n,
                                    const struct buf *x,
                                    farsum_precision arrays, const char *what);
/* The same for callers that read positions directly from points->x.  Nothing is
 * computed, and points->s is invalid until points_gpu_fractions fills it.  A
 * kernel that reads all points may report bad ones: it writes the serial to the
 * flag, both from points_gpu_flag.  Otherwise points_gpu_check finds them. */
farsum_status points_gpu_look(struct points_gpu *points,
                              const struct cell *cell, int64_t n,
                              const struct buf *x, farsum_precision arrays,
                              const char *what);
farsum_status points_gpu_fractions(struct points_gpu *points);
int32_t points_gpu_flag(struct points_gpu *points, const struct buf **flag);
/* Checks the positions: OK, or the message of points_set.  Waits at the first
 * call after a set. */
farsum_status points_gpu_check(struct points_gpu *points);

/* Bounding box of the valid points.  Without any, lo is infinite and above
 * hi. */
struct gpu_box {
    double lo[3], hi[3];     /* the caller's positions, in the caller's length
                                unit */
    double s_lo[3], s_hi[3]; /* fractional, wrapped */
};
/* Waits at the first call after a set. */
farsum_status points_gpu_box(struct points_gpu *points, struct gpu_box *box);

/* Sorts a caller's own keys, stable, with the scratch of the points' sorts.
 * gpu_keys_reserve returns the buffer for n keys, u32 below n_bins.
 * gpu_keys_sort returns order [n] u32, the index of the k-th key, and start
 * [n_bins + 1] u32, the first key of each value. */
farsum_status gpu_keys_reserve(struct points_gpu *points, int64_t n,
                               int64_t n_bins, struct buf **keys);
farsum_status gpu_keys_sort(struct points_gpu *points, int64_t n,
                            int64_t n_bins, struct buf *order,
                            struct buf *start);

/* Sorts keys of `bits` bits, at most 32, without the starts.  given: the keys'
 * own indices, [n] u32, not order; NULL: 0, 1, 2 ... Longer keys are sorted by
 * their lower halves, then from that order by their upper halves. */
farsum_status gpu_keys_order(struct points_gpu *points, int64_t n, int bits,
                             const struct buf *given, struct buf *order);

#endif
