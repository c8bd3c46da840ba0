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

/* As method/fmm/device/sums.k has it. */
struct fmm_boxes {
    int64_t roots, leaves;
    int32_t depth, level, lowest, spare;
};
_Static_assert(sizeof(struct fmm_boxes) == 32, "as the kernel has it");

/* Sources up to which two queues are faster: more fill the device by
 * themselves. */
#define BESIDE_MOST 300000

/* Cells of this edge hold whatever is finite. */
static const double wide_cell = 1e303;

int fmm_gpu_queues(const struct task *task)
{
    if (!task->device)
        return 0;
    if (task->options.queues)
        return task->options.queues;
    return task->problem.n_sources < BESIDE_MOST ? 2 : 1;
}

void fmm_gpu_forget(struct fmm_gpu *g)
{
    if (g)
        recording_clear(&g->recording);
}

void fmm_gpu_destroy(struct fmm_gpu *g)
{
    if (!g)
        return;
    struct buf *all[] = {
        &g->q,          &g->potential, &g->field,        &g->near_potential,
        &g->near_field, &g->multipole, &g->local,        &g->x,
        &g->y,          &g->boxes,     &g->leaf,         &g->target_leaf,
        &g->fact,       &g->record,    &g->target_boxes, &g->at,
        &g->known,
    };
    recording_clear(&g->recording);
    aside_clear(&g->aside);
    gpu_arrays_clear(&g->given);
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        buf_clear(all[i]);
    for (int w = 0; g->has_watches && w < FMM_WATCHES; w++)
        stopwatch_clear(&g->watch[w]);
    fmm_gpu_exclude_clear(&g->exclude);
    fmm_gpu_crowd_destroy(g->lists);
    fmm_gpu_crowd_destroy(g->dense);
    if (g->jit.device)
        jit_clear(&g->jit);
    if (g->facts_jit.device)
        jit_clear(&g->facts_jit);
    mem_free(g);
}

static farsum_status gpu_kernels(struct fmm_gpu *g,
                                 const farsum_problem *problem)
{
    farsum_precision precision = problem->precision;
    struct {
        struct jit *jit;
        const char *name;
        struct kernel *kernel;
    } all[] = {
        {&g->jit, "fmm_place", &g->place},
        {&g->jit, "fmm_cells", &g->cells},
        {&g->jit, "fmm_apart", &g->apart},
        {&g->jit, "fmm_fold", &g->fold},
        {&g->jit, "fmm_leaf", &g->leaves},
        {&g->jit, "fmm_count", &g->count},
        {&g->jit, "fmm_crowd", &g->crowd},
        {&g->jit, "fmm_twins", &g->twins},
        {&g->jit, "fmm_in", &g->in},
        {&g->jit, "fmm_out", &g->out},
        {&g->jit, "fmm_totals", &g->totals},
        {&g->jit, "fmm_at", &g->at_kernel},
        {&g->jit, "fmm_give", &g->give},
        {&g->jit, "fmm_range", &g->range},
        {&g->facts_jit, "spectral_strengths", &g->strengths},
        {&g->facts_jit, "spectral_dipole", &g->dipole},
        {&g->facts_jit, "spectral_fold", &g->dipole_fold},
        {&g->facts_jit, "spectral_twins_end", &g->twins_end},
    };
    jit_begin(&g->jit, g->device, "method/fmm/device/sums.k", precision);
    jit_define(&g->jit, "GROUP", "%d", FMM_GROUP);
    jit_define(&g->jit, "TEAM", "%d", FMM_TEAM);
    jit_define(&g->jit, "VIRIAL", "%d",
               (problem->outputs & FARSUM_VIRIAL) != 0);
    TRY(jit_build(&g->jit));
    jit_begin(&g->facts_jit, g->device, "method/spectral/device.k", precision);
    jit_define(&g->facts_jit, "GROUP", "%d", FMM_GROUP);
    TRY(jit_build(&g->facts_jit));
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        TRY(jit_kernel(all[i].jit, all[i].name, FMM_GROUP, 0, all[i].kernel));
    return FARSUM_OK;
}

farsum_status fmm_gpu_create(const struct task *task, struct fmm *s)
{
    struct fmm_gpu *g = NULL;
    double fact[FMM_FACTS] = {0};
    TRY(MEM_NEW(g, 1));
    s->gpu = g;
    g->device = task->device;
    TRY(gpu_kernels(g, &task->problem));
    g->beside = fmm_gpu_queues(task) > 1;
    if (g->beside)
        TRY(aside_create(&g->aside, g->device));
    fact[FMM_FACT_BAD] = fact[FMM_FACT_TWIN] = fact[FMM_FACT_RANGE] = -1;
    fact[FMM_FACT_UNIT] = 1;
    TRY(buf_alloc(&g->fact, g->device, sizeof fact));
    TRY(buf_upload(&g->fact, 0, fact, sizeof fact));
    TRY(buf_alloc(&g->record, g->device, 8 * FMM_RECORD * FMM_RECORDS));
    TRY(buf_alloc(&g->known, g->device, 8 * FMM_KNOWN * FMM_RECORDS));
    g->has_watches = 1;
    for (int w = 0; w < FMM_WATCHES; w++)
        TRY(stopwatch_create(&g->watch[w], g->device));
    TRY(points_gpu_create(g->device, &s->source.gpu));
    if (task->problem.n_targets > 0)
        TRY(points_gpu_create(g->device, &s->target.gpu));
    return fmm_gpu_ahead(task, s);
}

/* Are positions looked at after they were set?  A caller's are borrowed until
 * then. */
static int gpu_stay(const struct task *task, const struct fmm *s)
{
    return (s->facts.periodic && task->problem.surface == FARSUM_VACUUM)
           || s->strict;
}

/* Positions there, in `x`, and what holds them. */
static farsum_status gpu_take(const struct task *task, struct fmm *s,
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
    TRY(points_gpu_look(points->gpu, s->facts.periodic ? &s->cell : &open, n, x,
                        type, what));
    points->n = n;
    return FARSUM_OK;
}

/* Waits: are positions good?  A tree of bad ones does no harm. */
static farsum_status gpu_check(struct fmm *s, int64_t m)
{
    TRY(points_gpu_check(s->source.gpu));
    return m > 0 ? points_gpu_check(s->target.gpu) : FARSUM_OK;
}

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
        args->periodic[d] = s->facts.periodic;
        args->root[d] = s->shape.root[d];
        args->edge[d] = s->facts.edge[d];
    }
    if (s->facts.periodic)
        return FARSUM_OK;
    const double ends[3][2] = {
        {low[0], high[0]}, {low[1], high[1]}, {low[2], high[2]}};
    const struct tree_given two = {2, {ends[0], ends[1], ends[2]}, 1, 0};
    return tree_region(args, &two, NULL);
}

static farsum_status gpu_tree(const struct task *task, struct fmm *s, int64_t m)
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

/* What the boxes' sources say of the errors, into facts. */
static farsum_status gpu_crowd(struct fmm *s)
{
    struct fmm_gpu *g = s->gpu;
    struct tree *t = &s->tree;
    int64_t groups = fmm_groups(t->n_leaves, FMM_GROUP);
    struct fmm_boxes boxes = gpu_boxes(s);
    TRY(fmm_gpu_count(s, &t->gpu->source, &g->boxes));
    TRY(LAUNCH(&g->crowd, groups, ARG_BUF(&g->boxes),
               ARG_BUF(&tree_gpu_targets(t)->begin), ARG_BUF(&g->record),
               ARG_STRUCT(boxes)));
    return LAUNCH(&g->fold, 1, ARG_BUF(&g->record), ARG_BUF(&g->fact),
                  ARG_I64(groups), ARG_I32(FMM_FACT_CROWD), ARG_I32(4));
}

/* Sources at one place, into facts. */
static farsum_status gpu_twins(struct fmm *s)
{
    struct fmm_gpu *g = s->gpu;
    const struct points_gpu *points = s->source.gpu;
    const struct tree_gpu_points *from = &s->tree.gpu->source;
    const struct gpu_given given = tree_gpu_fractions(points, &s->tree);
    int64_t leaves = s->tree.n_leaves;
    int64_t groups = fmm_groups(leaves, FMM_GROUP / FMM_TEAM);
    TRY(LAUNCH(&g->twins, groups,
               ARG_BUF(points->placed ? &points->s : &points->x),
               ARG_BUF(&points->x), ARG_BUF(&points->x), ARG_BUF(&from->order),
               ARG_BUF(&from->begin), ARG_BUF(&from->x), ARG_BUF(&g->record),
               ARG_I64(from->n), ARG_I64(leaves), ARG_F64(HUGE_VAL),
               ARG_STRUCT(given)));
    return LAUNCH(&g->twins_end, 1, ARG_BUF(&g->record), ARG_BUF(&g->fact),
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

/* Both, and the points' leaves of a sparse tree.  Waits. */
static farsum_status gpu_leaves(struct task *task, struct fmm *s)
{
    struct fmm_gpu *g = s->gpu;
    struct fmm_crowd *crowd = &s->crowd;
    int distinct = !task->problem.exclude_coincident, dense = s->tree.dense;
    double fact[FMM_FACTS], h = tree_h(&s->tree, s->tree.depth);
    double targets = (double)tree_targets(&s->tree)->n;
    if (dense)
        TRY(gpu_crowd(s));
    else
        TRY(gpu_leaf(s, &s->tree.gpu->source, &g->leaf));
    if (!dense && s->tree.separate)
        TRY(gpu_leaf(s, &s->tree.gpu->target, &g->target_leaf));
    if (distinct)
        TRY(gpu_twins(s));
    TRY(buf_download(&g->fact, 0, fact, sizeof fact));
    TRY(gpu_check(s, s->tree.separate));
    if (distinct && fact[FMM_FACT_TWIN] >= 0)
        TRY(gpu_distinct(task, s->source.gpu, (int64_t)fact[FMM_FACT_TWIN],
                         (int64_t)fact[FMM_FACT_TWIN + 1]));
    if (!dense) /* method/fmm/device/clustering.c */
        return FARSUM_OK;
    *crowd = (struct fmm_crowd){.h = h, .ws = s->tree.ws};
    for (int k = 0; k < 2; k++) {
        double unit = pow(h, 2 + 2 * k) * targets;
        crowd->random[k] = fact[FMM_FACT_CROWD + k] / unit;
        crowd->together[k] = fact[FMM_FACT_CROWD + 2 + k] / unit;
    }
    return fmm_gpu_dense(s);
}

/* Do results of m targets go by fmm_give? */
static int gpu_gathers(const struct task *task, const struct fmm_gpu *g,
                       int64_t m)
{
    int64_t cache = g->device->facts.cache;
    int values = (task->problem.outputs & FARSUM_POTENTIAL ? 1 : 0)
                 + (task->problem.outputs & FARSUM_FIELD ? 3 : 0);
    if (g->gathers != 0)
        return g->gathers > 0;
    return cache > 0
           && 2 * m * values * array_size(task->problem.arrays) > cache;
}

/* Room for results side by side. */
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

farsum_status fmm_gpu_gather(struct fmm *s, int rhs)
{
    struct fmm_gpu *g = s->gpu;
    const struct tree_gpu_points *p = tree_gpu_targets(&s->tree);
    int again = g->summed || rhs > 1;
    g->summed = 1;
    if (g->gathered != FMM_SCATTERED || !again)
        return FARSUM_OK;
    g->gathered = FMM_GATHERED;
    return LAUNCH(&g->at_kernel, kernel_groups(&g->at_kernel, p->n),
                  ARG_BUF(&p->order), ARG_BUF(&g->at), ARG_I64(p->n));
}

static farsum_status gpu_reserve(const struct task *task, struct fmm *s)
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
    return gpu_arrays_reserve(&g->given, task, n, m);
}

/* The tree of s->shape, its leaves and its rooms. */
static farsum_status gpu_whole(struct task *task, struct fmm *s, int64_t n,
                               int64_t m)
{
    if (s->tree.n_leaves > 0 && s->tree.dense != s->shape.dense) {
        fmm_gpu_forget(s->gpu);
        tree_clear(&s->tree);
    }
    TRY(s->shape.dense ? gpu_tree(task, s, m) : fmm_gpu_sparse(task, s, m));
    TRY(gpu_leaves(task, s));
    return fmm_points_rooms(task, s, n, m);
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
    TRY(gpu_take(task, s, &s->source, &g->x, n, x, "source"));
    if (m > 0)
        TRY(gpu_take(task, s, &s->target, &g->y, m, y, "target"));
    if (!s->facts.periodic) {
        TRY(fmm_gpu_bounds(task, s, m));
        TRY(gpu_check(s, m));
        fmm_extent(s, g->low, g->high);
        TRY(fmm_gpu_apart(task, s, m));
    }
    TRY(fmm_gpu_shape(task, s, n, m));
    const struct fmm_learnt learnt = s->learnt;
    farsum_status status = gpu_whole(task, s, n, m);
    if (status == FARSUM_ERR_TOLERANCE) /* of this tree */
        s->learnt = learnt;
    if (status == FARSUM_ERR_TOLERANCE && fmm_either(s)) {
        TRY(fmm_shape(task, s, 0, n, m, &s->shape));
        status = gpu_whole(task, s, n, m);
    }
    if (status == FARSUM_ERR_TOLERANCE && fmm_points_wider(task, s)) {
        TRY(fmm_gpu_shape(task, s, n, m));
        status = gpu_whole(task, s, n, m);
    }
    TRY(status);
    TRY(gpu_reserve(task, s));
    TRY(gpu_together(task, s));
    return fmm_points_set(task, s);
}
