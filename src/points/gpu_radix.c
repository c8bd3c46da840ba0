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

/* Sorts inside->key[0]. */
static farsum_status radix_sort(struct points_gpu *p, int64_t n,
                                int64_t n_bins, struct buf *order,
                                struct buf *start)
{
    struct gpu_inside *in = p->inside;
    int64_t groups = radix_groups(n);
    int passes = radix_passes(n_bins);
    for (int pass = 0; pass < passes; pass++) {
        int shift = pass * GPU_RADIX_BITS;
        struct buf *key = &in->key[pass % 2], *to = &in->key[1 - pass % 2];
        struct buf *from = pass > 0 ? &in->index[(pass - 1) % 2] : key;
        struct buf *index = pass == passes - 1 ? order : &in->index[pass % 2];
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
                  ARG_BUF(&in->key[passes % 2]), ARG_BUF(start), ARG_I64(n),
                  ARG_I64(n_bins));
}

farsum_status gpu_radix(struct points_gpu *p, const struct gpu_tile_args *args,
                        int64_t n_bins)
{
    struct gpu_inside *in = p->inside;
    TRY(LAUNCH(&in->keys, kernel_groups(&in->keys, args->n), ARG_BUF(&p->s),
               ARG_BUF(&in->key[0]), ARG_STRUCT(*args)));
    return radix_sort(p, args->n, n_bins, &p->sort.order, &p->sort.start);
}

farsum_status gpu_keys_room(struct points_gpu *p, int64_t n, int64_t n_bins,
                            struct buf **keys)
{
    if (n > GPU_POINTS_MOST || n_bins > GPU_BINS_MOST)
        FAIL(ERR_UNSUPPORTED,
             "a sort of %lld keys below %lld, at most %lld below %lld",
             (long long)n, (long long)n_bins, (long long)GPU_POINTS_MOST,
             (long long)GPU_BINS_MOST);
    TRY(gpu_count_ready(p));
    TRY(gpu_radix_ready(p));
    TRY(gpu_radix_reserve(p, n, n_bins));
    *keys = &p->inside->key[0];
    return FARSUM_OK;
}

farsum_status gpu_keys_sort(struct points_gpu *p, int64_t n, int64_t n_bins,
                            struct buf *order, struct buf *start)
{
    TRY(buf_reserve(order, p->device, 4 * n));
    TRY(buf_reserve(start, p->device, 4 * (n_bins + 1)));
    if (n == 0)
        return buf_fill(start, 0);
    return radix_sort(p, n, n_bins, order, start);
}
