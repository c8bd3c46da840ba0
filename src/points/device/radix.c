/* SPDX-License-Identifier: Apache-2.0 */
/* radix.c: the stable sort of points on a device: a radix sort, lowest digit
 * first.  The number of passes is the number of digits of the tile index. */
#include "points/device/sort_state.h"

/* Points per thread in a pass.  With few points it is smaller, which gives more
 * thread blocks. */
static int radix_items(int64_t n)
{
    return n > GPU_FEW ? 16 : 4;
}

static int radix_passes(int64_t n_bins, int bits)
{
    int passes = 1;
    while (n_bins > (int64_t)1 << (bits * passes))
        passes++;
    return passes;
}

static int64_t radix_groups(int64_t n)
{
    int64_t tile = GPU_GROUP * radix_items(n);
    return n > tile ? (n + tile - 1) / tile : 1;
}

/* Returns 1 to use wide digits, which save a pass.  With few points each block
 * sums all counters itself, so narrow digits are better. */
static int radix_wide(const struct points_gpu *p, int64_t n, int64_t n_bins)
{
    const struct device_properties *properties = &p->device->properties;
    return (n > GPU_FEW || p->inside->wide)
           && properties->local >= GPU_RADIX_LOCAL
           && radix_passes(n_bins, GPU_RADIX_WIDE)
                  < radix_passes(n_bins, GPU_RADIX_BITS);
}

static farsum_status radix_ready(struct points_gpu *p, int64_t n, int wide)
{
    struct gpu_radix *r = &p->inside->radix[wide];
    struct jit *jit = &r->jit;
    int items = radix_items(n);
    if (r->items == items)
        return FARSUM_OK;
    if (jit->device)
        jit_clear(jit);
    r->items = 0;
    r->bits = wide ? GPU_RADIX_WIDE : GPU_RADIX_BITS;
    jit_begin(jit, p->device, "points/device/radix.k", FARSUM_F64);
    jit_define(jit, "GROUP", "%d", GPU_GROUP);
    jit_define(jit, "ITEMS", "%d", items);
    jit_define(jit, "BLOCKS", "%d", GPU_RADIX_BLOCKS);
    jit_define(jit, "BITS", "%d", r->bits);
    TRY(jit_build(jit));
    TRY(jit_kernel(jit, "radix_first", GPU_GROUP, 0, &r->first));
    TRY(jit_kernel(jit, "radix_count", GPU_GROUP, 0, &r->count));
    TRY(jit_kernel(jit, "radix_move", GPU_GROUP, 0, &r->move));
    TRY(jit_kernel(jit, "radix_starts", GPU_GROUP, 0, &r->starts));
    TRY(jit_kernel(jit, "radix_fill", GPU_GROUP, 0, &r->fill));
    TRY(jit_kernel(jit, "radix_finish", GPU_GROUP, 0, &r->finish));
    TRY(jit_kernel(jit, "radix_finish_again", GPU_GROUP, 0, &r->finish_again));
    r->items = items;
    return FARSUM_OK;
}

farsum_status points_gpu_ahead(struct points_gpu *p, int64_t n)
{
    if (!p->device->backend->apart)
        return FARSUM_OK;
    TRY(gpu_count_ready(p));
    return radix_ready(p, n, 0);
}

farsum_status gpu_radix_reserve(struct points_gpu *p, int64_t n, int64_t n_bins)
{
    struct gpu_inside *in = p->inside;
    int wide = radix_wide(p, n, n_bins);
    TRY(radix_ready(p, n, wide));
    const struct gpu_radix *r = &in->radix[wide];
    int64_t hist = radix_groups(n) << r->bits;
    int passes = radix_passes(n_bins, r->bits);
    for (int i = 0; i < 2; i++) {
        TRY(buf_reserve(&in->key[i], p->device, 4 * n));
        if (i < passes - 1)
            TRY(buf_reserve(&in->index[i], p->device, 4 * n));
    }
    TRY(buf_reserve(&in->hist, p->device, 4 * hist));
    return gpu_scan_reserve(in->scan, hist);
}

/* Sorts inside->key[0] to *sorted and the indices to order.  counted: the first
 * digits are already counted in inside->hist.  given: the keys' own indices;
 * NULL: 0, 1, 2 ... */
static farsum_status radix_sort(struct points_gpu *p, int64_t n, int64_t n_bins,
                                int counted, const struct buf *given,
                                struct buf *order, struct buf **sorted)
{
    struct gpu_inside *in = p->inside;
    const struct gpu_radix *r = &in->radix[radix_wide(p, n, n_bins)];
    int64_t groups = radix_groups(n);
    int passes = radix_passes(n_bins, r->bits), few = groups <= in->few_groups;
    for (int pass = 0; pass < passes; pass++) {
        int shift = pass * r->bits;
        struct buf *key = &in->key[pass % 2], *to = &in->key[1 - pass % 2];
        const struct buf *from = pass > 0 ? &in->index[(pass - 1) % 2]
                                 : given  ? given
                                          : key;
        struct buf *index = pass == passes - 1 ? order : &in->index[pass % 2];
        if (pass > 0 || !counted)
            TRY(LAUNCH(&r->count, groups, ARG_BUF(key), ARG_BUF(&in->hist),
                       ARG_I64(n), ARG_I32(shift), ARG_I32(few)));
        if (!few)
            TRY(gpu_scan_run(in->scan, &in->hist, &in->hist, groups << r->bits,
                             NULL));
        TRY(LAUNCH(&r->move, groups, ARG_BUF(key), ARG_BUF(from),
                   ARG_BUF(&in->hist), ARG_BUF(to), ARG_BUF(index), ARG_I64(n),
                   ARG_I32(shift), ARG_I32(few), ARG_I32(pass == 0 && !given)));
    }
    *sorted = &in->key[passes % 2];
    return FARSUM_OK;
}

farsum_status gpu_keys_starts(struct points_gpu *p, int64_t n, int64_t n_bins,
                              const struct buf *keys, struct buf *start)
{
    int apart = gpu_starts_apart(n, n_bins);
    const struct gpu_radix *r = &p->inside->radix[radix_wide(p, n, n_bins)];
    const struct kernel *kernel = apart ? &r->starts : &r->fill;
    return LAUNCH(kernel, kernel_groups(kernel, apart ? n_bins + 1 : n + 1),
                  ARG_BUF(keys), ARG_BUF(start), ARG_I64(n), ARG_I64(n_bins));
}

farsum_status gpu_radix(struct points_gpu *p, struct gpu_ordering *to,
                        const struct gpu_tile_args *args, int64_t n_bins)
{
    struct gpu_inside *in = p->inside;
    struct buf *keys = NULL;
    int64_t n = args->n, groups = radix_groups(n);
    const struct gpu_radix *r = &in->radix[radix_wide(p, n, n_bins)];
    int few = groups <= in->few_groups, pack = gpu_packs(p, n);
    TRY(LAUNCH(&r->first, groups, ARG_BUF(&p->s), ARG_BUF(&in->key[0]),
               ARG_BUF(&in->hist), ARG_BUF(pack ? &in->packed : &in->hist),
               ARG_STRUCT(*args), ARG_I32(few), ARG_I32(pack)));
    TRY(radix_sort(p, n, n_bins, 1, NULL, &to->item, &keys));
    if (gpu_starts_apart(n, n_bins)) {
        TRY(gpu_keys_starts(p, n, n_bins, keys, &to->start));
        return gpu_gather(p, to, n);
    }
    return LAUNCH(&r->finish, kernel_groups(&r->finish, n + 1), ARG_BUF(keys),
                  ARG_BUF(&to->item), ARG_BUF(&p->s),
                  ARG_BUF(pack ? &in->packed : &p->s), ARG_BUF(&to->s),
                  ARG_BUF(&to->start), ARG_I64(n), ARG_I64(n_bins),
                  ARG_I32(pack));
}

farsum_status gpu_radix_again(struct points_gpu *p,
                              const struct gpu_ordering *from,
                              struct gpu_ordering *to,
                              const struct gpu_tile_args *args, int64_t n_bins)
{
    struct gpu_inside *in = p->inside;
    struct buf *keys = NULL;
    int64_t n = args->n, groups = radix_groups(n);
    const struct gpu_radix *r = &in->radix[radix_wide(p, n, n_bins)];
    int few = groups <= in->few_groups, apart = gpu_starts_apart(n, n_bins);
    TRY(LAUNCH(&r->first, groups, ARG_BUF(&from->s), ARG_BUF(&in->key[0]),
               ARG_BUF(&in->hist), ARG_BUF(&in->hist), ARG_STRUCT(*args),
               ARG_I32(few), ARG_I32(0)));
    TRY(radix_sort(p, n, n_bins, 1, NULL, &in->other, &keys));
    if (apart)
        TRY(gpu_keys_starts(p, n, n_bins, keys, &to->start));
    return LAUNCH(&r->finish_again, kernel_groups(&r->finish_again, n + 1),
                  ARG_BUF(keys), ARG_BUF(&in->other), ARG_BUF(&from->s),
                  ARG_BUF(&from->item), ARG_BUF(&to->s), ARG_BUF(&to->item),
                  ARG_BUF(&to->start), ARG_I64(n), ARG_I64(n_bins),
                  ARG_I32(apart));
}

farsum_status gpu_keys_reserve(struct points_gpu *p, int64_t n, int64_t n_bins,
                               struct buf **keys)
{
    if (n < 0 || n > GPU_POINTS_MOST || n_bins < 1 || n_bins > GPU_BINS_MOST)
        FAIL(ERR_UNSUPPORTED,
             "a sort of %lld keys below %lld, at most %lld below %lld",
             (long long)n, (long long)n_bins, (long long)GPU_POINTS_MOST,
             (long long)GPU_BINS_MOST);
    TRY(gpu_count_ready(p));
    TRY(gpu_radix_reserve(p, n, n_bins));
    *keys = &p->inside->key[0];
    return FARSUM_OK;
}

farsum_status gpu_keys_sort(struct points_gpu *p, int64_t n, int64_t n_bins,
                            struct buf *order, struct buf *start)
{
    const struct buf *keys = NULL;
    TRY(buf_reserve(start, p->device, 4 * (n_bins + 1)));
    TRY(gpu_keys_sorted(p, n, n_bins, order, &keys));
    return gpu_keys_starts(p, n, n_bins, keys, start);
}

farsum_status gpu_keys_sorted(struct points_gpu *p, int64_t n, int64_t n_bins,
                              struct buf *order, const struct buf **keys)
{
    struct buf *sorted = NULL;
    TRY(gpu_radix_reserve(p, n, n_bins));
    TRY(buf_reserve(order, p->device, 4 * n));
    TRY(radix_sort(p, n, n_bins, 0, NULL, order, &sorted));
    *keys = sorted;
    return FARSUM_OK;
}

farsum_status gpu_keys_order(struct points_gpu *p, int64_t n, int bits,
                             const struct buf *given, struct buf *order)
{
    struct buf *keys = NULL;
    TRY(gpu_radix_reserve(p, n, (int64_t)1 << bits));
    TRY(buf_reserve(order, p->device, 4 * n));
    return radix_sort(p, n, (int64_t)1 << bits, 0, given, order, &keys);
}
