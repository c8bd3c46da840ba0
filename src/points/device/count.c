/* SPDX-License-Identifier: Apache-2.0 */
/* count.c: counting points by bins on a device, and copying coordinates into a
 * new order. */
#include "points/device/set.h"
#include "points/device/sort_state.h"

farsum_status gpu_tiles(const int32_t nb[3], int64_t n,
                        struct gpu_tile_args *args, int64_t *n_bins)
{
    double product = (double)nb[0] * nb[1] * nb[2];
    if (nb[0] < 1 || nb[1] < 1 || nb[2] < 1 || product > GPU_BINS_MOST)
        FAIL(ERR_ARGUMENT,
             "bins: %d x %d x %d is not a valid count on a "
             "device",
             nb[0], nb[1], nb[2]);
    *args = (struct gpu_tile_args){{nb[0], nb[1], nb[2]}, n, nb[1], nb[2]};
    *n_bins = (int64_t)nb[0] * nb[1] * nb[2];
    return FARSUM_OK;
}

farsum_status gpu_count_ready(struct points_gpu *p)
{
    struct gpu_inside *in = p->inside;
    struct jit *jit = &in->count_jit;
    if (in->scan)
        return FARSUM_OK;
    if (jit->device)
        jit_clear(jit);
    jit_begin(jit, p->device, "points/device/count.k", FARSUM_F64);
    jit_define(jit, "GROUP", "%d", GPU_GROUP);
    TRY(jit_build(jit));
    TRY(jit_kernel(jit, "count_keys", GPU_GROUP, 0, &in->keys));
    TRY(jit_kernel(jit, "count_points", GPU_GROUP, 0, &in->count));
    TRY(jit_kernel(jit, "count_again", GPU_GROUP, 0, &in->again));
    TRY(jit_kernel(jit, "count_place", GPU_GROUP, 0, &in->place));
    TRY(jit_kernel(jit, "count_scatter", GPU_GROUP, 0, &in->scatter));
    TRY(jit_kernel(jit, "count_gather", GPU_GROUP, 0, &in->gather));
    TRY(jit_kernel(jit, "count_round", GPU_GROUP, 0, &in->round));
    TRY(jit_kernel(jit, "count_measure", GPU_GROUP, 0, &in->measure));
    return gpu_scan_create(p->device, GPU_SCAN_U32, &in->scan);
}

int gpu_packs(const struct points_gpu *p, int64_t n)
{
    int64_t cache = p->device->properties.cache;
    if (p->inside->pack != 0)
        return p->inside->pack > 0;
    return cache > 0 && 48 * n > cache; /* about half of them may be in the
                                           cache */
}

farsum_status gpu_gather(struct points_gpu *p, struct gpu_ordering *sort,
                         int64_t n)
{
    struct gpu_inside *in = p->inside;
    int pack = gpu_packs(p, n);
    return LAUNCH(&in->gather, kernel_groups(&in->gather, n),
                  ARG_BUF(&sort->item), ARG_BUF(&p->s),
                  ARG_BUF(pack ? &in->packed : &p->s), ARG_BUF(&sort->s),
                  ARG_I64(n), ARG_I32(pack));
}

farsum_status gpu_count(struct points_gpu *p, const struct gpu_tile_args *args,
                        int64_t n_bins, struct buf *start)
{
    struct gpu_inside *in = p->inside;
    TRY(buf_reserve(&in->key[0], p->device, 4 * args->n));
    TRY(buf_reserve(&in->index[0], p->device, 4 * args->n));
    TRY(buf_fill_part(start, 0, 0, 4 * (n_bins + 1)));
    return LAUNCH(&in->count, kernel_groups(&in->count, args->n),
                  ARG_BUF(&p->s), ARG_BUF(start), ARG_BUF(&in->key[0]),
                  ARG_BUF(&in->index[0]), ARG_STRUCT(*args));
}
