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
_Static_assert(CROWD_POINTS * CROWD_ABOVE < 1 << (63 - PARTS), "sums that fit");

void fmm_gpu_crowd_destroy(struct fmm_gpu_crowd *w)
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

static farsum_status crowd_kernels(struct device *device, const char *file,
                                   farsum_precision precision,
                                   struct fmm_gpu_crowd **to)
{
    struct fmm_gpu_crowd *w = NULL;
    if (*to && (*to)->fact.device && (*to)->precision == precision)
        return FARSUM_OK;
    fmm_gpu_crowd_destroy(*to);
    *to = NULL;
    TRY(MEM_NEW(*to, 1));
    w = *to;
    w->precision = precision;
    jit_begin(&w->jit, device, file, precision);
    jit_define(&w->jit, "GROUP", "%d", CROWD_GROUP);
    jit_define(&w->jit, "TEAM", "%d", CROWD_TEAM);
    jit_define(&w->jit, "LEVELS", "%d", CROWD_LEVELS);
    jit_define(&w->jit, "KNOTS", "%d", K);
    jit_define(&w->jit, "TABLE", "%d", CROWD_TABLE);
    jit_define(&w->jit, "BOXES", "%d", CROWD_BOXES);
    TRY(jit_build(&w->jit));
    TRY(jit_kernel(&w->jit, "crowd_octants", CROWD_GROUP, 0, &w->octants));
    TRY(jit_kernel(&w->jit, "crowd_samples", CROWD_GROUP, 0, &w->samples));
    TRY(jit_kernel(&w->jit, "crowd_lists", CROWD_GROUP, 0, &w->lists));
    TRY(jit_kernel(&w->jit, "crowd_fold", CROWD_GROUP, 0, &w->fold));
    return buf_alloc(&w->fact, device, 8 * CROWD_FACTS);
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
    return crowd_kernels(g->device,
                         dense ? "method/fmm/boxes/clustering_dense.k"
                               : "method/fmm/boxes/clustering.k",
                         p->precision, dense ? &g->dense : &g->lists);
}

static farsum_status crowd_send(struct fmm_gpu_crowd *w, struct device *device,
                                const struct crowd *c)
{
    farsum_status status = FARSUM_OK;
    int64_t side = 2 * c->t->ws + 3, weights = K * side * side * side;
    const int rows = CROWD_TABLE + 1;
    uint64_t *table = NULL;
    double *known = NULL;
    GO(MEM_RAW(table, rows * CROWD_SUMS));
    GO(MEM_RAW(known, WEIGHTS + weights));
    for (int i = 0; i < rows * CROWD_SUMS; i++) {
        const struct crowd_fill *f = &c->table[i / CROWD_SUMS];
        int k = i % CROWD_SUMS;
        table[i] =
            (uint64_t)(ldexp(k < K ? f->rim[k] : f->lean[k - K], PARTS) + 0.5);
    }
    for (int k = 0; k < K; k++) {
        known[k] = c->even.rim[k];
        known[K + k] = c->even.lean[k];
        known[2 * K + k] = c->total[k];
        known[3 * K + k] = crowd_whole(k) * crowd_whole(k);
        known[4 * K + k] = crowd_eighth(k) * crowd_eighth(k);
        known[5 * K + k] = crowd_rims(c->t->ws, k);
    }
    for (int64_t i = 0; i < weights; i++)
        known[WEIGHTS + i] = c->weight[i];
    GO(buf_reserve(&w->table, device, 8 * rows * CROWD_SUMS));
    GO(buf_upload(&w->table, 0, table, 8 * rows * CROWD_SUMS));
    GO(buf_reserve(&w->known, device, 8 * (WEIGHTS + weights)));
    GO(buf_upload(&w->known, 0, known, 8 * (WEIGHTS + weights)));
done:
    mem_free(table);
    mem_free(known);
    return status;
}

farsum_status fmm_gpu_crowd_ready(const struct tree *tree, const char *file,
                                  struct fmm_gpu_crowd **room)
{
    farsum_status status = FARSUM_OK;
    struct device *device = tree->gpu->device;
    struct crowd *c = NULL;
    struct fmm_gpu_crowd *w;
    TRY(crowd_kernels(device, file, tree->precision, room));
    w = *room;
    if (w->ws == tree->ws && memcmp(w->box, tree->box, sizeof w->box) == 0)
        return FARSUM_OK;
    w->ws = 0;
    GO(MEM_NEW(c, 1));
    GO(crowd_begin(c, tree, 0));
    GO(crowd_send(w, device, c));
    w->ws = tree->ws;
    w->half = c->half;
    memcpy(w->box, tree->box, sizeof w->box);
done:
    if (c)
        crowd_clear(c);
    mem_free(c);
    return status;
}

int64_t fmm_gpu_crowd_boxes(const struct tree *t, struct crowd_args *a)
{
    for (int level = a->lowest; level <= a->deepest; level++) {
        int64_t boxes = tree_boxes(t, level), step = crowd_skip(boxes);
        int at = level - a->lowest;
        a->begin[at + 1] = a->begin[at] + (int32_t)((boxes + step - 1) / step);
    }
    return a->begin[a->deepest - a->lowest + 1];
}

void fmm_gpu_crowd_points(const struct tree_gpu_points *p, int side,
                          int64_t step, struct crowd_args *a)
{
    a->some = CROWD_SOME;
    a->step[side] = step;
    a->samples[side] = (p->n + a->step[side] - 1) / a->step[side];
    a->few[side] = p->n < CROWD_FEW;
}

farsum_status fmm_gpu_crowd_fold(struct fmm_gpu_crowd *w,
                                 const struct crowd_args *a)
{
    for (int at = 0; at <= a->deepest - a->lowest; at++)
        TRY(LAUNCH(&w->fold, CROWD_LIST, ARG_BUF(&w->record), ARG_BUF(&w->fact),
                   ARG_I64(a->begin[at]),
                   ARG_I64(a->begin[at + 1] - a->begin[at]),
                   ARG_I64(CROWD_OWN + at * CROWD_LIST), ARG_I32(CROWD_LIST)));
    return FARSUM_OK;
}

void fmm_gpu_crowd_take(const struct tree *tree, int level, const double *fact,
                        double here, struct fmm_crowd *crowd)
{
    struct crowd_sums all;
    all.targets = fact[0];
    for (int k = 0; k < K; k++) {
        all.far[k] = fact[1 + k];
        all.uneven[k] = fact[1 + K + k];
    }
    crowd_means(tree, level, &all, here, crowd);
}

/* Prefix sums over a side's points. */
static farsum_status crowd_points(struct fmm_gpu_crowd *w, const struct tree *t,
                                  const struct tree_gpu_region *region,
                                  int side, struct crowd_args *a)
{
    const struct tree_gpu_points *p = side ? &t->gpu->target : &t->gpu->source;
    int64_t n = p->n, levels = a->deepest - a->lowest + 1;
    fmm_gpu_crowd_points(p, side, crowd_step(n, 1), a);
    int64_t words = CROWD_SUMS * levels * a->samples[side] + 1;
    TRY(buf_reserve(&w->sums[side], t->gpu->device, 8 * words));
    TRY(LAUNCH(&w->samples, kernel_groups(&w->samples, a->samples[side] + 1),
               ARG_BUF(&p->begin), ARG_BUF(&p->x),
               ARG_BUF(&t->gpu->sparse.place), ARG_BUF(&w->table),
               ARG_BUF(&w->sums[side]), ARG_I64(n), ARG_I64(t->n_leaves),
               ARG_F64(w->half), ARG_I32(side), ARG_STRUCT(*region),
               ARG_STRUCT(*a)));
    return gpu_scan_run(w->scan, &w->sums[side], &w->sums[side], words, NULL);
}

static farsum_status crowd_far(struct fmm_gpu_crowd *w, const struct tree *t,
                               const struct tree_gpu_region *region,
                               struct crowd_args *a)
{
    const struct tree_gpu *gpu = t->gpu;
    const struct tree_gpu_sparse *s = &gpu->sparse;
    const struct tree_gpu_lists lists = tree_gpu_lists(t);
    int64_t all = fmm_gpu_crowd_boxes(t, a);
    TRY(buf_reserve(&w->squares, gpu->device, 8 * t->n_leaves));
    TRY(buf_reserve(&w->record, gpu->device, 8 * CROWD_LIST * all));
    TRY(crowd_points(w, t, region, 0, a));
    if (t->separate)
        TRY(crowd_points(w, t, region, 1, a));
    TRY(LAUNCH(&w->octants, t->n_leaves / (CROWD_GROUP / CROWD_TEAM) + 1,
               ARG_BUF(&gpu->source.begin), ARG_BUF(&gpu->source.x),
               ARG_BUF(&w->squares), ARG_I64(gpu->source.n),
               ARG_I64(t->n_leaves)));
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
    return fmm_gpu_crowd_fold(w, a);
}

static farsum_status crowd_own(struct fmm_gpu_crowd *w, const struct tree *t,
                               const struct tree_gpu_region *region,
                               const struct crowd_args *a)
{
    const struct tree_gpu_sparse *s = &t->gpu->sparse;
    const struct tree_gpu_lists lists = tree_gpu_lists(t);
    int64_t groups = fmm_groups(t->n_leaves, CROWD_GROUP);
    TRY(buf_reserve(&w->record, t->gpu->device, 8 * CROWD_OWN * groups));
    TRY(LAUNCH(&w->own, groups, ARG_BUF(&s->leaf), ARG_BUF(&s->place),
               ARG_BUF(&s->begin), ARG_BUF(&s->end), ARG_BUF(&s->slot),
               ARG_BUF(&t->gpu->source.begin),
               ARG_BUF(&tree_gpu_targets(t)->begin), ARG_BUF(&w->record),
               ARG_STRUCT(lists), ARG_STRUCT(*region), ARG_STRUCT(*a)));
    return LAUNCH(&w->fold, CROWD_OWN, ARG_BUF(&w->record), ARG_BUF(&w->fact),
                  ARG_I64(0), ARG_I64(groups), ARG_I64(0), ARG_I32(CROWD_OWN));
}

/* fact: the kernels' results. */
static void crowd_take(const struct tree *t, int first, const double *fact,
                       struct fmm_crowd *crowd)
{
    double targets = (double)tree_targets(t)->n;
    *crowd = (struct fmm_crowd){.ws = t->ws, .listed = 1, .sparse = 1};
    crowd->h = fact[0] / targets;
    for (int k = 0; k < 2; k++) {
        crowd->random[k] = fact[1 + k] / targets;
        crowd->together[k] = fact[3 + k] / targets;
    }
    for (int level = first; level <= t->depth; level++)
        fmm_gpu_crowd_take(t, level,
                           fact + CROWD_OWN + CROWD_LIST * (level - first),
                           fact[5 + level], crowd);
}

farsum_status fmm_gpu_crowd(const struct tree *tree, int first,
                            struct fmm_gpu_crowd **room,
                            struct fmm_crowd *crowd)
{
    struct crowd_args a = {.lowest = first, .deepest = tree->depth};
    const struct tree_args args = {.depth = tree->depth, .ws = tree->ws};
    const struct tree_gpu_region region = tree_gpu_region(tree, &args);
    double fact[CROWD_FACTS];
    TRY(fmm_gpu_crowd_ready(tree, "method/fmm/boxes/clustering.k", room));
    struct fmm_gpu_crowd *w = *room;
    if (!w->scan)
        TRY(gpu_scan_create(tree->gpu->device, GPU_SCAN_U64, &w->scan));
    if (!w->own.handle)
        TRY(jit_kernel(&w->jit, "crowd_own", CROWD_GROUP, 0, &w->own));
    TRY(crowd_own(w, tree, &region, &a));
    if (first <= tree->depth)
        TRY(crowd_far(w, tree, &region, &a));
    TRY(buf_download(&w->fact, 0, fact, sizeof fact));
    crowd_take(tree, first, fact, crowd);
    return FARSUM_OK;
}
