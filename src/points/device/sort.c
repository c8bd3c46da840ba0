/* SPDX-License-Identifier: Apache-2.0 */
/* sort.c: sorting points on a device by tile.
 *
 * Few points are counted by atomics, scanned, and scattered.  More points are
 * sorted by digits (points/device/radix.k), or from the order of an existing
 * sort.  Then only indices move until the coordinates are read at random, once.
 * Coordinates that exceed the last-level cache are packed first, so that a
 * point is in one sector instead of three. */
#include "points/device/ordering.h"

#include <string.h>

#include "base/mem.h"
#include "points/device/sort_state.h"

static farsum_status sort_counted(struct points_gpu *p, struct gpu_ordering *to,
                                  const struct gpu_tile_args *args,
                                  int64_t n_bins)
{
    struct gpu_inside *in = p->inside;
    TRY(gpu_count(p, args, n_bins, &to->start));
    TRY(gpu_scan_run(in->scan, &to->start, &to->start, n_bins + 1, NULL));
    return LAUNCH(&in->scatter, kernel_groups(&in->scatter, args->n),
                  ARG_BUF(&in->key[0]), ARG_BUF(&in->index[0]),
                  ARG_BUF(&to->start), ARG_BUF(&p->s), ARG_BUF(&to->item),
                  ARG_BUF(&to->s), ARG_I64(args->n));
}

/* Keys are made in the caller's order, then counted and placed in the order of
 * the existing sort `from`, which may be the memory of the new one.  While
 * points move little, neighbours share a counter, and indices are written close
 * to those of their neighbours. */
static farsum_status sort_again(struct points_gpu *p,
                                const struct gpu_ordering *from,
                                struct gpu_ordering *to,
                                const struct gpu_tile_args *args,
                                int64_t n_bins)
{
    struct gpu_inside *in = p->inside;
    const struct buf *old = &from->item;
    int64_t n = args->n, groups = kernel_groups(&in->again, n);
    if (from == to) {
        buf_swap(&to->item, &in->other);
        old = &in->other;
    }
    TRY(buf_fill_part(&to->start, 0, 0, 4 * (n_bins + 1)));
    int pack = gpu_packs(p, n);
    TRY(LAUNCH(&in->keys, groups, ARG_BUF(&p->s), ARG_BUF(&in->key[0]),
               ARG_BUF(pack ? &in->packed : &in->key[1]), ARG_STRUCT(*args),
               ARG_I32(pack)));
    TRY(LAUNCH(&in->again, groups, ARG_BUF(old), ARG_BUF(&in->key[0]),
               ARG_BUF(&to->start), ARG_BUF(&in->key[1]),
               ARG_BUF(&in->index[0]), ARG_I64(n)));
    TRY(gpu_scan_run(in->scan, &to->start, &to->start, n_bins + 1, NULL));
    TRY(LAUNCH(&in->place, groups, ARG_BUF(&in->key[1]), ARG_BUF(&in->index[0]),
               ARG_BUF(&to->start), ARG_BUF(old), ARG_BUF(&to->item),
               ARG_I64(n), ARG_I32(1)));
    return gpu_gather(p, to, n);
}

/* A sort of n points into the same tiles, of any positions, or NULL; that in
 * the memory `to` if it is one. */
static const struct gpu_ordering *sort_like(const struct points_gpu *p,
                                            const struct gpu_ordering *to,
                                            const int32_t nb[3])
{
    const struct gpu_ordering *found = NULL;
    for (const struct gpu_ordering *o = p->orderings; o; o = o->next)
        if (o->path != GPU_SORT_NONE && o->n == p->n
            && memcmp(o->nb, nb, sizeof o->nb) == 0 && (!found || o == to))
            found = o;
    return found;
}

/* Selects the method, and the existing sort that it starts from. */
static enum gpu_sort_path sort_path(const struct points_gpu *p,
                                    const struct gpu_ordering *to,
                                    const int32_t nb[3], int stable,
                                    const struct gpu_ordering **from)
{
    *from = NULL;
    if (stable)
        return GPU_SORT_RADIX;
    if (p->n <= p->inside->few)
        return GPU_SORT_COUNTED;
    *from = gpu_ordering_current(p, 1);
    if (*from)
        return GPU_SORT_FROM;
    *from = sort_like(p, to, nb);
    return *from ? GPU_SORT_AGAIN : GPU_SORT_RADIX;
}

/* Allocates the memory of a sort. */
static farsum_status sort_reserve(struct points_gpu *p, struct gpu_ordering *to,
                                  int64_t n, int64_t n_bins,
                                  enum gpu_sort_path path)
{
    struct gpu_inside *in = p->inside;
    TRY(gpu_count_ready(p));
    TRY(buf_reserve(&to->start, p->device, 4 * (n_bins + 1)));
    TRY(buf_reserve(&to->item, p->device, 4 * n));
    TRY(buf_reserve(&to->s, p->device, 24 * n));
    TRY(buf_reserve(&in->key[0], p->device, 4 * n));
    TRY(buf_reserve(&in->index[0], p->device, 4 * n));
    TRY(gpu_scan_reserve(in->scan, n_bins + 1));
    if (path == GPU_SORT_COUNTED)
        return FARSUM_OK;
    if (path == GPU_SORT_FROM)
        TRY(buf_reserve(&in->other, p->device, 4 * n));
    /* packing only saves time: without the memory it is omitted */
    else if (gpu_packs(p, n)
             && buf_reserve(&in->packed, p->device, 32 * n) != FARSUM_OK)
        in->pack = -1;
    if (path == GPU_SORT_AGAIN) {
        TRY(buf_reserve(&in->key[1], p->device, 4 * n));
        return buf_reserve(&in->other, p->device, 4 * n);
    }
    return gpu_radix_reserve(p, n, n_bins);
}

static farsum_status sort_make(struct points_gpu *p, const int32_t nb[3],
                               int32_t pad, int stable,
                               struct gpu_ordering **made)
{
    const struct gpu_ordering *from;
    struct gpu_ordering *to = NULL;
    struct gpu_tile_args args;
    int64_t n_bins = 0, n = p->n;
    TRY(gpu_tiles(nb, n, &args, &n_bins));
    TRY(points_gpu_fractions(p));
    TRY(gpu_ordering_free(p, nb, pad, gpu_ordering_current(p, 1), &to));
    enum gpu_sort_path path = sort_path(p, to, nb, stable, &from);
    if (from != to)
        to->path = GPU_SORT_NONE;
    to->version = 0;
    TRY(sort_reserve(p, to, n, n_bins, path));
    to->path = GPU_SORT_NONE;
    if (path == GPU_SORT_COUNTED) {
        TRY(sort_counted(p, to, &args, n_bins));
    } else if (path == GPU_SORT_AGAIN) {
        TRY(sort_again(p, from, to, &args, n_bins));
    } else if (path == GPU_SORT_FROM) {
        TRY(gpu_radix_again(p, from, to, &args, n_bins));
    } else {
        TRY(gpu_radix(p, to, &args, n_bins));
    }
    to->capacity = n;
    to->n_bins = n_bins;
    to->stable = path == GPU_SORT_RADIX;
    to->path = path;
    *made = to;
    return FARSUM_OK;
}

farsum_status gpu_ordering_sort(struct points_gpu *p, const int32_t nb[3],
                                int stable, struct gpu_ordering **held)
{
    return gpu_ordering_hold(p, nb, 0, stable ? 1 : 0, sort_make, held);
}

farsum_status gpu_ordering_measure(struct points_gpu *p,
                                   const struct gpu_ordering *sort,
                                   struct gpu_filling *filling)
{
    struct gpu_inside *in = p->inside;
    struct gpu_filling found = {0};
    farsum_status status = FARSUM_OK;
    uint64_t *records = NULL;
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
