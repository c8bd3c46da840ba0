/* SPDX-License-Identifier: Apache-2.0 */
/* ordering.h: orderings of the points on a device, counted by their holders.
 * The key of an ordering is the version of the positions, its tiles or cells,
 * and whether it is stable or padded. */
#ifndef FARSUM_POINTS_DEVICE_ORDERING_H
#define FARSUM_POINTS_DEVICE_ORDERING_H

#include "points/device/set.h"

/* Replaces *held by a sort of points->s into these tiles; does nothing more if
 * there is one of these positions.  Asynchronous.  On failure *held is NULL.
 *
 * stable = 1: the result is bitwise equal to that of bins_build, for any
 * points.
 *
 * stable = 0: the fastest method; the order within a tile is arbitrary.  Unless
 * points are few, it starts from an existing sort: of equally many points into
 * the same tiles, or a stable one of the same positions into other tiles. */
farsum_status gpu_ordering_sort(struct points_gpu *points, const int32_t nb[3],
                                int stable, struct gpu_ordering **held);
/* The same for cell lists, made in two passes over the points in the caller's
 * order: count and insert.  Every cell's list is padded to a multiple of
 * pad. */
farsum_status gpu_ordering_cells(struct points_gpu *points, const int32_t nb[3],
                                 int32_t pad, struct gpu_ordering **held);
/* Gives *held back and sets it to NULL; NULL is legal.  Its arrays stay as they
 * are until another ordering is made. */
void gpu_ordering_release(struct gpu_ordering **held);
/* A sort of the current positions, stable if wanted; NULL: there is none. */
const struct gpu_ordering *gpu_ordering_current(const struct points_gpu *points,
                                                int stable);

/* Occupation of the tiles of a sort. */
struct gpu_filling {
    int64_t most;   /* points in the fullest tile */
    int64_t held;   /* tiles that hold a point */
    double squares; /* sum of the squares of the counts */
};
/* Waits. */
farsum_status gpu_ordering_measure(struct points_gpu *points,
                                   const struct gpu_ordering *sort,
                                   struct gpu_filling *filling);

/* Host counterpart of the struct in points/device/padded_cells.kh. */
struct cells_args {
    double edge[3];
    int32_t nb[3], more;
};
_Static_assert(sizeof(struct cells_args) == 40,
               "as points/device/padded_cells.kh has it");
struct cells_args gpu_ordering_cells_args(const int64_t mesh[3],
                                          const int32_t nb[3]);

/* Bytes for n points in n_bins tiles; pad 0: of a sort. */
int64_t gpu_ordering_bytes(int64_t n, int64_t n_bins, int32_t pad);
/* Selects tiles of about `edge` mesh points: as many as possible without a
 * shorter one, at least one. */
void gpu_ordering_tiles(const int64_t mesh[3], int edge, int32_t nb[3]);

/* For sort.c and padded_cells.c.  Replaces *held by the ordering of the current
 * positions with this key; `make` makes it if there is none, all but nb, pad, n
 * and version. */
typedef farsum_status gpu_ordering_make(struct points_gpu *points,
                                        const int32_t nb[3], int32_t pad,
                                        int stable,
                                        struct gpu_ordering **made);
farsum_status gpu_ordering_hold(struct points_gpu *points, const int32_t nb[3],
                                int32_t pad, int stable,
                                gpu_ordering_make *make,
                                struct gpu_ordering **held);
/* One that nobody holds, to make another in, except `but`: of the same tiles if
 * possible, else of older positions; or a new one. */
farsum_status gpu_ordering_free(struct points_gpu *points, const int32_t nb[3],
                                int32_t pad, const struct gpu_ordering *but,
                                struct gpu_ordering **found);
/* For points_gpu_destroy. */
void gpu_orderings_clear(struct points_gpu *points);
#endif
