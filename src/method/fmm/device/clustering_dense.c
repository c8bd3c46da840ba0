/* SPDX-License-Identifier: Apache-2.0 */
/* clustering_dense.c: clustering statistics of a dense tree's boxes on a
 * device, the counterpart of method/fmm/boxes/clustering.c.  Points of a
 * crystal, even a warm one, have few distinct positions in boxes of whole unit
 * cells; clustered points lie in few boxes. */
#include <string.h>

#include "base/mem.h"
#include "method/fmm/device/clustering.h"

/* The number of sources in a target's boxes over that of even boxes, above
 * which points count as clustered. */
#define CROWDED 1.5

/* Sums over a side's points, for boxes above the leaves. */
static farsum_status dense_points(struct fmm_gpu_crowd *w, const struct tree *t,
                                  const struct tree_gpu_region *region,
                                  int side, struct crowd_args *a)
{
    const struct tree_gpu_points *p = side ? &t->gpu->target : &t->gpu->source;
    struct device *device = t->gpu->device;
    int64_t above = 8 * CROWD_SUMS * t->first[t->depth];
    int64_t boxes = t->depth > 0 ? tree_boxes(t, t->depth - 1) : 1;
    fmm_gpu_crowd_points(p, side, crowd_step_above(p->n, boxes), a);
    a->leaf[side] = crowd_step(p->n, crowd_skip(tree_boxes(t, t->depth)));
    TRY(buf_reserve(&w->upper[side], device, above));
    if (a->lowest == t->depth)
        return FARSUM_OK;
    TRY(buf_fill_part(&w->upper[side], 0, 0, above));
    return LAUNCH(&w->samples, kernel_groups(&w->samples, a->samples[side]),
                  ARG_BUF(&p->begin), ARG_BUF(&p->x), ARG_BUF(&w->table),
                  ARG_BUF(&w->upper[side]), ARG_I64(p->n), ARG_I64(t->n_leaves),
                  ARG_F64(w->half), ARG_I32(side), ARG_STRUCT(*region),
                  ARG_STRUCT(*a));
}

static farsum_status dense_lists(struct fmm_gpu_crowd *w, const struct tree *t,
                                 const struct buf *const count[2],
                                 struct crowd_args *a)
{
    const struct tree_gpu *gpu = t->gpu;
    const struct tree_args args = {.depth = t->depth, .ws = t->ws};
    const struct tree_gpu_region region = tree_gpu_region(t, &args);
    int64_t all = fmm_gpu_crowd_boxes(t, a);
    int aim = t->separate;
    TRY(buf_reserve(&w->squares, gpu->device, 8 * t->n_leaves));
    TRY(buf_reserve(&w->record, gpu->device, 8 * CROWD_LIST * all));
    for (int side = 0; side <= aim; side++)
        TRY(dense_points(w, t, &region, side, a));
    TRY(LAUNCH(&w->octants, t->n_leaves / (CROWD_GROUP / CROWD_TEAM) + 1,
               ARG_BUF(&gpu->source.begin), ARG_BUF(&gpu->source.x),
               ARG_BUF(&w->squares), ARG_I64(gpu->source.n),
               ARG_I64(t->n_leaves)));
    const struct tree_gpu_points *to = tree_gpu_targets(t);
    TRY(LAUNCH(&w->lists, all, ARG_BUF(count[0]), ARG_BUF(count[aim]),
               ARG_BUF(&gpu->source.begin), ARG_BUF(&to->begin),
               ARG_BUF(&w->squares), ARG_BUF(&w->upper[0]),
               ARG_BUF(&w->upper[aim]), ARG_BUF(&gpu->source.x),
               ARG_BUF(&to->x), ARG_BUF(&w->table), ARG_BUF(&w->known),
               ARG_BUF(&w->record), ARG_I64(gpu->source.n), ARG_I64(to->n),
               ARG_F64(w->half), ARG_STRUCT(region), ARG_STRUCT(*a),
               ARG_I32(aim)));
    return fmm_gpu_crowd_fold(w, a);
}

farsum_status fmm_gpu_crowd_dense(const struct tree *tree, int first,
                                  const struct buf *const count[2],
                                  struct fmm_gpu_crowd **room,
                                  struct fmm_crowd *crowd)
{
    struct crowd_args a = {.lowest = first, .deepest = tree->depth};
    double fact[CROWD_FACTS], targets = (double)tree_targets(tree)->n;
    for (int k = 0; k < K; k++)
        for (int field = 0; field < 2; field++)
            crowd->far[k][field] = crowd->uneven[k][field] = 0;
    crowd->listed = 1;
    if (first > tree->depth)
        return FARSUM_OK;
    TRY(fmm_gpu_crowd_ready(tree, "method/fmm/boxes/clustering_dense.k", room));
    TRY(dense_lists(*room, tree, count, &a));
    TRY(buf_download(&(*room)->fact, 0, fact, sizeof fact));
    for (int level = first; level <= tree->depth; level++)
        fmm_gpu_crowd_take(tree, level,
                           fact + CROWD_OWN + CROWD_LIST * (level - first),
                           targets, crowd);
    return FARSUM_OK;
}

/* Separate targets do not describe the clustering of the sources, so they count
 * as clustered. */
static int dense_crowded(const struct fmm *s)
{
    struct fmm_crowd even;
    if (s->tree.separate)
        return 1;
    fmm_shape_crowd(s, &s->shape, s->source.n, &even);
    for (int k = 0; k < 2; k++)
        if (s->crowd.random[k] > CROWDED * even.random[k])
            return 1;
    return 0;
}

/* Computing the statistics takes longer than many points' sums gain from them.
 * Points that move in unchanged boxes keep their statistics.  Returns 1 if
 * s->crowd is set. */
static int dense_known(struct fmm *s)
{
    const struct fmm_held *held = &s->gpu->held;
    struct fmm_crowd *crowd = &s->crowd;
    if (s->source.n <= CROWD_POINTS || held->n != s->source.n
        || held->ws != s->shape.ws || held->depth != s->shape.depth
        || memcmp(held->root, s->shape.root, sizeof held->root) != 0)
        return 0;
    crowd->listed = 1;
    for (int k = 0; k < K; k++)
        for (int field = 0; field < 2; field++) {
            double of = crowd->random[field];
            crowd->far[k][field] = of * held->far[k][field];
            crowd->uneven[k][field] = of * held->uneven[k][field];
        }
    return 1;
}

static void dense_keep(struct fmm *s)
{
    const struct fmm_crowd *crowd = &s->crowd;
    struct fmm_held *held = &s->gpu->held;
    *held = (struct fmm_held){s->shape.depth, s->shape.ws, .n = s->source.n};
    memcpy(held->root, s->shape.root, sizeof held->root);
    for (int k = 0; k < K; k++)
        for (int field = 0; field < 2; field++) {
            double of = crowd->random[field];
            held->far[k][field] = of > 0 ? crowd->far[k][field] / of : 0;
            held->uneven[k][field] = of > 0 ? crowd->uneven[k][field] / of : 0;
        }
}

farsum_status fmm_gpu_dense(struct fmm *s)
{
    struct fmm_gpu *g = s->gpu;
    const struct buf *const count[2] = {&g->boxes, &g->target_boxes};
    int crowded = dense_crowded(s);
    if (!crowded && dense_known(s))
        return FARSUM_OK;
    if (s->tree.separate)
        TRY(fmm_gpu_count(s, &s->tree.gpu->target, &g->target_boxes));
    TRY(fmm_gpu_crowd_dense(&s->tree, fmm_shape_first(s, &s->shape), count,
                            &g->dense, &s->crowd));
    /* the boxes do not fit the clusters: they lie towards each other's
     * corners */
    s->crowd.sparse = crowded;
    if (!crowded)
        dense_keep(s);
    return FARSUM_OK;
}
