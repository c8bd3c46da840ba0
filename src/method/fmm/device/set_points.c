/* SPDX-License-Identifier: Apache-2.0 */
/* set_points.c: kernels, memory and points of the fast multipole method on a
 * device. */
#include "method/fmm/device/set_points.h"

#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "base/arrays.h"
#include "method/staging/device_coincident.h"
#include "points/device/set.h"
#include "points/device/sort_state.h"

/* Cells with this edge contain every finite position. */
static const double wide_cell = 1e303;

/* True if positions are read after set_points.  If so, they are copied, because
 * the caller's arrays are borrowed only during set_points. */
static int gpu_stay(const struct task *task, const struct fmm *s)
{
    return (s->input.periodic && task->problem.surface == FARSUM_VACUUM)
           || (s->ranks && task->problem.outputs & FARSUM_VIRIAL) || s->strict;
}

farsum_status fmm_gpu_take(const struct task *task, struct fmm *s,
                           struct points *points, struct buf *x, int64_t n,
                           const void *given, const char *what)
{
    struct fmm_gpu *g = s->gpu;
    farsum_precision type = task->problem.arrays;
    int64_t bytes = 3 * n * array_size(type);
    struct cell open = {0};
    points->n = 0;
    open.inv[0] = open.inv[4] = open.inv[8] = 1 / wide_cell;
    open.unit = 1;
    if (task->problem.memory == FARSUM_HOST) {
        TRY(buf_given_host(g->device, given, bytes, what));
        TRY(buf_reserve(x, g->device, bytes));
        TRY(buf_upload(x, 0, given, bytes));
    } else {
        struct buf from = {0};
        TRY(buf_given(&from, g->device, given, bytes, what));
        if (gpu_stay(task, s)) {
            TRY(buf_reserve(x, g->device, bytes));
            TRY(buf_copy(x, 0, &from, 0, bytes));
        } else {
            buf_borrow(x, g->device, from.handle, bytes);
        }
    }
    TRY(points_gpu_look(points->gpu, s->input.periodic ? &s->cell : &open, n, x,
                        type, what));
    points->n = n;
    return FARSUM_OK;
}

/* Waits and checks the positions.  A tree of invalid positions does no harm. */
static farsum_status gpu_check(struct fmm *s, int64_t m)
{
    TRY(points_gpu_check(s->source.gpu));
    return m > 0 ? points_gpu_check(s->target.gpu) : FARSUM_OK;
}

farsum_status fmm_gpu_coincident(struct fmm *s)
{
    struct fmm_gpu *g = s->gpu;
    const struct points_gpu *points = s->source.gpu;
    const struct tree_gpu_points *from = &s->tree.gpu->source;
    const struct gpu_given given = tree_gpu_fractions(points, &s->tree);
    int64_t leaves = s->tree.n_leaves;
    int64_t groups = fmm_groups(leaves, FMM_GROUP / FMM_TEAM);
    TRY(LAUNCH(&g->coincident, groups,
               ARG_BUF(points->placed ? &points->s : &points->x),
               ARG_BUF(&points->x), ARG_BUF(&points->x), ARG_BUF(&from->order),
               ARG_BUF(&from->begin), ARG_BUF(&from->x), ARG_BUF(&g->record),
               ARG_I64(from->n), ARG_I64(leaves), ARG_F64(HUGE_VAL),
               ARG_STRUCT(given)));
    return LAUNCH(&g->coincident_end, 1, ARG_BUF(&g->record), ARG_BUF(&g->fact),
                  ARG_I64(groups), ARG_F64(HUGE_VAL));
}

static farsum_status gpu_leaf(struct fmm *s, const struct tree_gpu_points *p,
                              struct buf *leaf)
{
    struct fmm_gpu *g = s->gpu;
    int64_t leaves = s->tree.n_leaves;
    TRY(buf_reserve(leaf, g->device, 4 * p->n));
    return LAUNCH(&g->leaves, fmm_groups(leaves, FMM_GROUP / FMM_TEAM),
                  ARG_BUF(&p->begin), ARG_BUF(leaf), ARG_I64(leaves));
}

/* Computes the clustering statistics, finds coincident sources and, for a
 * sparse tree, the points' leaves.  Waits. */
static farsum_status gpu_leaves(struct task *task, struct fmm *s)
{
    struct fmm_gpu *g = s->gpu;
    struct fmm_clustering *clustering = &s->clustering;
    int distinct = !task->problem.exclude_coincident, dense = s->tree.dense;
    double fact[FMM_FACTS], h = tree_h(&s->tree, s->tree.depth);
    double targets = (double)tree_targets(&s->tree)->n;
    if (dense)
        TRY(fmm_gpu_clustering(s));
    else
        TRY(gpu_leaf(s, &s->tree.gpu->source, &g->leaf));
    if (!dense && s->tree.separate)
        TRY(gpu_leaf(s, &s->tree.gpu->target, &g->target_leaf));
    if (distinct)
        TRY(fmm_gpu_coincident(s));
    TRY(buf_download(&g->fact, 0, fact, sizeof fact));
    TRY(gpu_check(s, s->tree.separate));
    if (distinct && fact[FMM_FACT_TWIN] >= 0)
        TRY(gpu_distinct(task, s->source.gpu, (int64_t)fact[FMM_FACT_TWIN],
                         (int64_t)fact[FMM_FACT_TWIN + 1]));
    if (!dense) /* set by method/fmm/device/clustering.c */
        return FARSUM_OK;
    *clustering = (struct fmm_clustering){.h = h, .ws = s->tree.ws};
    for (int k = 0; k < 2; k++) {
        double unit = pow(h, 2 + 2 * k) * targets;
        clustering->random[k] = fact[FMM_FACT_CLUSTERING + k] / unit;
        clustering->together[k] = fact[FMM_FACT_CLUSTERING + 2 + k] / unit;
    }
    return fmm_gpu_dense(s);
}

/* True if the results of m targets are written by fmm_give. */
static int gpu_gathers(const struct task *task, const struct fmm_gpu *g,
                       int64_t m)
{
    int64_t cache = g->device->properties.cache;
    int values = (task->problem.outputs & FARSUM_POTENTIAL ? 1 : 0)
                 + (task->problem.outputs & FARSUM_FIELD ? 3 : 0);
    if (g->gathers != 0)
        return g->gathers > 0;
    return cache > 0
           && 2 * m * values * array_size(task->problem.arrays) > cache;
}

/* Allocates the interleaved results. */
static farsum_status gpu_together(const struct task *task, struct fmm *s)
{
    struct fmm_gpu *g = s->gpu;
    const struct tree_gpu_points *p = tree_gpu_targets(&s->tree);
    int64_t record = 4 * array_size(task->problem.precision);
    g->gathered = gpu_gathers(task, g, p->n) ? FMM_SCATTERED : FMM_GIVEN;
    if (g->gathered == FMM_GIVEN)
        return FARSUM_OK;
    TRY(buf_reserve(&fmm_gpu_aims(s)->inside->packed, g->device,
                    p->n * record));
    return buf_reserve(&g->at, g->device, 4 * p->n);
}

farsum_status fmm_gpu_reserve(const struct task *task, struct fmm *s,
                              int64_t given, int64_t given_targets)
{
    struct fmm_gpu *g = s->gpu;
    int64_t real = array_size(task->problem.precision);
    int64_t n = s->tree.source.n, m = tree_targets(&s->tree)->n;
    int64_t numbers = multipole_size(s->shape.order);
    s->stride = (s->tree.n_boxes + 31) / 32 * 32;
    TRY(buf_reserve(&g->q, g->device, n * real));
    TRY(buf_reserve(&g->potential, g->device, m * real));
    TRY(buf_reserve(&g->field, g->device, 3 * m * real));
    if (g->beside) {
        TRY(buf_reserve(&g->near_potential, g->device, m * real));
        TRY(buf_reserve(&g->near_field, g->device, 3 * m * real));
    }
    TRY(buf_reserve(&g->multipole, g->device, numbers * s->stride * real));
    TRY(buf_reserve(&g->local, g->device, numbers * s->stride * real));
    return gpu_arrays_reserve(&g->given, task, given, given_targets);
}

/* Builds the tree of s->shape, its leaves and its stages. */
static farsum_status gpu_whole(struct task *task, struct fmm *s, int64_t n,
                               int64_t m)
{
    if (s->tree.n_leaves > 0 && s->tree.dense != s->shape.dense) {
        fmm_gpu_forget(s->gpu);
        tree_clear(&s->tree);
    }
    TRY(s->shape.dense ? fmm_gpu_tree(task, s, m) : fmm_gpu_sparse(task, s, m));
    TRY(gpu_leaves(task, s));
    return fmm_points_stages(task, s, n, m);
}

farsum_status fmm_gpu_set_points(struct task *task, struct fmm *s, int64_t n,
                                 const void *x, int64_t m, const void *y)
{
    struct fmm_gpu *g = s->gpu;
    TRY(fmm_gpu_range_last(task, s));
    TRY(fmm_gpu_fold(task, s));
    s->target.n = 0;
    g->summed = 0;
    g->ranged = 1;
    g->exclude.ordered = 0;
    TRY(fmm_gpu_take(task, s, &s->source, &g->x, n, x, "source"));
    if (m > 0)
        TRY(fmm_gpu_take(task, s, &s->target, &g->y, m, y, "target"));
    if (!s->input.periodic) {
        TRY(fmm_gpu_bounds(task, s, m));
        TRY(gpu_check(s, m));
        fmm_extent(s, g->low, g->high);
        TRY(fmm_gpu_apart(task, s, m));
    }
    TRY(fmm_gpu_shape(task, s, n, m));
    const struct fmm_learnt learnt[2] = {s->learnt[0], s->learnt[1]};
    farsum_status status = gpu_whole(task, s, n, m);
    if (status == FARSUM_ERR_TOLERANCE) /* due to this tree */
        memcpy(s->learnt, learnt, sizeof learnt);
    if (status == FARSUM_ERR_TOLERANCE && fmm_either(s)) {
        TRY(fmm_shape(task, s, 0, n, m, &s->shape));
        status = gpu_whole(task, s, n, m);
    }
    if (status == FARSUM_ERR_TOLERANCE && fmm_points_wider(task, s)) {
        TRY(fmm_gpu_shape(task, s, n, m));
        status = gpu_whole(task, s, n, m);
    }
    TRY(status);
    TRY(fmm_gpu_reserve(task, s, n, m > 0 ? m : n));
    TRY(gpu_together(task, s));
    return fmm_points_set(task, s);
}

farsum_status fmm_gpu_sparse(const struct task *task, struct fmm *s, int64_t m)
{
    TRY(fmm_points_boxes(task, s, 1, s->source.n, m));
    if (s->input.periodic)
        return FARSUM_OK;
    /* these are used to find coincident sources */
    return fmm_gpu_fractions(task, s, m, s->tree.corner, s->tree.edge);
}
