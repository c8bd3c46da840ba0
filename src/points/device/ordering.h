/* SPDX-License-Identifier: Apache-2.0 */
/* ordering.h: a variant's own copy of a sort or of cell lists.  It stays valid
 * when another variant sorts the points differently. */
#ifndef FARSUM_POINTS_DEVICE_ORDERING_H
#define FARSUM_POINTS_DEVICE_ORDERING_H

#include "points/device/set.h"

struct gpu_kept {
    int64_t n, n_bins;
    int64_t capacity;     /* capacity in items; for a sort, n */
    struct buf start; /* [n_bins + 1] u32 */
    struct buf item;  /* [capacity] u32: caller's indices; holes as in
                         stage/device.h */
    struct buf s;     /* only for a sort: [3][n] f64, sorted */
};

/* Host counterpart of the struct in points/device/padded_cells.kh. */
struct cells_args {
    double edge[3];
    int32_t nb[3], more;
};
_Static_assert(sizeof(struct cells_args) == 40,
               "as points/device/padded_cells.kh has it");
struct cells_args gpu_kept_cells_args(const int64_t mesh[3],
                                      const int32_t nb[3]);

/* Sort the points or build cell lists if needed, then take over the sort, or
 * copy the cells.  Both are asynchronous. */
farsum_status gpu_kept_sort(struct gpu_kept *kept, struct points_gpu *points,
                            const int32_t nb[3], int stable);
farsum_status gpu_kept_cells(struct gpu_kept *kept, struct points_gpu *points,
                             const int32_t nb[3], int32_t pad);
void gpu_kept_clear(struct gpu_kept *kept);
/* Bytes for n points in n_bins tiles; pad 0: of a sort. */
int64_t gpu_kept_bytes(int64_t n, int64_t n_bins, int32_t pad);
/* Selects tiles of about `edge` mesh points: as many as possible without a
 * shorter one, at least one. */
void gpu_kept_tiles(const int64_t mesh[3], int edge, int32_t nb[3]);
#endif
