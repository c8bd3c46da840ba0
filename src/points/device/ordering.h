/* SPDX-License-Identifier: Apache-2.0 */
/* ordering.h: a row's own copy of a sort or of cell lists, which live on when
 * another row has the points sorted otherwise. */
#ifndef FARSUM_POINTS_DEVICE_ORDERING_H
#define FARSUM_POINTS_DEVICE_ORDERING_H

#include "points/device/set.h"

struct gpu_kept {
    int64_t n, n_bins;
    int64_t room;     /* items there may be; of a sort, n */
    struct buf start; /* [n_bins + 1] u32 */
    struct buf item;  /* [room] u32: caller's indices; holes: stage/device.h */
    struct buf s;     /* of a sort: [3][n] f64, sorted */
};

/* The host's twin of points/device/padded_cells.kh's struct. */
struct cells_args {
    double edge[3];
    int32_t nb[3], more;
};
_Static_assert(sizeof(struct cells_args) == 40,
               "as points/device/padded_cells.kh has it");
struct cells_args gpu_kept_cells_args(const int64_t mesh[3],
                                      const int32_t nb[3]);

/* Sort or build what is wanted, and take it, or copy cells; nothing waits. */
farsum_status gpu_kept_sort(struct gpu_kept *kept, struct points_gpu *points,
                            const int32_t nb[3], int stable);
farsum_status gpu_kept_cells(struct gpu_kept *kept, struct points_gpu *points,
                             const int32_t nb[3], int32_t pad);
void gpu_kept_clear(struct gpu_kept *kept);
/* Bytes that n points take in n_bins tiles; pad 0: of a sort. */
int64_t gpu_kept_bytes(int64_t n, int64_t n_bins, int32_t pad);
/* Tiles of about `edge` mesh points: as many as fit without one that is
 * shorter, at least one. */
void gpu_kept_tiles(const int64_t mesh[3], int edge, int32_t nb[3]);
#endif
