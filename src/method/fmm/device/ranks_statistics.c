/* SPDX-License-Identifier: Apache-2.0 */
/* ranks_statistics.c: statistics of the boxes and points of ranks with devices.
 * Sums of root boxes travel, no points. */
#include "method/fmm/device/ranks.h"

#include <math.h>
#include <string.h>

#include "base/arrays.h"
#include "base/mem.h"
#include "method/fmm/device/clustering.h"

/* Must equal the structs in method/fmm/device/ranks.k. */
struct ranks_near {
    int64_t n, leaves, step, roots;
    double much;
    int32_t line, first, layers, spare;
};
_Static_assert(sizeof(struct ranks_near) == 56, "as the kernel has it");
struct ranks_some {
    int64_t first, n, m, some;
    int32_t wide, spare;
};
_Static_assert(sizeof(struct ranks_some) == 40, "as the kernel has it");

/* Enqueues the sum of fmm_near over own leaves. */
static farsum_status near_run(const struct fmm *s, int64_t step)
{
    struct fmm_gpu *g = s->gpu;
    const struct tree *t = &s->tree;
    const struct tree_gpu_points *p = &t->gpu->source;
    const struct buf *low = t->precision == FARSUM_F32 ? &p->low : &p->begin;
    int64_t groups = fmm_groups((t->n_leaves + step - 1) / step, 1);
    const struct ranks_near args = {.n = p->n,
                                    .leaves = t->n_leaves,
                                    .step = step,
                                    .roots = tree_boxes(t, 0),
                                    .much =
                                        fmm_near_much(s) / tree_h(t, t->depth),
                                    .line = (int32_t)t->root[0],
                                    .first = (int32_t)s->ranks->domain.halo,
                                    .layers = (int32_t)ranks_layers(s->ranks)};
    TRY(LAUNCH(&g->ranks->near, groups, ARG_BUF(&p->begin), ARG_BUF(&p->x),
               ARG_BUF(low), ARG_BUF(&g->record), ARG_STRUCT(args)));
    return LAUNCH(&g->fold, 1, ARG_BUF(&g->record), ARG_BUF(&g->fact),
                  ARG_I64(groups), ARG_I32(FMM_FACT_NEAR), ARG_I32(1));
}

/* Sums over the own targets and leaves, at least 0. */
static farsum_status statistics_own(const struct task *task, struct fmm *s,
                                    double sums[5])
{
    enum { FROM = FMM_FACT_CLUSTERING };
    int64_t step = fmm_near_step(task, s, s->all_m > 0);
    double h = tree_h(&s->tree, s->tree.depth);
    memset(sums, 0, 5 * sizeof *sums);
    TRY(fmm_gpu_clustering(s));
    if (step > 0)
        TRY(near_run(s, step));
    TRY(buf_download(&s->gpu->fact, 8 * FROM, sums, 5 * sizeof *sums));
    for (int k = 0; k < 4; k++)
        sums[k] /= pow(h, 2 + 2 * (k % 2));
    sums[4] = step > 0 ? sums[4] / (h * h * h * h) : 0;
    return FARSUM_OK;
}

/* The own root boxes, and what depends on the others'. */
static farsum_status statistics_lists(const struct task *task, struct fmm *s)
{
    struct fmm_gpu *g = s->gpu;
    const struct buf *const count[2] = {&g->boxes, &g->target_boxes};
    const int64_t layers = ranks_layers(s->ranks);
    const int64_t boxes = layers * s->shape.root[1] * s->shape.root[2];
    double *sums[2] = {NULL, NULL};
    farsum_status status = FARSUM_OK;
    GO(MEM_RAW(sums[0], FMM_RANKS_STATISTICS * boxes));
    if (s->all_m > 0) {
        GO(MEM_RAW(sums[1], FMM_RANKS_STATISTICS * boxes));
        GO(fmm_gpu_count(s, &s->tree.gpu->target, &g->target_boxes));
    }
    GO(fmm_gpu_clustering_layers(s, s->ranks->domain.halo, layers, count,
                                 &g->ranks->boxes, sums));
done:;
    const struct ranks_boxes own = {sums[0], sums[1] ? sums[1] : sums[0]};
    status = fmm_ranks_lists(task, s, &own, status, &s->clustering);
    mem_free(sums[0]);
    mem_free(sums[1]);
    return status;
}

/* Adds far and uneven of the boxes of levels >= 1, whose lists lie in the
 * rank's tree. */
static farsum_status statistics_levels(const struct task *task, struct fmm *s,
                                       int64_t targets)
{
    struct fmm_gpu *g = s->gpu;
    const struct buf *const count[2] = {&g->boxes, &g->target_boxes};
    double fact[CLUSTERING_FACTS] = {0};
    int first = fmm_shape_first(s, &s->shape);
    struct clustering_args args = {.lowest = first > 0 ? first : 1};
    first = args.lowest;
    if (first > s->tree.depth)
        return FARSUM_OK;
    farsum_status status =
        fmm_gpu_count(s, &s->tree.gpu->target, &g->target_boxes);
    do {
        if (status == FARSUM_OK)
            status = fmm_gpu_clustering_levels(s, count, &args, fact);
        TRY(task_agree(task, status));
        TRY(task_agree(
            task, task_sum(task, fact,
                           CLUSTERING_LIST * (s->tree.depth + 1 - first))));
    } while (fmm_gpu_clustering_finer(&args, fact, NULL, targets));
    fmm_gpu_clustering_means(&s->tree, first, targets, fact, &s->clustering);
    return FARSUM_OK;
}

farsum_status fmm_gpu_ranks_clustering(const struct task *task, struct fmm *s)
{
    struct fmm_ranks *k = s->ranks;
    struct fmm_clustering *made = &s->clustering;
    const int64_t step = fmm_near_step(task, s, s->all_m > 0);
    const int64_t targets = s->all_m > 0 ? s->all_m : s->all_n;
    double sums[5];
    TRY(task_agree(task, statistics_own(task, s, sums)));
    TRY(task_agree(task, task_sum(task, sums, 5)));
    *made = (struct fmm_clustering){
        .ws = s->shape.ws, .listed = 1, .h = tree_h(&s->tree, s->tree.depth)};
    for (int i = 0; i < 2; i++) {
        made->random[i] = sums[i] / (double)targets;
        made->together[i] = sums[2 + i] / (double)targets;
    }
    s->input.near = 0;
    if (step > 0)
        fmm_near_set(s, sums[4], step);
    k->near_input = s->input.near;
    if (!fmm_gpu_dense_known(s)) {
        if (fmm_shape_first(s, &s->shape) == 0)
            TRY(statistics_lists(task, s));
        TRY(statistics_levels(task, s, targets));
        TRY(task_agree(task, fmm_ranks_images(s, made)));
        (void)fmm_gpu_dense_keep(s);
    }
    k->clustering = *made;
    return FARSUM_OK;
}

/* Positions of the sampled targets that this rank gives, as passed; those of
 * others are 0. */
static farsum_status some_own(const struct task *task, struct fmm *s,
                              int64_t first, int64_t some, double *at)
{
    struct fmm_gpu_ranks *r = s->gpu->ranks;
    const struct ranks_some args = {.first = first,
                                    .n = r->target.given.n,
                                    .m = s->all_m,
                                    .some = some,
                                    .wide = task->problem.arrays != FARSUM_F32};
    if (args.n == 0)
        return FARSUM_OK;
    TRY(buf_reserve(&r->boxes, s->gpu->device, 24 * some));
    TRY(LAUNCH(&r->some, kernel_groups(&r->some, some), ARG_BUF(&s->gpu->y),
               ARG_BUF(&s->gpu->y), ARG_BUF(&r->boxes), ARG_STRUCT(args)));
    return buf_download(&r->boxes, 0, at, 24 * some);
}

/* The sums over given sources at all sampled targets. */
static farsum_status some_sums(const struct task *task, struct fmm *s,
                               int64_t some, const double *at,
                               struct fmm_apart *apart)
{
    struct fmm_gpu *g = s->gpu;
    struct buf *y = &g->ranks->boxes;
    farsum_precision type = task->problem.arrays;
    farsum_status status = FARSUM_OK;
    const struct fmm_some args = {.per = task_per(task),
                                  .n = g->ranks->source.given.n,
                                  .m = some,
                                  .some = some,
                                  .wide = type != FARSUM_F32};
    const int64_t bytes = 3 * some * array_size(type);
    double(*record)[FMM_RECORD] = NULL;
    void *given = NULL;
    if (args.n == 0)
        return FARSUM_OK;
    GO(MEM_RAW(record, some));
    GO(mem_alloc(&given, bytes, 1, 0));
    for (int64_t i = 0; i < 3 * some; i++)
        array_put(given, type, i, at[i]);
    GO(buf_reserve(y, g->device, bytes));
    GO(buf_upload(y, 0, given, bytes));
    GO(LAUNCH(&g->apart, some, ARG_BUF(&g->x), ARG_BUF(&g->x), ARG_BUF(y),
              ARG_BUF(y), ARG_BUF(&g->record), ARG_STRUCT(args)));
    GO(buf_download(&g->record, 0, record, some * (int64_t)sizeof *record));
    for (int64_t t = 0; t < some; t++)
        memcpy(&apart[t], record[t], sizeof *apart);
done:
    mem_free(record);
    mem_free(given);
    return status;
}

farsum_status fmm_gpu_ranks_norms(const struct task *task, struct fmm *s,
                                  int64_t first)
{
    enum { APART = sizeof(struct fmm_apart) / sizeof(double) };
    union {
        struct fmm_apart sums[FMM_APART_MOST];
        double numbers[FMM_APART_MOST * APART];
    } all = {.numbers = {0}};
    double at[3 * FMM_APART_MOST] = {0};
    int64_t some = s->all_m > 0 ? fmm_input_some(s->all_n, s->all_m) : 0;
    if (some > 0) {
        TRY(task_agree(task, some_own(task, s, first, some, at)));
        TRY(task_agree(task, task_sum(task, at, (int)(3 * some))));
        TRY(task_agree(task, some_sums(task, s, some, at, all.sums)));
        TRY(task_agree(task, task_sum(task, all.numbers, (int)(APART * some))));
    }
    fmm_input_apart(task, s, some, all.sums);
    return FARSUM_OK;
}
