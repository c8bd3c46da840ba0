/* SPDX-License-Identifier: Apache-2.0 */
/* ordering.c: a variant's own copy of a sort or of cell lists. */
#include "points/device/ordering.h"

struct cells_args gpu_kept_cells_args(const int64_t mesh[3],
                                      const int32_t nb[3])
{
    struct cells_args args = {.nb = {nb[0], nb[1], nb[2]}};
    for (int d = 0; d < 3; d++)
        args.edge[d] = (double)mesh[d] / nb[d];
    return args;
}

static farsum_status keep(struct buf *to, const struct buf *from, int64_t bytes)
{
    TRY(buf_reserve(to, from->device, bytes));
    return bytes > 0 ? buf_copy(to, 0, from, 0, bytes) : FARSUM_OK;
}

farsum_status gpu_kept_sort(struct gpu_kept *kept, struct points_gpu *points,
                            const int32_t nb[3], int stable)
{
    struct gpu_sort *sort = &points->sort;
    TRY(gpu_sort_build(points, nb, stable));
    /* a swap avoids copying 28 bytes per point */
    buf_swap(&kept->start, &sort->start);
    buf_swap(&kept->item, &sort->order);
    buf_swap(&kept->s, &sort->s);
    sort->path = GPU_SORT_NONE;
    kept->n = kept->capacity = sort->n;
    kept->n_bins = sort->n_bins;
    return FARSUM_OK;
}

farsum_status gpu_kept_cells(struct gpu_kept *kept, struct points_gpu *points,
                             const int32_t nb[3], int32_t pad)
{
    const struct gpu_cells *cells = &points->cells;
    TRY(gpu_cells_build(points, nb, pad));
    TRY(keep(&kept->start, &cells->start, 4 * (cells->n_bins + 1)));
    TRY(keep(&kept->item, &cells->item, 4 * cells->capacity));
    kept->n = points->n;
    kept->n_bins = cells->n_bins;
    kept->capacity = cells->capacity;
    return FARSUM_OK;
}

void gpu_kept_clear(struct gpu_kept *kept)
{
    buf_clear(&kept->s);
    buf_clear(&kept->item);
    buf_clear(&kept->start);
    *kept = (struct gpu_kept){0};
}

int64_t gpu_kept_bytes(int64_t n, int64_t n_bins, int32_t pad)
{
    int64_t most = n < n_bins ? n : n_bins;
    if (pad == 0)
        return 28 * n + 4 * (n_bins + 1);
    /* the points' lists and the variant's copy */
    return 2 * (4 * (n + most * (pad - 1)) + 4 * (n_bins + 1));
}

void gpu_kept_tiles(const int64_t mesh[3], int edge, int32_t nb[3])
{
    for (int d = 0; d < 3; d++)
        nb[d] = mesh[d] > edge ? (int32_t)(mesh[d] / edge) : 1;
}
