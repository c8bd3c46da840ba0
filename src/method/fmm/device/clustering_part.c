/* SPDX-License-Identifier: Apache-2.0 */
/* clustering_part.c: clustering statistics of the boxes of a rank's tree, which
 * is a part of the whole one. */
#include "method/fmm/device/clustering.h"
#include "method/fmm/ranks.h"

/* Must equal the struct in method/fmm/boxes/clustering_dense.k. */
struct clustering_layers {
    int64_t first, layers;
    int32_t side, spare;
};
_Static_assert(sizeof(struct clustering_layers) == 24, "as the kernel has it");

farsum_status fmm_gpu_clustering_layers(const struct fmm *s, int64_t first,
                                        int64_t layers,
                                        const struct buf *const count[2],
                                        struct buf *to, double *const sums[2])
{
    struct clustering_gpu **workspace = &s->gpu->dense, *w;
    const struct tree *t = &s->tree;
    const struct tree_gpu *gpu = t->gpu;
    const struct tree_args args = {.depth = t->depth, .ws = t->ws};
    const struct tree_gpu_region region = tree_gpu_region(t, &args);
    const int64_t all[2] = {s->all_n, s->all_m};
    const int64_t *root = s->shape.root;
    int64_t boxes = layers * root[1] * root[2];
    int64_t skip = clustering_skip(root[0] * root[1] * root[2]);
    struct clustering_args a = {.deepest = t->depth};
    if (boxes == 0)
        return FARSUM_OK;
    TRY(fmm_gpu_clustering_ready(t, "method/fmm/boxes/clustering_dense.k",
                                 workspace));
    w = *workspace;
    if (!w->layers.handle)
        TRY(jit_kernel(&w->jit, "clustering_layers", CLUSTERING_GROUP, 0,
                       &w->layers));
    TRY(buf_reserve(&w->squares, gpu->device, 8 * t->n_leaves));
    TRY(buf_reserve(to, gpu->device, 8 * FMM_RANKS_STATISTICS * boxes));
    TRY(LAUNCH(
        &w->octants, t->n_leaves / (CLUSTERING_GROUP / CLUSTERING_TEAM) + 1,
        ARG_BUF(&gpu->source.begin), ARG_BUF(&gpu->source.x),
        ARG_BUF(&w->squares), ARG_I64(gpu->source.n), ARG_I64(t->n_leaves)));
    for (int side = 0; side < (s->all_m > 0 ? 2 : 1); side++) {
        const struct tree_gpu_points *p = side ? &gpu->target : &gpu->source;
        const struct clustering_layers of = {first, layers, .side = side};
        TRY(fmm_gpu_clustering_side(w, t, &region, side, &a));
        a.leaf[side] = clustering_step(all[side], skip);
        a.few[side] = all[side] < CLUSTERING_FEW;
        TRY(LAUNCH(&w->layers, kernel_groups(&w->layers, boxes),
                   ARG_BUF(count[side]), ARG_BUF(&p->begin),
                   ARG_BUF(&w->squares), ARG_BUF(&w->upper[side]),
                   ARG_BUF(&p->x), ARG_BUF(&w->table), ARG_BUF(&w->known),
                   ARG_BUF(to), ARG_I64(p->n), ARG_F64(w->half),
                   ARG_STRUCT(region), ARG_STRUCT(a), ARG_STRUCT(of)));
        TRY(buf_download(to, 0, sums[side], 8 * FMM_RANKS_STATISTICS * boxes));
    }
    return FARSUM_OK;
}

farsum_status fmm_gpu_clustering_levels(const struct fmm *s,
                                        const struct buf *const count[2],
                                        struct clustering_args *a, double *fact)
{
    struct clustering_gpu **workspace = &s->gpu->dense;
    const struct domain *domain = &s->ranks->domain;
    int levels = s->tree.depth + 1 - a->lowest;
    a->deepest = s->tree.depth;
    a->whole = domain->mesh0;
    a->low = domain->begin[domain->rank] - domain->halo;
    TRY(fmm_gpu_clustering_ready(
        &s->tree, "method/fmm/boxes/clustering_dense.k", workspace));
    TRY(fmm_gpu_clustering_lists(*workspace, &s->tree, count, a));
    return buf_download(&(*workspace)->fact, 8 * CLUSTERING_OWN, fact,
                        8 * CLUSTERING_LIST * levels);
}
