/* SPDX-License-Identifier: Apache-2.0 */
/* padded_cells.c: padded cell lists (Kosmacher, Du, Bagge and Biros,
 * "Performance Portable Fast Ewald Summation", Kokkos User Group 2025).  Points
 * are counted by cell in the caller's order, counts are rounded up and scanned,
 * points are inserted. */
#include "points/device/ordering.h"

#include "points/device/sort_state.h"

static farsum_status cells_make(struct points_gpu *p, const int32_t nb[3],
                                int32_t pad, int stable,
                                struct gpu_ordering **made)
{
    struct gpu_ordering *cells = NULL;
    struct gpu_inside *in = p->inside;
    struct gpu_tile_args args;
    int64_t n_bins = 0, n = p->n;
    TRY(gpu_tiles(nb, n, &args, &n_bins));
    /* each cell that holds a point wastes at most pad - 1 items */
    int64_t capacity = n + (n < n_bins ? n : n_bins) * (int64_t)(pad - 1);
    if (capacity > GPU_POINTS_MOST)
        FAIL(ERR_UNSUPPORTED,
             "cell lists: %lld points in %lld cells padded to %d may take "
             "%lld items, more than 32 bits count",
             (long long)n, (long long)n_bins, pad, (long long)capacity);
    TRY(points_gpu_fractions(p));
    TRY(gpu_count_ready(p));
    TRY(gpu_ordering_free(p, nb, pad, gpu_ordering_current(p, 1), &cells));
    cells->version = 0;
    cells->path = GPU_SORT_NONE;
    TRY(buf_reserve(&cells->start, p->device, 4 * (n_bins + 1)));
    TRY(buf_reserve(&cells->item, p->device, 4 * capacity));
    TRY(gpu_count(p, &args, n_bins, &cells->start));
    TRY(LAUNCH(&in->round, kernel_groups(&in->round, n_bins),
               ARG_BUF(&cells->start), ARG_I64(n_bins), ARG_I32(pad)));
    TRY(gpu_scan_run(in->scan, &cells->start, &cells->start, n_bins + 1, NULL));
    TRY(buf_fill_part(&cells->item, 0, 0xff, 4 * capacity));
    TRY(LAUNCH(&in->place, kernel_groups(&in->place, n), ARG_BUF(&in->key[0]),
               ARG_BUF(&in->index[0]), ARG_BUF(&cells->start),
               ARG_BUF(&in->key[0]), ARG_BUF(&cells->item), ARG_I64(n),
               ARG_I32(0)));
    cells->stable = stable;
    cells->n_bins = n_bins;
    cells->capacity = capacity;
    *made = cells;
    return FARSUM_OK;
}

farsum_status gpu_ordering_cells(struct points_gpu *p, const int32_t nb[3],
                                 int32_t pad, struct gpu_ordering **held)
{
    gpu_ordering_release(held);
    if (pad < 1) /* 0: a sort */
        FAIL(ERR_ARGUMENT, "cell lists: a padding of %d; it is 1 or more", pad);
    return gpu_ordering_hold(p, nb, pad, 0, cells_make, held);
}
