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
#define CLUSTERINGED 1.5

farsum_status fmm_gpu_clustering_side(struct clustering_gpu *w,
                                      const struct tree *t,
                                      const struct tree_gpu_region *region,
                                      int side, struct clustering_args *a)
{
    const struct tree_gpu_points *p = side ? &t->gpu->target : &t->gpu->source;
    struct device *device = t->gpu->device;
    int64_t above = 8 * CLUSTERING_SUMS * t->first[t->depth];
    int64_t boxes = t->depth > 0 ? tree_boxes(t, t->depth - 1) : 1;
    fmm_gpu_clustering_points(p, side, clustering_step_above(p->n, boxes), a);
    a->leaf[side] =
        clustering_step(p->n, clustering_skip(tree_boxes(t, t->depth)));
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

farsum_status fmm_gpu_clustering_lists(struct clustering_gpu *w,
                                       const struct tree *t,
                                       const struct buf *const count[2],
                                       struct clustering_args *a)
{
    const struct tree_gpu *gpu = t->gpu;
    const struct tree_args args = {.depth = t->depth, .ws = t->ws};
    const struct tree_gpu_region region = tree_gpu_region(t, &args);
    int64_t all = fmm_gpu_clustering_boxes(t, a);
    int aim = t->separate;
    TRY(buf_reserve(&w->squares, gpu->device, 8 * t->n_leaves));
    TRY(buf_reserve(&w->record, gpu->device, 8 * CLUSTERING_LIST * all));
    for (int side = 0; side <= aim; side++)
        TRY(fmm_gpu_clustering_side(w, t, &region, side, a));
    TRY(LAUNCH(
        &w->octants, t->n_leaves / (CLUSTERING_GROUP / CLUSTERING_TEAM) + 1,
        ARG_BUF(&gpu->source.begin), ARG_BUF(&gpu->source.x),
        ARG_BUF(&w->squares), ARG_I64(gpu->source.n), ARG_I64(t->n_leaves)));
    const struct tree_gpu_points *to = tree_gpu_targets(t);
    TRY(LAUNCH(&w->lists, all, ARG_BUF(count[0]), ARG_BUF(count[aim]),
               ARG_BUF(&gpu->source.begin), ARG_BUF(&to->begin),
               ARG_BUF(&w->squares), ARG_BUF(&w->upper[0]),
               ARG_BUF(&w->upper[aim]), ARG_BUF(&gpu->source.x),
               ARG_BUF(&to->x), ARG_BUF(&w->table), ARG_BUF(&w->known),
               ARG_BUF(&w->record), ARG_I64(gpu->source.n), ARG_I64(to->n),
               ARG_F64(w->half), ARG_STRUCT(region), ARG_STRUCT(*a),
               ARG_I32(aim)));
    return fmm_gpu_clustering_fold(w, a);
}

void fmm_gpu_clustering_means(const struct tree *tree, int first, int64_t m,
                              const double *fact,
                              struct fmm_clustering *clustering)
{
    for (int level = first; level <= tree->depth; level++) {
        const double *from = fact + CLUSTERING_LIST * (level - first);
        struct clustering_sums all;
        memcpy(&all, from, sizeof all);
        clustering_means(tree, m, level, &all, (double)m, clustering);
    }
}

farsum_status fmm_gpu_clustering_dense(const struct tree *tree, int first,
                                       const struct buf *const count[2],
                                       struct clustering_gpu **workspace,
                                       struct fmm_clustering *clustering)
{
    struct clustering_args a = {.lowest = first, .deepest = tree->depth};
    double fact[CLUSTERING_FACTS];
    memset(clustering->far, 0, sizeof clustering->far);
    memset(clustering->uneven, 0, sizeof clustering->uneven);
    clustering->listed = 1;
    if (first > tree->depth)
        return FARSUM_OK;
    TRY(fmm_gpu_clustering_ready(tree, "method/fmm/boxes/clustering_dense.k",
                                 workspace));
    do {
        TRY(fmm_gpu_clustering_lists(*workspace, tree, count, &a));
        TRY(buf_download(&(*workspace)->fact, 0, fact, sizeof fact));
    } while (fmm_gpu_clustering_finer(&a, fact + CLUSTERING_OWN, NULL,
                                      tree_targets(tree)->n));
    fmm_gpu_clustering_means(tree, first, tree_targets(tree)->n,
                             fact + CLUSTERING_OWN, clustering);
    return clustering_images(tree, tree->gpu->source.n, clustering);
}

/* Separate targets do not describe the clustering of the sources, so they count
 * as clustered. */
static int dense_clustered(const struct fmm *s)
{
    struct fmm_clustering even;
    if (s->all_m > 0)
        return 1;
    fmm_shape_clustering(s, &s->shape, s->all_n, &even);
    for (int k = 0; k < 2; k++)
        if (s->clustering.random[k] > CLUSTERINGED * even.random[k])
            return 1;
    return 0;
}

/* Computing the statistics takes longer than many points' sums gain from them.
 * Points that move in unchanged boxes keep their statistics. */
int fmm_gpu_dense_known(struct fmm *s)
{
    const struct fmm_held *held = &s->gpu->held;
    struct fmm_clustering *clustering = &s->clustering;
    if (dense_clustered(s) || s->all_n <= CLUSTERING_POINTS
        || held->n != s->all_n || held->ws != s->shape.ws
        || held->depth != s->shape.depth
        || memcmp(held->root, s->shape.root, sizeof held->root) != 0)
        return 0;
    clustering->listed = 1;
    for (int k = 0; k < K; k++)
        for (int field = 0; field < 2; field++) {
            double of = clustering->random[field];
            clustering->far[k][field] = of * held->far[k][field];
            clustering->uneven[k][field] = of * held->uneven[k][field];
        }
    return 1;
}

int fmm_gpu_dense_keep(struct fmm *s)
{
    const struct fmm_clustering *clustering = &s->clustering;
    struct fmm_held *held = &s->gpu->held;
    if (dense_clustered(s))
        return 0;
    *held = (struct fmm_held){s->shape.depth, s->shape.ws, .n = s->all_n};
    memcpy(held->root, s->shape.root, sizeof held->root);
    for (int k = 0; k < K; k++)
        for (int field = 0; field < 2; field++) {
            double of = clustering->random[field];
            held->far[k][field] = of > 0 ? clustering->far[k][field] / of : 0;
            held->uneven[k][field] =
                of > 0 ? clustering->uneven[k][field] / of : 0;
        }
    return 1;
}

farsum_status fmm_gpu_dense(struct fmm *s)
{
    struct fmm_gpu *g = s->gpu;
    const struct buf *const count[2] = {&g->boxes, &g->target_boxes};
    if (fmm_gpu_dense_known(s))
        return FARSUM_OK;
    if (s->tree.separate)
        TRY(fmm_gpu_count(s, &s->tree.gpu->target, &g->target_boxes));
    TRY(fmm_gpu_clustering_dense(&s->tree, fmm_shape_first(s, &s->shape), count,
                                 &g->dense, &s->clustering));
    /* the boxes do not fit the clusters: they lie towards each other's
     * corners */
    s->clustering.sparse = !fmm_gpu_dense_keep(s);
    return FARSUM_OK;
}
