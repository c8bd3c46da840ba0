/* SPDX-License-Identifier: Apache-2.0 */
/* tree_device_sparse.c: builds a sparse tree on a device from points there.
 *
 * The leaves give the boxes, the boxes with children (slots), the slots near
 * each slot, and the points of each leaf.  The host waits three times: to read
 * the numbers of leaves, of boxes and slots, and of near boxes. */
#include <string.h>

#include "base/mem.h"
#include "points/tree/tree_device_build.h"

enum { NEAR = sizeof(struct tree_gpu_near) };

void tree_gpu_sparse_clear(struct tree_gpu_sparse *s)
{
    struct buf *all[] = {&s->near_begin, &s->near, &s->leaf,  &s->place,
                         &s->root,       &s->slot, &s->at,    &s->key,
                         &s->table,      &s->kind, &s->begin, &s->end};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        buf_clear(all[i]);
    *s = (struct tree_gpu_sparse){0};
}

struct tree_gpu_region tree_gpu_region(const struct tree *tree,
                                       const struct tree_args *args)
{
    struct tree_gpu_region a;
    memset(&a, 0, sizeof a);
    a.h0 = tree->h0;
    a.leaf = args->leaf;
    a.depth = args->depth;
    a.ws = args->ws;
    for (int d = 0; d < 3; d++) {
        a.corner[d] = tree->corner[d];
        a.edge[d] = tree->edge[d];
        a.box[d] = tree->box[d];
        a.root[d] = (int32_t)tree->root[d];
        a.periodic[d] = tree->periodic[d];
    }
    return a;
}

/* Reads the numbers of boxes and slots, and the offsets of levels and
 * octants. */
static farsum_status sparse_counts(struct tree *tree,
                                   const struct tree_gpu_region *a)
{
    struct tree_gpu *gpu = tree->gpu;
    struct tree_gpu_build *b = gpu->build;
    struct tree_gpu_sparse *s = &gpu->sparse;
    int64_t leaves = tree->n_leaves, first[TREE_GPU_FIRSTS] = {0};
    int64_t groups = kernel_groups(&b->count, leaves);
    const int64_t n[2] = {8 * TREE_GPU_LEVELS * groups,
                          TREE_GPU_LEVELS * groups};
    for (int k = 0; k < 2; k++) {
        TRY(buf_reserve(&b->counts[k], gpu->device, 4 * n[k]));
        TRY(buf_reserve(&b->before[k], gpu->device, 8 * n[k]));
    }
    TRY(buf_reserve(&s->table, gpu->device, sizeof first));
    TRY(LAUNCH(&b->count, groups, ARG_BUF(&b->corner), ARG_BUF(&b->span),
               ARG_BUF(&b->counts[0]), ARG_BUF(&b->counts[1]), ARG_I64(leaves),
               ARG_I32(a->depth)));
    for (int k = 0; k < 2; k++)
        TRY(gpu_scan_run(b->wide, &b->counts[k], &b->before[k], n[k],
                         &b->sum[k]));
    TRY(LAUNCH(&b->first_of, 1, ARG_BUF(&b->before[0]), ARG_BUF(&b->before[1]),
               ARG_BUF(&b->sum[0]), ARG_BUF(&b->sum[1]), ARG_BUF(&s->table),
               ARG_I64(groups)));
    TRY(buf_download(&s->table, 0, first, sizeof first));
    memcpy(s->octant, first, sizeof s->octant);
    memcpy(s->first, first + 8 * TREE_GPU_LEVELS + 1,
           (TREE_GPU_LEVELS + 1) * sizeof *first);
    s->slots = s->first[TREE_GPU_LEVELS];
    for (int level = 0; level <= TREE_GPU_LEVELS; level++)
        tree->first[level] = s->octant[8 * level];
    tree->n_boxes = s->octant[8 * TREE_GPU_LEVELS];
    tree->depth = 0;
    while (tree->depth < TREE_DEPTH
           && tree->first[tree->depth + 1] < tree->n_boxes)
        tree->depth++;
    return FARSUM_OK;
}

struct tree_gpu_lists tree_gpu_lists(const struct tree *tree)
{
    int64_t side = 2 * tree->ws + 1, near = side * side * side;
    int64_t slots = tree->gpu->sparse.slots;
    return (struct tree_gpu_lists){
        .slots = slots,
        .boxes = tree->n_boxes,
        .leaves = tree->n_leaves,
        .child = near * slots,
        .own = (near + 8) * slots,
        .parent = (near + 9) * slots,
    };
}

static farsum_status sparse_reserve(struct tree *tree,
                                    struct tree_gpu_lists *lists)
{
    struct tree_gpu *gpu = tree->gpu;
    struct tree_gpu_sparse *s = &gpu->sparse;
    struct device *device = gpu->device;
    int64_t boxes = tree->n_boxes, leaves = tree->n_leaves;
    if (boxes > INT32_MAX || leaves > GPU_BINS_MOST)
        FAIL(ERR_UNSUPPORTED, "%lld boxes are too many for a device",
             (long long)boxes);
    *lists = tree_gpu_lists(tree);
    TRY(buf_reserve(&s->slot, device, 4 * (lists->parent + boxes)));
    TRY(buf_reserve(&s->key, device, 8 * boxes));
    TRY(buf_reserve(&s->kind, device, 4 * boxes));
    TRY(buf_reserve(&s->at, device, 4 * boxes));
    TRY(buf_reserve(&s->begin, device, 4 * boxes));
    TRY(buf_reserve(&s->end, device, 4 * boxes));
    TRY(buf_reserve(&s->root, device, 4 * tree_boxes(tree, 0)));
    TRY(buf_reserve(&s->leaf, device, 4 * leaves));
    TRY(buf_reserve(&s->place, device, 16 * leaves));
    return buf_reserve(&gpu->build->slot_key, device, 8 * s->slots);
}

static farsum_status sparse_boxes(struct tree *tree,
                                  const struct tree_gpu_region *a,
                                  const struct tree_gpu_lists *lists)
{
    struct tree_gpu_build *b = tree->gpu->build;
    struct tree_gpu_sparse *s = &tree->gpu->sparse;
    int64_t leaves = tree->n_leaves, boxes = tree->n_boxes;
    TRY(LAUNCH(&b->boxes, kernel_groups(&b->boxes, leaves), ARG_BUF(&b->corner),
               ARG_BUF(&b->span), ARG_BUF(&b->before[0]),
               ARG_BUF(&b->before[1]), ARG_BUF(&s->table), ARG_BUF(&s->key),
               ARG_BUF(&s->begin), ARG_BUF(&s->kind), ARG_BUF(&s->at),
               ARG_BUF(&b->slot_key), ARG_BUF(&s->slot), ARG_BUF(&s->leaf),
               ARG_I64(leaves), ARG_I64(lists->own), ARG_I32(a->depth)));
    if (s->slots > 0) {
        TRY(buf_fill_part(&s->slot, 4 * lists->child, 0xff, 32 * s->slots));
        TRY(LAUNCH(&b->slots, kernel_groups(&b->slots, lists->child),
                   ARG_BUF(&s->table), ARG_BUF(&b->slot_key), ARG_BUF(&s->slot),
                   ARG_STRUCT(*lists), ARG_STRUCT(*a)));
    }
    TRY(LAUNCH(&b->links, kernel_groups(&b->links, boxes), ARG_BUF(&b->corner),
               ARG_BUF(&s->table), ARG_BUF(&s->key), ARG_BUF(&s->begin),
               ARG_BUF(&s->kind), ARG_BUF(&b->slot_key), ARG_BUF(&s->end),
               ARG_BUF(&s->slot), ARG_BUF(&s->root), ARG_STRUCT(*lists),
               ARG_STRUCT(*a)));
    return LAUNCH(&b->places, kernel_groups(&b->places, leaves),
                  ARG_BUF(&b->corner), ARG_BUF(&b->span), ARG_BUF(&s->place),
                  ARG_I64(leaves), ARG_I32(a->depth));
}

static farsum_status sparse_side(struct tree *tree,
                                 const struct tree_gpu_region *region,
                                 const struct tree_gpu_given *given,
                                 const struct buf *key,
                                 struct tree_gpu_points *p)
{
    struct tree_gpu *gpu = tree->gpu;
    struct tree_gpu_build *b = gpu->build;
    struct tree_gpu_region a = *region;
    const struct buf *x = given->x ? given->x : &given->points->s;
    int64_t n = given->points->n, leaves = tree->n_leaves;
    int64_t real = tree->precision == FARSUM_F32 ? 4 : 8;
    int64_t groups = leaves * BUILD_TEAM / BUILD_GROUP + 1;
    a.n = n;
    a.wide = given->wide;
    a.fractions = given->x == NULL;
    a.unit = given->unit;
    p->n = n;
    TRY(buf_reserve(&p->begin, gpu->device, 4 * (leaves + 1)));
    TRY(buf_reserve(&p->x, gpu->device, 3 * n * real));
    TRY(buf_reserve(&p->low, gpu->device, tree_gpu_low(tree, n)));
    TRY(LAUNCH(&b->begin, kernel_groups(&b->begin, leaves + 1),
               ARG_BUF(&b->corner), ARG_BUF(key), ARG_BUF(&p->begin),
               ARG_I64(leaves), ARG_I64(n)));
    return LAUNCH(&b->within, groups, ARG_BUF(x), ARG_BUF(x),
                  ARG_BUF(&p->begin), ARG_BUF(&p->order),
                  ARG_BUF(&gpu->sparse.place), ARG_BUF(&p->x), ARG_BUF(&p->low),
                  ARG_I64(leaves), ARG_STRUCT(a));
}

static farsum_status near_launch(struct tree *tree,
                                 const struct tree_gpu_region *a,
                                 const struct tree_gpu_lists *lists,
                                 int64_t entries, int fill)
{
    struct tree_gpu *gpu = tree->gpu;
    struct tree_gpu_build *b = gpu->build;
    struct tree_gpu_sparse *s = &gpu->sparse;
    return LAUNCH(
        &b->near, kernel_groups(&b->near, tree->n_leaves + 1),
        ARG_BUF(&s->leaf), ARG_BUF(&s->place), ARG_BUF(&s->slot),
        ARG_BUF(&s->key), ARG_BUF(&s->kind), ARG_BUF(&gpu->source.begin),
        ARG_BUF(&b->counts[0]), ARG_BUF(&b->before[0]), ARG_BUF(&s->near),
        ARG_BUF(&s->near_begin), ARG_I64(tree_boxes(tree, 0)), ARG_I64(entries),
        ARG_STRUCT(*lists), ARG_STRUCT(*a), ARG_I32(fill));
}

/* Makes near lists: lengths, their sum, entries. */
static farsum_status sparse_near(struct tree *tree,
                                 const struct tree_gpu_region *a,
                                 const struct tree_gpu_lists *lists)
{
    struct tree_gpu *gpu = tree->gpu;
    struct tree_gpu_build *b = gpu->build;
    struct tree_gpu_sparse *s = &gpu->sparse;
    int64_t leaves = tree->n_leaves;
    uint64_t entries = 0;
    TRY(buf_reserve(&s->near_begin, gpu->device, 4 * (leaves + 1)));
    TRY(buf_reserve(&b->counts[0], gpu->device, 4 * leaves));
    TRY(buf_reserve(&b->before[0], gpu->device, 8 * leaves));
    TRY(buf_reserve(&s->near, gpu->device, NEAR));
    if (leaves > 0) {
        TRY(near_launch(tree, a, lists, 0, 0));
        TRY(gpu_scan_run(b->wide, &b->counts[0], &b->before[0], leaves,
                         &b->sum[0]));
        TRY(buf_download(&b->sum[0], 0, &entries, sizeof entries));
    }
    if (entries > UINT32_MAX)
        FAIL(ERR_UNSUPPORTED,
             "near lists of %llu entries are too many for a device",
             (unsigned long long)entries);
    TRY(buf_reserve(&s->near, gpu->device, NEAR * (int64_t)entries));
    return near_launch(tree, a, lists, (int64_t)entries, 1);
}

farsum_status tree_gpu_sparse(struct tree *tree, const struct tree_args *args,
                              const struct tree_gpu_given *sources,
                              const struct tree_gpu_given *targets)
{
    struct tree_gpu *gpu = tree->gpu;
    struct tree_gpu_region a = tree_gpu_region(tree, args);
    struct tree_gpu_lists lists;
    a.n = sources->points->n + (targets ? targets->points->n : 0);
    if (a.n > GPU_POINTS_MOST)
        FAIL(ERR_UNSUPPORTED, "%lld points are too many for a device",
             (long long)a.n);
    TRY(build_ready(gpu, args->precision));
    TRY(build_leaves(tree, &a, sources, targets));
    TRY(sparse_counts(tree, &a));
    TRY(sparse_reserve(tree, &lists));
    if (tree->n_leaves > 0)
        TRY(sparse_boxes(tree, &a, &lists));
    TRY(sparse_side(tree, &a, sources, &gpu->build->key[0], &gpu->source));
    if (targets)
        TRY(sparse_side(tree, &a, targets, &gpu->build->key[1], &gpu->target));
    return sparse_near(tree, &a, &lists);
}
