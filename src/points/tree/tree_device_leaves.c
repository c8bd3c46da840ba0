/* SPDX-License-Identifier: Apache-2.0 */
/* tree_device_leaves.c: leaves of a sparse tree on a device: compiling its
 * kernels, sorting points by keys, and finding the boxes level by level, from
 * the deepest level to the root. */
#include <string.h>

#include "base/mem.h"
#include "points/tree/tree_device_build.h"

enum { TILE = BUILD_GROUP * BUILD_ITEMS, HALF = 32 };

static farsum_status build_kernels(struct tree_gpu_build *b)
{
    const struct {
        struct jit *jit;
        const char *name;
        struct kernel *kernel;
    } all[] = {
        {&b->levels_jit, "tree_halves", &b->halves},
        {&b->levels_jit, "tree_turn", &b->turn},
        {&b->levels_jit, "tree_join", &b->join},
        {&b->levels_jit, "tree_merge", &b->merge},
        {&b->levels_jit, "tree_parts", &b->parts},
        {&b->levels_jit, "tree_above", &b->above},
        {&b->levels_jit, "tree_around", &b->around},
        {&b->levels_jit, "tree_words", &b->words},
        {&b->levels_jit, "tree_words_before", &b->words_before},
        {&b->levels_jit, "tree_levels", &b->levels},
        {&b->levels_jit, "tree_leaves", &b->leaves},
        {&b->boxes_jit, "tree_count", &b->count},
        {&b->boxes_jit, "tree_first", &b->first_of},
        {&b->boxes_jit, "tree_boxes", &b->boxes},
        {&b->boxes_jit, "tree_links", &b->links},
        {&b->boxes_jit, "tree_slots", &b->slots},
        {&b->boxes_jit, "tree_begin", &b->begin},
        {&b->boxes_jit, "tree_places", &b->places},
        {&b->boxes_jit, "tree_within", &b->within},
        {&b->near_jit, "tree_near", &b->near},
    };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        int near = all[i].jit == &b->near_jit;
        TRY(jit_kernel(all[i].jit, all[i].name, near ? BUILD_NEAR : BUILD_GROUP,
                       0, all[i].kernel));
    }
    return FARSUM_OK;
}

static farsum_status build_compile(struct device *device,
                                   farsum_precision precision,
                                   struct tree_gpu_build *b)
{
    b->precision = precision;
    jit_begin(&b->levels_jit, device, "points/tree/tree_device_levels.k",
              FARSUM_F64);
    jit_define(&b->levels_jit, "GROUP", "%d", BUILD_GROUP);
    jit_define(&b->levels_jit, "ITEMS", "%d", BUILD_ITEMS);
    TRY(jit_build(&b->levels_jit));
    jit_begin(&b->boxes_jit, device, "points/tree/tree_device_boxes.k",
              precision);
    jit_define(&b->boxes_jit, "GROUP", "%d", BUILD_GROUP);
    jit_define(&b->boxes_jit, "TEAM", "%d", BUILD_TEAM);
    jit_define(&b->boxes_jit, "LEVELS", "%d", TREE_GPU_LEVELS);
    TRY(jit_build(&b->boxes_jit));
    jit_begin(&b->near_jit, device, "points/tree/tree_device_near.k",
              FARSUM_F64);
    jit_define(&b->near_jit, "GROUP", "%d", BUILD_NEAR);
    TRY(jit_build(&b->near_jit));
    TRY(gpu_scan_create(device, GPU_SCAN_U32, &b->scan));
    TRY(gpu_scan_create(device, GPU_SCAN_U32_U64, &b->wide));
    TRY(buf_alloc(&b->count_at, device, 4 * (1 + TREE_GPU_LEVELS)));
    TRY(buf_alloc(&b->total, device, 4));
    TRY(buf_alloc(&b->sum[0], device, 8));
    TRY(buf_alloc(&b->sum[1], device, 8));
    return build_kernels(b);
}

void tree_gpu_build_destroy(struct tree_gpu_build *b)
{
    if (!b)
        return;
    struct buf *all[] = {
        &b->word[0],   &b->word[1],   &b->word[2],   &b->word[3],
        &b->part,      &b->level,     &b->key[0],    &b->key[1],
        &b->both,      &b->tile,      &b->total,     &b->corner,
        &b->span,      &b->counts[0], &b->counts[1], &b->count_at,
        &b->before[0], &b->before[1], &b->slot_key,  &b->sum[0],
        &b->sum[1],
    };
    struct jit *jits[] = {&b->levels_jit, &b->boxes_jit, &b->near_jit};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        buf_clear(all[i]);
    gpu_scan_destroy(b->scan);
    gpu_scan_destroy(b->wide);
    for (size_t i = 0; i < sizeof jits / sizeof *jits; i++)
        if (jits[i]->device)
            jit_clear(jits[i]);
    mem_free(b);
}

farsum_status build_ready(struct tree_gpu *gpu, farsum_precision precision)
{
    if (gpu->build && gpu->build->near.handle
        && gpu->build->precision == precision)
        return FARSUM_OK;
    tree_gpu_build_destroy(gpu->build);
    gpu->build = NULL;
    TRY(MEM_NEW(gpu->build, 1));
    return build_compile(gpu->device, precision, gpu->build);
}

/* Number of bits of a key. */
static int region_bits(const struct tree_gpu_region *a)
{
    uint64_t most = 0;
    for (int d = 0; d < 3; d++)
        most |= tree_spread(((uint64_t)a->root[d] << a->depth) - 1) << d;
    return most == 0 ? 1 : 64 - __builtin_clzll(most);
}

/* Sorts one side: its order, and its keys in that order. */
static farsum_status side_sort(struct tree_gpu *gpu,
                               const struct tree_gpu_region *region,
                               const struct tree_gpu_given *given,
                               struct buf *order, struct buf *key)
{
    struct tree_gpu_build *b = gpu->build;
    struct points_gpu *p = given->points;
    struct tree_gpu_region a = *region;
    struct buf *capacity = NULL, *low = &b->word[2], *high = &b->word[0];
    const struct buf *x = given->x ? given->x : &p->s;
    int64_t n = p->n, groups = kernel_groups(&b->halves, n);
    int bits = region_bits(region), first = bits < HALF ? bits : HALF;
    a.n = n;
    a.wide = given->wide;
    a.fractions = given->x == NULL;
    a.unit = given->unit;
    TRY(buf_reserve(order, gpu->device, 4 * n));
    TRY(buf_reserve(key, gpu->device, 8 * n));
    TRY(gpu_keys_reserve(p, n, (int64_t)1 << (first < 31 ? first : 31),
                         &capacity));
    TRY(LAUNCH(&b->halves, groups, ARG_BUF(x), ARG_BUF(x), ARG_BUF(low),
               ARG_BUF(high), ARG_STRUCT(a)));
    TRY(buf_copy(capacity, 0, low, 0, 4 * n));
    TRY(gpu_keys_order(p, n, first, NULL, bits > first ? &b->word[1] : order));
    if (bits > first) {
        TRY(LAUNCH(&b->turn, groups, ARG_BUF(high), ARG_BUF(&b->word[1]),
                   ARG_BUF(capacity), ARG_I64(n)));
        TRY(gpu_keys_order(p, n, bits - first, &b->word[1], order));
    }
    return LAUNCH(&b->join, groups, ARG_BUF(low), ARG_BUF(high), ARG_BUF(order),
                  ARG_BUF(key), ARG_I64(n));
}

/* The inputs that determine the keys of these points. */
static struct build_sorted sort_of(const struct tree_gpu_region *region,
                                   const struct tree_gpu_given *sources,
                                   const struct tree_gpu_given *targets)
{
    const struct tree_gpu_given *sides[] = {sources, targets};
    struct build_sorted s;
    memset(&s, 0, sizeof s);
    s.region = *region;
    s.region.leaf = s.region.ws = 0;
    for (int k = 0; k < 2; k++)
        if (sides[k]) {
            s.version[k] = sides[k]->points->version;
            s.n[k] = sides[k]->points->n;
            s.x[k] = sides[k]->x;
        }
    return s;
}

static farsum_status build_sort(struct tree_gpu *gpu,
                                const struct tree_gpu_region *region,
                                const struct tree_gpu_given *sources,
                                const struct tree_gpu_given *targets)
{
    struct tree_gpu_build *b = gpu->build;
    struct build_sorted now = sort_of(region, sources, targets);
    int64_t n = sources->points->n, m = targets ? targets->points->n : 0;
    if (b->is_sorted && memcmp(&now, &b->sorted, sizeof now) == 0)
        return FARSUM_OK;
    b->is_sorted = 0;
    TRY(side_sort(gpu, region, sources, &gpu->source.order, &b->key[0]));
    if (targets) {
        TRY(side_sort(gpu, region, targets, &gpu->target.order, &b->key[1]));
        TRY(buf_reserve(&b->both, gpu->device, 8 * (n + m)));
        TRY(LAUNCH(&b->merge, kernel_groups(&b->merge, n), ARG_BUF(&b->key[0]),
                   ARG_BUF(&b->key[1]), ARG_BUF(&b->both), ARG_I64(n),
                   ARG_I64(m), ARG_I32(0)));
        TRY(LAUNCH(&b->merge, kernel_groups(&b->merge, m), ARG_BUF(&b->key[1]),
                   ARG_BUF(&b->key[0]), ARG_BUF(&b->both), ARG_I64(m),
                   ARG_I64(n), ARG_I32(1)));
    }
    b->sorted = now;
    b->is_sorted = 1;
    return FARSUM_OK;
}

/* Number of thread blocks for lists whose length only the device knows. */
static int64_t list_groups(const struct tree_gpu *gpu, int64_t n)
{
    int64_t most = 8 * (int64_t)gpu->device->properties.units;
    int64_t groups = (n + BUILD_GROUP - 1) / BUILD_GROUP;
    groups = groups < most ? groups : most;
    return groups > 0 ? groups : 1;
}

/* Marks divided boxes. */
static farsum_status build_divide(struct tree_gpu *gpu, const struct buf *key,
                                  const struct tree_gpu_region *a)
{
    struct tree_gpu_build *b = gpu->build;
    struct buf *above = &b->word[0], *list = &b->word[1], *mark = &b->word[2];
    struct buf *queue = &b->word[3], *count = &b->count_at;
    int64_t groups = list_groups(gpu, a->n);
    TRY(buf_fill(count, 0));
    TRY(LAUNCH(&b->parts, kernel_groups(&b->parts, a->n), ARG_BUF(key),
               ARG_BUF(&b->part), ARG_BUF(mark), ARG_BUF(above), ARG_BUF(list),
               ARG_BUF(count), ARG_STRUCT(*a)));
    for (int level = a->depth - 2; level >= 0; level--) {
        TRY(LAUNCH(&b->above, groups, ARG_BUF(key), ARG_BUF(&b->part),
                   ARG_BUF(mark), ARG_BUF(above), ARG_BUF(list), ARG_BUF(queue),
                   ARG_BUF(count), ARG_STRUCT(*a), ARG_I32(level)));
        TRY(LAUNCH(&b->around, groups, ARG_BUF(key), ARG_BUF(mark),
                   ARG_BUF(list), ARG_BUF(queue), ARG_BUF(count),
                   ARG_STRUCT(*a), ARG_I32(level)));
    }
    return FARSUM_OK;
}

farsum_status build_leaves(struct tree *tree,
                           const struct tree_gpu_region *region,
                           const struct tree_gpu_given *sources,
                           const struct tree_gpu_given *targets)
{
    struct tree_gpu *gpu = tree->gpu;
    struct tree_gpu_build *b = gpu->build;
    const struct tree_gpu_region *a = region;
    const struct buf *key = targets ? &b->both : &b->key[0];
    struct buf *number = &b->word[3], *mark = &b->word[2];
    int64_t n = a->n, tiles = n / TILE + 1;
    uint32_t leaves = 0;
    for (int w = 0; w < 4; w++)
        TRY(buf_reserve(&b->word[w], gpu->device, 4 * n));
    TRY(buf_reserve(&b->part, gpu->device, n));
    TRY(buf_reserve(&b->level, gpu->device, n));
    TRY(buf_reserve(&b->tile, gpu->device, 4 * tiles));
    TRY(build_sort(gpu, region, sources, targets));
    TRY(build_divide(gpu, key, a));
    TRY(LAUNCH(&b->words, tiles, ARG_BUF(&b->part), ARG_BUF(mark),
               ARG_BUF(&b->tile), ARG_I64(n)));
    TRY(LAUNCH(&b->words_before, 1, ARG_BUF(&b->tile), ARG_I64(tiles)));
    TRY(LAUNCH(&b->levels, tiles, ARG_BUF(&b->part), ARG_BUF(mark),
               ARG_BUF(&b->tile), ARG_BUF(&b->level), ARG_BUF(number),
               ARG_I64(n)));
    TRY(gpu_scan_run(b->scan, number, number, n, &b->total));
    TRY(buf_download(&b->total, 0, &leaves, sizeof leaves));
    tree->n_leaves = n > 0 ? (int64_t)leaves : 0;
    TRY(buf_reserve(&b->corner, gpu->device, 8 * tree->n_leaves));
    TRY(buf_reserve(&b->span, gpu->device, 4 * tree->n_leaves));
    return LAUNCH(&b->leaves, kernel_groups(&b->leaves, n), ARG_BUF(key),
                  ARG_BUF(&b->part), ARG_BUF(&b->level), ARG_BUF(number),
                  ARG_BUF(&b->corner), ARG_BUF(&b->span), ARG_I64(n),
                  ARG_I32(a->depth));
}
