/* SPDX-License-Identifier: Apache-2.0 */
/* sort.c: sorting points on a device by tile.
 *
 * Few points are counted by atomics, scanned, and scattered.  More points are
 * sorted by digits (points/device/radix.k), or from the order of an existing
 * sort.  Then only indices move until the coordinates are read at random, once.
 * Coordinates that exceed the last-level cache are packed first, so that a
 * point is in one sector instead of three. */
#include "points/device/set.h"

#include <string.h>

#include "base/mem.h"
#include "points/device/sort_state.h"

static farsum_status sort_counted(struct points_gpu *p,
                                  const struct gpu_tile_args *args,
                                  int64_t n_bins)
{
    struct gpu_inside *in = p->inside;
    struct gpu_sort *sort = &p->sort;
    TRY(gpu_count(p, args, n_bins, &sort->start));
    TRY(gpu_scan_run(in->scan, &sort->start, &sort->start, n_bins + 1, NULL));
    return LAUNCH(&in->scatter, kernel_groups(&in->scatter, args->n),
                  ARG_BUF(&in->key[0]), ARG_BUF(&in->index[0]),
                  ARG_BUF(&sort->start), ARG_BUF(&p->s), ARG_BUF(&sort->order),
                  ARG_BUF(&sort->s), ARG_I64(args->n));
}

/* Keys are made in the caller's order, then counted and placed in the order of
 * the existing sort.  While points move little, neighbours share a counter, and
 * indices are written close to those of their neighbours. */
static farsum_status sort_again(struct points_gpu *p,
                                const struct gpu_tile_args *args,
                                int64_t n_bins)
{
    struct gpu_inside *in = p->inside;
    struct gpu_sort *sort = &p->sort;
    int64_t n = args->n, groups = kernel_groups(&in->again, n);
    buf_swap(&sort->order, &in->other);
    TRY(buf_fill_part(&sort->start, 0, 0, 4 * (n_bins + 1)));
    int pack = gpu_packs(p, n);
    TRY(LAUNCH(&in->keys, groups, ARG_BUF(&p->s), ARG_BUF(&in->key[0]),
               ARG_BUF(pack ? &in->packed : &in->key[1]), ARG_STRUCT(*args),
               ARG_I32(pack)));
    TRY(LAUNCH(&in->again, groups, ARG_BUF(&in->other), ARG_BUF(&in->key[0]),
               ARG_BUF(&sort->start), ARG_BUF(&in->key[1]),
               ARG_BUF(&in->index[0]), ARG_I64(n)));
    TRY(gpu_scan_run(in->scan, &sort->start, &sort->start, n_bins + 1, NULL));
    TRY(LAUNCH(&in->place, groups, ARG_BUF(&in->key[1]), ARG_BUF(&in->index[0]),
               ARG_BUF(&sort->start), ARG_BUF(&in->other),
               ARG_BUF(&sort->order), ARG_I64(n), ARG_I32(1)));
    return gpu_gather(p, n);
}

/* Selects the method for n points; again: there is a sort into these tiles to
 * start from. */
static enum gpu_sort_path sort_path(const struct points_gpu *p, int64_t n,
                                    int stable, int again)
{
    const struct gpu_sort *sort = &p->sort;
    if (stable)
        return GPU_SORT_RADIX;
    if (n <= p->inside->few)
        return GPU_SORT_COUNTED;
    if (sort->path != GPU_SORT_NONE && sort->stable && sort->n == n
        && sort->version == p->version)
        return GPU_SORT_FROM;
    return again ? GPU_SORT_AGAIN : GPU_SORT_RADIX;
}

/* Bytes of the sorted coordinates, equal to those of the packed coordinates
 * with which they are swapped. */
static int64_t sort_coordinates(const struct points_gpu *p, int64_t n)
{
    return (gpu_packs(p, n) ? 32 : 24) * n;
}

/* Allocates memory for a sort from an existing order. */
static farsum_status sort_beside(struct points_gpu *p, int64_t n)
{
    struct gpu_inside *in = p->inside;
    TRY(buf_reserve(&in->packed, p->device, sort_coordinates(p, n)));
    TRY(buf_reserve(&in->other, p->device, 4 * n));
    return buf_reserve(&in->order, p->device, 4 * n);
}

static farsum_status sort_reserve(struct points_gpu *p, int64_t n,
                                  int64_t n_bins, enum gpu_sort_path path)
{
    struct gpu_inside *in = p->inside;
    struct gpu_sort *sort = &p->sort;
    TRY(gpu_count_ready(p));
    if (sort->start.bytes < 4 * (n_bins + 1) || sort->order.bytes < 4 * n
        || sort->s.bytes < 24 * n)
        sort->path = GPU_SORT_NONE;
    TRY(buf_reserve(&sort->start, p->device, 4 * (n_bins + 1)));
    TRY(buf_reserve(&sort->order, p->device, 4 * n));
    if (path != GPU_SORT_FROM
        && buf_reserve(&sort->s, p->device, sort_coordinates(p, n))
               != FARSUM_OK)
        TRY(buf_reserve(&sort->s, p->device, 24 * n));
    TRY(buf_reserve(&in->key[0], p->device, 4 * n));
    TRY(buf_reserve(&in->index[0], p->device, 4 * n));
    TRY(gpu_scan_reserve(in->scan, n_bins + 1));
    if (path == GPU_SORT_COUNTED)
        return FARSUM_OK;
    /* packing only saves time: without the memory it is omitted */
    if (gpu_packs(p, n)
        && buf_reserve(&in->packed, p->device, 32 * n) != FARSUM_OK)
        in->pack = -1;
    if (path == GPU_SORT_AGAIN) {
        TRY(buf_reserve(&in->key[1], p->device, 4 * n));
        return buf_reserve(&in->other, p->device, 4 * n);
    }
    return gpu_radix_reserve(p, n, n_bins);
}

farsum_status gpu_sort_reserve(struct points_gpu *p, const int32_t nb[3],
                               int64_t n, int stable)
{
    struct gpu_tile_args args;
    int64_t n_bins = 0;
    TRY(gpu_tiles(nb, n, &args, &n_bins));
    return sort_reserve(p, n, n_bins, sort_path(p, n, stable, 0));
}

farsum_status gpu_sort_build(struct points_gpu *p, const int32_t nb[3],
                             int stable)
{
    struct gpu_sort *sort = &p->sort;
    struct gpu_tile_args args;
    int64_t n_bins = 0, n = p->n;
    if (p->version == 0)
        FAIL(ERR_STATE, "no positions were set");
    int same = memcmp(sort->nb, nb, sizeof sort->nb) == 0 && sort->n == n
               && sort->path != GPU_SORT_NONE;
    if (same && sort->version == p->version && sort->stable >= !!stable)
        return FARSUM_OK;
    TRY(gpu_tiles(nb, n, &args, &n_bins));
    TRY(points_gpu_fractions(p));
    enum gpu_sort_path path = sort_path(p, n, stable, same);
    /* without the memory, use the slower method */
    if (path == GPU_SORT_FROM && sort_beside(p, n) != FARSUM_OK)
        path = GPU_SORT_RADIX;
    TRY(sort_reserve(p, n, n_bins, path));
    sort->path = GPU_SORT_NONE;
    if (path == GPU_SORT_COUNTED) {
        TRY(sort_counted(p, &args, n_bins));
    } else if (path == GPU_SORT_AGAIN) {
        TRY(sort_again(p, &args, n_bins));
    } else if (path == GPU_SORT_FROM) {
        TRY(gpu_radix_again(p, &args, n_bins));
    } else {
        TRY(gpu_radix(p, &args, n_bins));
    }
    memcpy(sort->nb, nb, sizeof sort->nb);
    sort->n = n;
    sort->n_bins = n_bins;
    sort->stable = path == GPU_SORT_RADIX;
    sort->version = p->version;
    sort->path = path;
    return FARSUM_OK;
}

farsum_status gpu_sort_measure(struct points_gpu *p,
                               struct gpu_filling *filling)
{
    struct gpu_inside *in = p->inside;
    struct gpu_sort *sort = &p->sort;
    struct gpu_filling found = {0};
    farsum_status status = FARSUM_OK;
    uint64_t *records = NULL;
    if (sort->path == GPU_SORT_NONE || sort->version != p->version)
        FAIL(ERR_STATE, "the points are not sorted");
    int64_t groups = kernel_groups(&in->measure, sort->n_bins);
    if (groups > GPU_RECORDS)
        groups = GPU_RECORDS;
    TRY(buf_reserve(&in->filling, p->device, 24 * groups));
    TRY(LAUNCH(&in->measure, groups, ARG_BUF(&sort->start),
               ARG_BUF(&in->filling), ARG_I64(sort->n_bins)));
    TRY(MEM_RAW(records, 3 * groups));
    GO(buf_download(&in->filling, 0, records, 24 * groups));
    for (int64_t g = 0; g < groups; g++) {
        const uint64_t *r = records + 3 * g;
        if ((int64_t)r[0] > found.most)
            found.most = (int64_t)r[0];
        found.squares += (double)r[1];
        found.held += (int64_t)r[2];
    }
    *filling = found;
done:
    mem_free(records);
    return status;
}
