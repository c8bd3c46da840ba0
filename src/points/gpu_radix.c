/* gpu_radix.c: the stable sort of points on a device: least digit first, as
 * many passes as the number of tiles has digits. */
#include "points/gpu_inside.h"

enum { TILE = GPU_GROUP * GPU_RADIX_ITEMS, DIGITS = 1 << GPU_RADIX_BITS };

static int radix_passes(int64_t n_bins)
{
    int passes = 1;
    while (n_bins > (int64_t)1 << (GPU_RADIX_BITS * passes))
        passes++;
    return passes;
}

static int64_t radix_groups(int64_t n)
{
    return n > TILE ? (n + TILE - 1) / TILE : 1;
}

farsum_status gpu_radix_ready(struct points_gpu *p)
{
    struct gpu_inside *in = p->inside;
    struct jit *jit = &in->radix_jit;
    if (in->radix_starts.handle)
        return FARSUM_OK;
    if (jit->device)
        jit_clear(jit);
    jit_begin(jit, p->device, "points/gpu_radix.k", FARSUM_F64);
    jit_define(jit, "GROUP", "%d", GPU_GROUP);
    jit_define(jit, "ITEMS", "%d", GPU_RADIX_ITEMS);
    TRY(jit_build(jit));
    TRY(jit_kernel(jit, "radix_count", GPU_GROUP, 0, &in->radix_count));
    TRY(jit_kernel(jit, "radix_move", GPU_GROUP, 0, &in->radix_move));
    return jit_kernel(jit, "radix_starts", GPU_GROUP, 0, &in->radix_starts);
}

farsum_status gpu_radix_reserve(struct points_gpu *p, int64_t n, int64_t n_bins)
{
    struct gpu_inside *in = p->inside;
    int64_t hist = DIGITS * radix_groups(n);
    int passes = radix_passes(n_bins);
    for (int i = 0; i < 2; i++) {
        TRY(buf_reserve(&in->key[i], p->device, 4 * n));
        if (i < passes - 1)
            TRY(buf_reserve(&in->index[i], p->device, 4 * n));
    }
    TRY(buf_reserve(&in->hist, p->device, 4 * hist));
    return gpu_scan_reserve(in->scan, hist);
}

farsum_status gpu_radix(struct points_gpu *p, const struct gpu_tile_args *args,
                        int64_t n_bins)
{
    struct gpu_inside *in = p->inside;
    struct gpu_sort *sort = &p->sort;
    int64_t n = args->n, groups = radix_groups(n);
    int passes = radix_passes(n_bins);
    TRY(LAUNCH(&in->keys, kernel_groups(&in->keys, n), ARG_BUF(&p->s),
               ARG_BUF(&in->key[0]), ARG_STRUCT(*args)));
    for (int pass = 0; pass < passes; pass++) {
        int shift = pass * GPU_RADIX_BITS;
        struct buf *key = &in->key[pass % 2], *to = &in->key[1 - pass % 2];
        struct buf *from = pass > 0 ? &in->index[(pass - 1) % 2] : key;
        struct buf *index =
            pass == passes - 1 ? &sort->order : &in->index[pass % 2];
        TRY(LAUNCH(&in->radix_count, groups, ARG_BUF(key), ARG_BUF(&in->hist),
                   ARG_I64(n), ARG_I32(shift)));
        TRY(gpu_scan_run(in->scan, &in->hist, &in->hist, DIGITS * groups,
                         NULL));
        TRY(LAUNCH(&in->radix_move, groups, ARG_BUF(key), ARG_BUF(from),
                   ARG_BUF(&in->hist), ARG_BUF(to), ARG_BUF(index), ARG_I64(n),
                   ARG_I32(shift), ARG_I32(pass == 0)));
    }
    return LAUNCH(&in->radix_starts,
                  kernel_groups(&in->radix_starts, n_bins + 1),
                  ARG_BUF(&in->key[passes % 2]), ARG_BUF(&sort->start),
                  ARG_I64(n), ARG_I64(n_bins));
}
