/* SPDX-License-Identifier: Apache-2.0 */
/* clustering.c: clustering statistics of a sparse tree's boxes on a device, the
 * counterpart of method/fmm/boxes/clustering.c.  Transfers some hundred numbers
 * to the host. */
#include "method/fmm/device/clustering.h"

#include <math.h>
#include <string.h>

#include "base/mem.h"

enum { WEIGHTS = 6 * K /* index of the weights among the known numbers */ };
/* A point's contribution is an integer multiple of 2^-PARTS, see
 * method/fmm/boxes/clustering.kh.  The sum over a box can hold 2^19 points. */
enum { PARTS = 44 };
_Static_assert(CLUSTERING_POINTS *CLUSTERING_ABOVE < 1 << (63 - PARTS),
               "sums that fit");

void fmm_gpu_clustering_destroy(struct clustering_gpu *w)
{
    if (!w)
        return;
    struct buf *all[] = {&w->table,   &w->known,    &w->squares,
                         &w->sums[0], &w->sums[1],  &w->record,
                         &w->fact,    &w->upper[0], &w->upper[1]};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        buf_clear(all[i]);
    gpu_scan_destroy(w->scan);
    if (w->jit.device)
        jit_clear(&w->jit);
    mem_free(w);
}

static farsum_status clustering_kernels(struct device *device, const char *file,
                                        farsum_precision precision,
                                        struct clustering_gpu **to)
{
    struct clustering_gpu *w = NULL;
    if (*to && (*to)->fact.device && (*to)->precision == precision)
        return FARSUM_OK;
    fmm_gpu_clustering_destroy(*to);
    *to = NULL;
    TRY(MEM_NEW(*to, 1));
    w = *to;
    w->precision = precision;
    jit_begin(&w->jit, device, file, precision);
    jit_define(&w->jit, "GROUP", "%d", CLUSTERING_GROUP);
    jit_define(&w->jit, "TEAM", "%d", CLUSTERING_TEAM);
    jit_define(&w->jit, "LEVELS", "%d", CLUSTERING_LEVELS);
    jit_define(&w->jit, "KNOTS", "%d", K);
    jit_define(&w->jit, "TABLE", "%d", CLUSTERING_TABLE);
    jit_define(&w->jit, "BOXES", "%d", CLUSTERING_BOXES);
    TRY(jit_build(&w->jit));
    TRY(jit_kernel(&w->jit, "clustering_octants", CLUSTERING_GROUP, 0,
                   &w->octants));
    TRY(jit_kernel(&w->jit, "clustering_samples", CLUSTERING_GROUP, 0,
                   &w->samples));
    TRY(jit_kernel(&w->jit, "clustering_lists", CLUSTERING_GROUP, 0,
                   &w->lists));
    TRY(jit_kernel(&w->jit, "clustering_fold", CLUSTERING_GROUP, 0, &w->fold));
    return buf_alloc(&w->fact, device, 8 * CLUSTERING_FACTS);
}

farsum_status fmm_gpu_ahead(const struct task *task, struct fmm *s)
{
    struct fmm_gpu *g = s->gpu;
    const farsum_problem *p = &task->problem;
    int dense = s->shape.dense;
    TRY(points_gpu_ahead(s->source.gpu, p->n_sources));
    if (p->n_targets > 0)
        TRY(points_gpu_ahead(s->target.gpu, p->n_targets));
    TRY(tree_gpu_ahead(&s->tree, g->device, p->precision, dense));
    if (!g->device->backend->apart)
        return FARSUM_OK;
    return clustering_kernels(g->device,
                              dense ? "method/fmm/boxes/clustering_dense.k"
                                    : "method/fmm/boxes/clustering.k",
                              p->precision, dense ? &g->dense : &g->lists);
}

static farsum_status clustering_send(struct clustering_gpu *w,
                                     struct device *device,
                                     const struct clustering *c)
{
    farsum_status status = FARSUM_OK;
    int64_t side = 2 * c->t->ws + 3, weights = K * side * side * side;
    const int rows = CLUSTERING_TABLE + 1;
    uint64_t *table = NULL;
    double *known = NULL;
    GO(MEM_RAW(table, rows * CLUSTERING_SUMS));
    GO(MEM_RAW(known, WEIGHTS + weights));
    for (int i = 0; i < rows * CLUSTERING_SUMS; i++) {
        const struct clustering_fill *f = &c->table[i / CLUSTERING_SUMS];
        int k = i % CLUSTERING_SUMS;
        table[i] =
            (uint64_t)(ldexp(k < K ? f->rim[k] : f->lean[k - K], PARTS) + 0.5);
    }
    for (int k = 0; k < K; k++) {
        known[k] = c->even.rim[k];
        known[K + k] = c->even.lean[k];
        known[2 * K + k] = c->total[k];
        known[3 * K + k] = clustering_whole(k) * clustering_whole(k);
        known[4 * K + k] = clustering_eighth(k) * clustering_eighth(k);
        known[5 * K + k] = clustering_rims(c->t->ws, k);
    }
    for (int64_t i = 0; i < weights; i++)
        known[WEIGHTS + i] = c->weight[i];
    GO(buf_reserve(&w->table, device, 8 * rows * CLUSTERING_SUMS));
    GO(buf_upload(&w->table, 0, table, 8 * rows * CLUSTERING_SUMS));
    GO(buf_reserve(&w->known, device, 8 * (WEIGHTS + weights)));
    GO(buf_upload(&w->known, 0, known, 8 * (WEIGHTS + weights)));
done:
    mem_free(table);
    mem_free(known);
    return status;
}

farsum_status fmm_gpu_clustering_ready(const struct tree *tree,
                                       const char *file,
                                       struct clustering_gpu **workspace)
{
    farsum_status status = FARSUM_OK;
    struct device *device = tree->gpu->device;
    struct clustering *c = NULL;
    struct clustering_gpu *w;
    TRY(clustering_kernels(device, file, tree->precision, workspace));
    w = *workspace;
    if (w->ws == tree->ws && memcmp(w->box, tree->box, sizeof w->box) == 0)
        return FARSUM_OK;
    w->ws = 0;
    GO(MEM_NEW(c, 1));
    GO(clustering_begin(c, tree, 0));
    GO(clustering_send(w, device, c));
    w->ws = tree->ws;
    w->half = c->half;
    memcpy(w->box, tree->box, sizeof w->box);
done:
    if (c)
        clustering_clear(c);
    mem_free(c);
    return status;
}

int64_t fmm_gpu_clustering_boxes(const struct tree *t,
                                 struct clustering_args *a)
{
    for (int level = a->lowest; level <= a->deepest; level++) {
        int64_t boxes = tree_boxes(t, level);
        if (a->whole > 0)
            boxes = a->whole * (boxes / t->root[0]);
        int at = level - a->lowest;
        if (a->skip[at] == 0)
            a->skip[at] = clustering_skip(boxes);
        a->begin[at + 1] =
            a->begin[at] + (int32_t)((boxes + a->skip[at] - 1) / a->skip[at]);
    }
    return a->begin[a->deepest - a->lowest + 1];
}

int fmm_gpu_clustering_finer(struct clustering_args *a, const double *fact,
                             const double *here, int64_t m)
{
    int again = 0;
    for (int level = a->lowest; level <= a->deepest; level++) {
        int at = level - a->lowest;
        double targets = here ? here[level] : (double)m;
        if (clustering_meets(fact[CLUSTERING_LIST * at], targets, a->skip[at]))
            continue;
        a->skip[at] /= 2;
        again = 1;
    }
    return again;
}

void fmm_gpu_clustering_points(const struct tree_gpu_points *p, int side,
                               int64_t step, struct clustering_args *a)
{
    a->some = CLUSTERING_SOME;
    a->step[side] = step;
    a->samples[side] = (p->n + a->step[side] - 1) / a->step[side];
    a->few[side] = p->n < CLUSTERING_FEW;
}

farsum_status fmm_gpu_clustering_fold(struct clustering_gpu *w,
                                      const struct clustering_args *a)
{
    for (int at = 0; at <= a->deepest - a->lowest; at++)
        TRY(LAUNCH(&w->fold, CLUSTERING_LIST, ARG_BUF(&w->record),
                   ARG_BUF(&w->fact), ARG_I64(a->begin[at]),
                   ARG_I64(a->begin[at + 1] - a->begin[at]),
                   ARG_I64(CLUSTERING_OWN + at * CLUSTERING_LIST),
                   ARG_I32(CLUSTERING_LIST)));
    return FARSUM_OK;
}

void fmm_gpu_clustering_take(const struct tree *tree, int level,
                             const double *fact, double here,
                             struct fmm_clustering *clustering)
{
    struct clustering_sums all;
    all.targets = fact[0];
    for (int k = 0; k < K; k++) {
        all.far[k] = fact[1 + k];
        all.uneven[k] = fact[1 + K + k];
    }
    clustering_means(tree, tree_targets(tree)->n, level, &all, here,
                     clustering);
}

/* Prefix sums over a side's points. */
static farsum_status clustering_points(struct clustering_gpu *w,
                                       const struct tree *t,
                                       const struct tree_gpu_region *region,
                                       int side, struct clustering_args *a)
{
    const struct tree_gpu_points *p = side ? &t->gpu->target : &t->gpu->source;
    int64_t n = p->n, levels = a->deepest - a->lowest + 1;
    fmm_gpu_clustering_points(p, side, clustering_step(n, 1), a);
    int64_t words = CLUSTERING_SUMS * levels * a->samples[side] + 1;
    TRY(buf_reserve(&w->sums[side], t->gpu->device, 8 * words));
    TRY(LAUNCH(&w->samples, kernel_groups(&w->samples, a->samples[side] + 1),
               ARG_BUF(&p->begin), ARG_BUF(&p->x),
               ARG_BUF(&t->gpu->sparse.place), ARG_BUF(&w->table),
               ARG_BUF(&w->sums[side]), ARG_I64(n), ARG_I64(t->n_leaves),
               ARG_F64(w->half), ARG_I32(side), ARG_STRUCT(*region),
               ARG_STRUCT(*a)));
    return gpu_scan_run(w->scan, &w->sums[side], &w->sums[side], words, NULL);
}

static farsum_status clustering_far(struct clustering_gpu *w,
                                    const struct tree *t,
                                    const struct tree_gpu_region *region,
                                    struct clustering_args *a)
{
    const struct tree_gpu *gpu = t->gpu;
    const struct tree_gpu_sparse *s = &gpu->sparse;
    const struct tree_gpu_lists lists = tree_gpu_lists(t);
    int64_t all = fmm_gpu_clustering_boxes(t, a);
    TRY(buf_reserve(&w->squares, gpu->device, 8 * t->n_leaves));
    TRY(buf_reserve(&w->record, gpu->device, 8 * CLUSTERING_LIST * all));
    TRY(clustering_points(w, t, region, 0, a));
    if (t->separate)
        TRY(clustering_points(w, t, region, 1, a));
    TRY(LAUNCH(
        &w->octants, t->n_leaves / (CLUSTERING_GROUP / CLUSTERING_TEAM) + 1,
        ARG_BUF(&gpu->source.begin), ARG_BUF(&gpu->source.x),
        ARG_BUF(&w->squares), ARG_I64(gpu->source.n), ARG_I64(t->n_leaves)));
    TRY(LAUNCH(&w->lists, all, ARG_BUF(&s->table), ARG_BUF(&s->at),
               ARG_BUF(&s->key), ARG_BUF(&s->kind), ARG_BUF(&s->begin),
               ARG_BUF(&s->end), ARG_BUF(&s->slot), ARG_BUF(&gpu->source.begin),
               ARG_BUF(&tree_gpu_targets(t)->begin), ARG_BUF(&w->squares),
               ARG_BUF(&w->sums[0]), ARG_BUF(&w->sums[t->separate]),
               ARG_BUF(&gpu->source.x), ARG_BUF(&tree_gpu_targets(t)->x),
               ARG_BUF(&s->place), ARG_BUF(&w->table), ARG_BUF(&w->known),
               ARG_BUF(&w->record), ARG_I64(gpu->source.n),
               ARG_I64(tree_gpu_targets(t)->n), ARG_F64(w->half),
               ARG_STRUCT(lists), ARG_STRUCT(*region), ARG_STRUCT(*a),
               ARG_I32(t->separate)));
    return fmm_gpu_clustering_fold(w, a);
}

static farsum_status clustering_own(struct clustering_gpu *w,
                                    const struct tree *t,
                                    const struct tree_gpu_region *region,
                                    const struct clustering_args *a)
{
    const struct tree_gpu_sparse *s = &t->gpu->sparse;
    const struct tree_gpu_lists lists = tree_gpu_lists(t);
    int64_t groups = fmm_groups(t->n_leaves, CLUSTERING_GROUP);
    TRY(buf_reserve(&w->record, t->gpu->device, 8 * CLUSTERING_OWN * groups));
    TRY(LAUNCH(&w->own, groups, ARG_BUF(&s->leaf), ARG_BUF(&s->place),
               ARG_BUF(&s->begin), ARG_BUF(&s->end), ARG_BUF(&s->slot),
               ARG_BUF(&t->gpu->source.begin),
               ARG_BUF(&tree_gpu_targets(t)->begin), ARG_BUF(&w->record),
               ARG_STRUCT(lists), ARG_STRUCT(*region), ARG_STRUCT(*a)));
    return LAUNCH(&w->fold, CLUSTERING_OWN, ARG_BUF(&w->record),
                  ARG_BUF(&w->fact), ARG_I64(0), ARG_I64(groups), ARG_I64(0),
                  ARG_I32(CLUSTERING_OWN));
}

/* fact: the kernels' results. */
static void clustering_take(const struct tree *t, int first, const double *fact,
                            struct fmm_clustering *clustering)
{
    double targets = (double)tree_targets(t)->n;
    *clustering =
        (struct fmm_clustering){.ws = t->ws, .listed = 1, .sparse = 1};
    clustering->h = fact[0] / targets;
    for (int k = 0; k < 2; k++) {
        clustering->random[k] = fact[1 + k] / targets;
        clustering->together[k] = fact[3 + k] / targets;
    }
    for (int level = first; level <= t->depth; level++)
        fmm_gpu_clustering_take(
            t, level, fact + CLUSTERING_OWN + CLUSTERING_LIST * (level - first),
            fact[5 + level], clustering);
}

farsum_status clustering_gpu(const struct tree *tree, int first,
                             struct clustering_gpu **workspace,
                             struct fmm_clustering *clustering)
{
    struct clustering_args a = {.lowest = first, .deepest = tree->depth};
    const struct tree_args args = {.depth = tree->depth, .ws = tree->ws};
    const struct tree_gpu_region region = tree_gpu_region(tree, &args);
    double fact[CLUSTERING_FACTS];
    TRY(fmm_gpu_clustering_ready(tree, "method/fmm/boxes/clustering.k",
                                 workspace));
    struct clustering_gpu *w = *workspace;
    if (!w->scan)
        TRY(gpu_scan_create(tree->gpu->device, GPU_SCAN_U64, &w->scan));
    if (!w->own.handle)
        TRY(jit_kernel(&w->jit, "clustering_own", CLUSTERING_GROUP, 0,
                       &w->own));
    TRY(clustering_own(w, tree, &region, &a));
    do {
        if (first <= tree->depth)
            TRY(clustering_far(w, tree, &region, &a));
        TRY(buf_download(&w->fact, 0, fact, sizeof fact));
    } while (fmm_gpu_clustering_finer(&a, fact + CLUSTERING_OWN, fact + 5, 0));
    clustering_take(tree, first, fact, clustering);
    return clustering_images(tree, tree->gpu->source.n, clustering);
}
