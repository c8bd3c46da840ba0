/* SPDX-License-Identifier: Apache-2.0 */
/* tree.c: dense or sparse tree of points on a device. */
#include <string.h>

#include "base/mem.h"
#include "method/fmm/device/set_points.h"
#include "points/device/set.h"
#include "points/device/sort_state.h"

/* Must equal the struct in method/fmm/device/sums.k. */
struct fmm_boxes {
    int64_t roots, leaves;
    int32_t depth, level, lowest, spare;
};
_Static_assert(sizeof(struct fmm_boxes) == 32, "as the kernel has it");

farsum_status fmm_gpu_fractions(const struct task *task, struct fmm *s,
                                int64_t m, const double corner[3],
                                const double edge[3])
{
    struct fmm_gpu *g = s->gpu;
    struct points *sides[] = {&s->source, &s->target};
    const struct buf *x[] = {&g->x, &g->y};
    struct fmm_region region = {.per = task_per(task),
                                .wide = task->problem.arrays != FARSUM_F32};
    memcpy(region.corner, corner, sizeof region.corner);
    memcpy(region.edge, edge, sizeof region.edge);
    for (int k = 0; k < (m > 0 ? 2 : 1); k++) {
        region.n = sides[k]->n;
        TRY(buf_reserve(&sides[k]->gpu->s, g->device, 24 * region.n));
        TRY(LAUNCH(&g->place, kernel_groups(&g->place, region.n), ARG_BUF(x[k]),
                   ARG_BUF(x[k]), ARG_BUF(&sides[k]->gpu->s),
                   ARG_STRUCT(region)));
        sides[k]->gpu->placed = 1;
    }
    return FARSUM_OK;
}

farsum_status fmm_gpu_tree_args(const struct task *task, const struct fmm *s,
                                struct tree_args *args)
{
    const double *low = s->gpu->low, *high = s->gpu->high;
    *args = (struct tree_args){
        .dense = s->shape.dense,
        .depth = s->shape.depth,
        .ws = s->shape.ws,
        .leaf = s->shape.leaf ? s->shape.leaf : 1,
        .precision = task->problem.precision,
        .threads = task->threads,
    };
    for (int d = 0; d < 3; d++) {
        args->periodic[d] = s->input.periodic;
        args->root[d] = s->shape.root[d];
        args->edge[d] = s->input.edge[d];
    }
    if (s->input.periodic)
        return FARSUM_OK;
    const double ends[3][2] = {
        {low[0], high[0]}, {low[1], high[1]}, {low[2], high[2]}};
    const struct tree_given two = {2, {ends[0], ends[1], ends[2]}, 1, 0};
    return tree_region(args, &two, NULL);
}

farsum_status fmm_gpu_tree(const struct task *task, struct fmm *s, int64_t m)
{
    struct tree_args args;
    TRY(fmm_gpu_tree_args(task, s, &args));
    return tree_gpu_set(&s->tree, &args, s->source.gpu,
                        m > 0 ? s->target.gpu : NULL);
}

static struct fmm_boxes gpu_boxes(const struct fmm *s)
{
    const struct tree *t = &s->tree;
    return (struct fmm_boxes){.roots = tree_boxes(t, 0),
                              .leaves = t->n_leaves,
                              .depth = t->depth,
                              .lowest = fmm_shape_first(s, &s->shape)};
}

farsum_status fmm_gpu_count(struct fmm *s, const struct tree_gpu_points *points,
                            struct buf *count)
{
    struct fmm_gpu *g = s->gpu;
    struct tree *t = &s->tree;
    struct fmm_boxes boxes = gpu_boxes(s);
    TRY(buf_reserve(count, g->device, 4 * t->n_boxes));
    for (boxes.level = t->depth; boxes.level >= 0; boxes.level--)
        TRY(LAUNCH(&g->count,
                   kernel_groups(&g->count, tree_boxes(t, boxes.level)),
                   ARG_BUF(&points->begin), ARG_BUF(count), ARG_STRUCT(boxes)));
    return FARSUM_OK;
}

/* Computes the statistics of the boxes' sources into facts. */
farsum_status fmm_gpu_clustering(struct fmm *s)
{
    struct fmm_gpu *g = s->gpu;
    struct tree *t = &s->tree;
    int64_t groups = fmm_groups(t->n_leaves, FMM_GROUP);
    struct fmm_boxes boxes = gpu_boxes(s);
    TRY(fmm_gpu_count(s, &t->gpu->source, &g->boxes));
    TRY(LAUNCH(&g->clustering, groups, ARG_BUF(&g->boxes),
               ARG_BUF(&tree_gpu_targets(t)->begin), ARG_BUF(&g->record),
               ARG_STRUCT(boxes)));
    return LAUNCH(&g->fold, 1, ARG_BUF(&g->record), ARG_BUF(&g->fact),
                  ARG_I64(groups), ARG_I32(FMM_FACT_CLUSTERING), ARG_I32(4));
}

farsum_status fmm_gpu_sparse_tree(const struct task *task, struct fmm *s,
                                  int64_t m)
{
    const struct fmm_gpu *g = s->gpu;
    int wide = task->problem.arrays != FARSUM_F32;
    /* a cell uses the wrapped fractions */
    int cell = s->input.periodic;
    const struct tree_gpu_given source = {s->source.gpu, cell ? NULL : &g->x,
                                          wide, task_per(task)};
    const struct tree_gpu_given target = {s->target.gpu, cell ? NULL : &g->y,
                                          wide, task_per(task)};
    struct tree_args args;
    TRY(fmm_gpu_tree_args(task, s, &args));
    TRY(tree_gpu_set_sparse(&s->tree, &args, &source, m > 0 ? &target : NULL));
    return clustering_gpu(&s->tree, fmm_shape_first(s, &s->shape),
                          &s->gpu->lists, &s->clustering);
}
