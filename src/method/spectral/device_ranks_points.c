/* SPDX-License-Identifier: Apache-2.0 */
/* device_ranks_points.c: points of `spectral` over ranks with a device each. */
#include "method/spectral/device_ranks.h"

#include <string.h>

#include "base/arrays.h"
#include "base/mem.h"
#include "method/open_axis/device.h"

/* What the caller passes. */
struct caller {
    int64_t n, m;
    const void *x, *y;
};

/* The caller's points of one kind, and what becomes of them. */
struct arrivals {
    const char *what; /* "source", "target" */
    int64_t n;
    const void *x;
    struct gpu_route *route;
    struct buf *own;  /* fractions of the whole cell, [n_own][3] f64 */
    struct buf *kept; /* the caller's positions, for the terms that depend on
                         them */
};

/* Brings points to their owners. */
static farsum_status arrivals_route(const struct task *task, struct spectral *s,
                                    const struct arrivals *a)
{
    struct gpu_ranks *r = s->gpu->ranks;
    farsum_status status = FARSUM_OK;
    r->given.n = 0;
    if (a->n > 0)
        status = gpu_place(task, s, &r->given,
                           spectral_unwraps(task) ? a->kept : NULL, a->n, a->x,
                           a->what);
    if (status == FARSUM_OK && a->n > 0)
        status = points_gpu_check(r->given.gpu);
    TRY(comm_agree(r->comm, status));
    return gpu_route_set(a->route, r->comm, &r->mesh.cut.domain,
                         a->n > 0 ? r->given.gpu : NULL, a->own);
}

/* Points of the rank's own cell. */
static farsum_status points_in(const struct task *task, struct points *points,
                               int64_t n, const struct buf *x, const char *what)
{
    points->n = n;
    if (n == 0)
        return FARSUM_OK;
    if (!points->gpu)
        TRY(points_gpu_create(task->device, &points->gpu));
    return gpu_points_in_cube(points->gpu, n, x, what);
}

/* Memory for strengths and results, of own points and of those given here. */
static farsum_status points_reserve(const struct task *task, struct spectral *s)
{
    struct spectral_gpu *g = s->gpu;
    struct gpu_ranks *r = g->ranks;
    const struct pair *pair = &task->pair;
    unsigned outputs = task->problem.outputs;
    int64_t real = array_size(task->problem.precision);
    int64_t all = r->all.n, targets = spectral_targets(s);
    int values = (outputs & (FARSUM_POTENTIAL | FARSUM_VELOCITY)) != 0;
    TRY(gpu_reserve(task, g, g->n, g->targets));
    TRY(buf_reserve(&r->q, g->device, all * pair->strengths * real));
    if (task_is_mixed(task))
        TRY(gpu_mixed_reserve(task, g, all));
    if ((pair->kind->moments || g->open_axis) && outputs & FARSUM_VIRIAL)
        outputs |= FARSUM_FIELD; /* which the virial contains */
    int channels = pair->kind->moments ? pair->strengths
                   : pair->kind->apart ? pair->channels
                                       : 0;
    if (channels > 0)
        TRY(buf_reserve(&r->channel, g->device, s->n * channels * real));
    if (values) {
        TRY(buf_reserve(&r->potential, g->device,
                        targets * pair->values * real));
        TRY(buf_reserve(&r->near_potential, g->device,
                        targets * pair->values * real));
    }
    if (outputs & FARSUM_FIELD) {
        TRY(buf_reserve(&r->field, g->device, 3 * targets * real));
        TRY(buf_reserve(&r->near_field, g->device, 3 * targets * real));
    }
    if (outputs & FARSUM_GRADIENT) {
        TRY(buf_reserve(&r->gradient, g->device, 6 * targets * real));
        TRY(buf_reserve(&r->near_gradient, g->device, 6 * targets * real));
    }
    return FARSUM_OK;
}

/* Sets the points of the stages. */
static farsum_status points_stages(const struct task *task, struct spectral *s)
{
    struct gpu_ranks *r = s->gpu->ranks;
    const struct points *targets = spectral_apart(s) ? &s->target : &s->source;
    const struct choice *choice = s->parameters.choice;
    const struct variant *scale = choice[STAGE_SCALE].row->variant;
    if (scale->set && s->states[STAGE_SCALE])
        TRY(scale->set(s->states[STAGE_SCALE], NULL, NULL));
    if (s->n > 0)
        TRY(choice[STAGE_SPREAD].row->variant->set(s->states[STAGE_SPREAD],
                                                   &s->source, &s->source));
    if (targets->n > 0)
        TRY(choice[STAGE_INTERP].row->variant->set(s->states[STAGE_INTERP],
                                                   targets, targets));
    if (targets->n > 0 && r->all.n > 0)
        TRY(choice[STAGE_NEAR].row->variant->set(s->states[STAGE_NEAR], &r->all,
                                                 targets));
    if (s->n > 0 && !task->problem.exclude_coincident)
        return gpu_coincident(s);
    return FARSUM_OK;
}

/* What each rank does without the others. */
static farsum_status points_place(const struct task *task, struct spectral *s)
{
    struct gpu_ranks *r = s->gpu->ranks;
    TRY(points_in(task, &s->source, s->n, &r->x, "source"));
    TRY(points_in(task, &r->all, s->n + r->ghosts.n, &r->x, "source"));
    if (spectral_apart(s)) {
        TRY(buf_reserve(&r->y, task->device, 24 * s->m));
        TRY(gpu_ghosts_own(&r->ghosts, &r->mesh.cut.domain, s->m,
                           &r->target_arrived, &r->y));
        TRY(points_in(task, &s->target, s->m, &r->y, "target"));
    }
    TRY(points_reserve(task, s));
    return points_stages(task, s);
}

/* Own sources that coincide, unless exclusions with factor 0 name every such
 * pair. */
struct twins {
    int64_t at[2]; /* -1: none */
    double factor;
};

/* The device has found one such pair, if any.  Its exclusions are rare, so the
 * host then searches. */
static farsum_status points_together(struct task *task, struct spectral *s,
                                     struct twins *twins)
{
    double found[2];
    struct points own = {0};
    farsum_status status = FARSUM_OK;
    TRY(buf_download(&s->gpu->fact, 8 * FACT_TWIN, found, sizeof found));
    const int64_t seen[2] = {(int64_t)found[0], (int64_t)found[1]};
    memcpy(twins->at, seen, sizeof seen);
    if (found[0] < 0 || spectral_apart(s)
        || !exclusions_of_sources(&task->exclusions))
        return FARSUM_OK;
    GO(ranks_points_host(&s->gpu->ranks->arrived, s->n, &own));
    GO(points_twins(&own, 1, task->threads, &task->exclusions, twins->at,
                    &twins->factor));
    if (twins->at[0] < 0 && task->exclusions.together == 0)
        memcpy(twins->at, seen, sizeof seen); /* only the device sees them */
done:
    points_clear(&own);
    return status;
}

/* Agrees on `placed`; fails too if two of a rank's own sources coincide. */
static farsum_status points_distinct_over(struct task *task, struct spectral *s,
                                          farsum_status placed)
{
    struct spectral_gpu *g = s->gpu;
    struct gpu_ranks *r = g->ranks;
    struct twins twin = {{-1, -1}, 1};
    int64_t number[2];
    farsum_status status = placed;
    if (placed == FARSUM_OK && g->coincident_asked)
        status = points_together(task, s, &twin);
    g->coincident_asked = 0;
    TRY(comm_agree(r->comm, status));
    double found = twin.at[0] >= 0;
    TRY(comm_agree(r->comm, comm_max(r->comm, &found, 1)));
    if (found == 0)
        return FARSUM_OK;
    for (int k = 0; k < 2; k++)
        KEEP_ON(
            gpu_route_number(&r->route, r->comm, twin.at[k], &number[k]));
    if (status == FARSUM_OK && twin.at[0] >= 0)
        status = points_coincide(number[0] < number[1] ? number[0] : number[1],
                                 number[0] < number[1] ? number[1] : number[0],
                                 twin.factor);
    return comm_agree(r->comm, status);
}

/* Brings all points to their owners.  all: sources and targets of all ranks. */
static farsum_status points_route(const struct task *task, struct spectral *s,
                                  const struct caller *c, const int64_t all[2])
{
    struct gpu_ranks *r = s->gpu->ranks;
    const struct arrivals sources = {"source",  c->n,        c->x,
                                     &r->route, &r->arrived, &s->gpu->x};
    const struct arrivals targets = {
        "target", c->m, c->y, &r->target_route, &r->target_arrived, &s->gpu->y};
    TRY(arrivals_route(task, s, &sources)); /* agrees, also on the counts */
    if (all[0] < 1)
        FAIL(ERR_ARGUMENT, "all ranks have 0 sources, at least 1 is needed");
    s->all_n = all[0];
    s->all_m = all[1];
    if (spectral_apart(s))
        TRY(arrivals_route(task, s, &targets));
    s->n = r->route.n_own;
    s->m = spectral_apart(s) ? r->target_route.n_own : 0;
    return FARSUM_OK;
}

/* Counts own points in bins on the device. */
static farsum_status points_count(struct gpu_ranks *r, int64_t n,
                                  const struct buf *own, int32_t *bins)
{
    const struct load *load = &r->mesh.balance.load;
    const struct domain *domain = &r->mesh.cut.domain;
    const struct {
        int64_t n, mesh0, first, planes;
        int32_t nb[2];
    } args = {n, domain->mesh0, domain->begin[domain->rank], load->planes,
              {load->nb[0], load->nb[1]}};
    int64_t bytes = 4 * load_bins(load);
    if (bytes == 0)
        return FARSUM_OK;
    TRY(buf_fill(&r->mesh.bins, 0));
    if (n > 0)
        TRY(LAUNCH(&r->bins, kernel_groups(&r->bins, n), ARG_BUF(own),
                   ARG_BUF(&r->mesh.bins), ARG_STRUCT(args)));
    return buf_download(&r->mesh.bins, 0, bins, bytes);
}

/* Cuts the mesh again where that pays.  *better: 1: the points must be routed
 * again. */
static farsum_status points_balance(const struct task *task, struct spectral *s,
                                    int *better)
{
    struct gpu_ranks *r = s->gpu->ranks;
    struct ranks_balance *balance = &r->mesh.balance;
    struct ranks_found found;
    int apart = spectral_apart(s);
    farsum_status status =
        points_count(r, s->n, &r->arrived, balance->load.sources);
    if (status == FARSUM_OK && apart)
        status = points_count(r, s->m, &r->target_arrived,
                              balance->load.targets);
    TRY(comm_agree(r->comm, status));
    TRY(ranks_balance_set(balance, &r->mesh.cut.domain, r->comm, apart,
                          &found));
    if (found.better)
        status = gpu_ranks_recut(task, s, balance->begin);
    TRY(ranks_balance_end(task, status, &found));
    r->mesh.balance.refused |= status != FARSUM_OK;
    *better = found.better;
    return FARSUM_OK;
}

/* As points_even of ranks_points.c. */
static farsum_status points_even(const struct task *task, struct spectral *s,
                                 const struct caller *c, const int64_t all[2])
{
    struct gpu_ranks *r = s->gpu->ranks;
    int better = 0;
    if (!ranks_balance_due(task, all, &r->route.share, &r->target_route.share))
        return FARSUM_OK;
    TRY(points_balance(task, s, &better));
    if (better)
        TRY(points_route(task, s, c, all));
    r->route.share.marked = s->n;
    r->target_route.share.marked = s->m;
    return FARSUM_OK;
}

farsum_status gpu_ranks_points(struct task *task, struct spectral *s, int64_t n,
                               const void *x, int64_t m, const void *y)
{
    struct spectral_gpu *g = s->gpu;
    struct gpu_ranks *r = g->ranks;
    const struct caller given = {n, m, x, y};
    int64_t all[2] = {n, m};
    /* NCCL may know the memory in a graph's exchanges by its address, and
     * memory that replaces it may have the same one */
    graph_forget(&g->recording);
    TRY(task_agree(task, gpu_range_last(task, s)));
    g->summed = g->coincident_asked = 0;
    TRY(comm_sum_counts(r->comm, all, 2));
    TRY(points_route(task, s, &given, all));
    TRY(points_even(task, s, &given, all));
    g->n = n;
    g->targets = spectral_apart(s) ? m : n;
    if (g->open_axis)
        TRY(gpu_open_axis_set_points(task, s, n, m));
    TRY(gpu_ghosts_set(&r->ghosts, r->comm, &r->mesh.cut.domain, r->given.gpu,
                       s->n, &r->arrived, &r->x));
    TRY(gpu_ranks_exclusions(task, s));
    farsum_status status = points_place(task, s);
    TRY(points_distinct_over(task, s, status));
    struct ranks_report *report = &task->report->ranks;
    report->own = s->n;
    report->ghosts = r->ghosts.n;
    report->imbalance =
        (double)r->route.share.most * r->comm->size / (double)s->all_n;
    return FARSUM_OK;
}
