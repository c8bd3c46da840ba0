/* SPDX-License-Identifier: Apache-2.0 */
/* ranks_points.c: points of `spectral` over ranks. */
#include "method/spectral/each/each.h"
#include "method/spectral/ranks.h"
#include "method/spectral/ranks_together.h"

#include <string.h>

#include "base/arrays.h"
#include "base/mem.h"
#include "method/open_axis/open_axis.h"

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
    struct route *route;
    struct points *own; /* fractions of the whole cell */
    double **unwrapped; /* positions for the terms that depend on them */
};

/* Positions in the task's units, not wrapped. */
static farsum_status arrivals_unwrapped(const struct task *task,
                                        struct comm *comm,
                                        const struct arrivals *a)
{
    farsum_status status = FARSUM_OK;
    double *given = NULL;
    mem_free(*a->unwrapped);
    *a->unwrapped = NULL;
    KEEP_ON(MEM_RAW(*a->unwrapped, 3 * a->route->n_own + 1));
    KEEP_ON(MEM_RAW(given, 3 * a->n + 1));
    GO(comm_agree(comm, status));
    for (int64_t i = 0; i < 3 * a->n; i++)
        given[i] = task_per(task) * array_get(a->x, task->problem.arrays, i);
    GO(route_there(a->route, comm, given, 3 * sizeof(double), *a->unwrapped));
done:
    mem_free(given);
    return status;
}

/* Brings points to their owners. */
static farsum_status arrivals_route(const struct task *task,
                                    const struct spectral *s,
                                    const struct arrivals *a)
{
    farsum_status status = FARSUM_OK;
    struct spectral_ranks *k = s->ranks;
    struct cell whole;
    cell_scale(&whole, &s->parameters.cell, s->parameters.rc);
    whole.unit = task_per(task);
    if (a->n > 0)
        status = points_set(&k->given, &whole, a->n, a->x, task->problem.arrays,
                            a->what, task->threads);
    TRY(comm_agree(k->comm, status));
    TRY(route_set(a->route, k->comm, &k->cut.domain, a->n, k->given.s));
    TRY(comm_agree(k->comm, points_hold(a->own, a->route->n_own)));
    for (int d = 0; d < 3; d++)
        KEEP_ON(route_there(a->route, k->comm, k->given.s[d], sizeof(double),
                            a->own->s[d]));
    if (spectral_unwraps(task))
        KEEP_ON(arrivals_unwrapped(task, k->comm, a));
    return comm_agree(k->comm, status);
}

/* Memory for strengths and results of own points and ghosts. */
static farsum_status points_reserve(const struct task *task, struct spectral *s)
{
    struct spectral_ranks *k = s->ranks;
    const struct pair *pair = &task->pair;
    size_t real = (size_t)array_size(task->problem.precision);
    size_t given = (size_t)array_size(task->problem.arrays);
    int64_t own = s->n, targets = spectral_targets(s);
    TRY(spectral_reserve(task, s, own, targets));
    TRY(mem_reserve(&k->q, &k->have_q, own * pair->strengths, given));
    TRY(mem_reserve(&k->ghost_q, &k->have_ghosts, k->ghosts.n * pair->strengths,
                    real));
    TRY(mem_reserve(&k->ghost_values, &k->have_values, targets * pair->values,
                    real));
    TRY(mem_reserve(&k->potential, &k->have_own, targets * pair->values,
                    given));
    TRY(mem_reserve(&k->field, &k->have_out, 3 * targets, given));
    if (task->problem.outputs & FARSUM_PARTICLE_VIRIAL)
        TRY(mem_reserve(&k->particle_virial, &k->have_particle_virial,
                        9 * targets, given));
    if (!pair->kind->moments)
        return FARSUM_OK;
    TRY(mem_reserve(&k->ghost_field, &k->have_ghost_field, 3 * targets, real));
    return mem_reserve(&k->gradient, &k->have_gradient, 6 * targets, given);
}

/* Sets the stages' points: own sources, ghosts, and own targets. */
static farsum_status points_stages(struct spectral *s)
{
    struct spectral_ranks *k = s->ranks;
    const struct points *targets = spectral_apart(s) ? &s->target : &s->source;
    if (s->n > 0)
        TRY(ranks_variant(s, STAGE_SPREAD)
                ->set(s->states[STAGE_SPREAD], &s->source, &s->source));
    if (targets->n == 0)
        return FARSUM_OK;
    TRY(ranks_variant(s, STAGE_INTERP)
            ->set(s->states[STAGE_INTERP], targets, targets));
    if (!s->states[STAGE_NEAR]) /* the far part */
        return FARSUM_OK;
    if (s->n > 0)
        TRY(ranks_variant(s, STAGE_NEAR)
                ->set(s->states[STAGE_NEAR], &s->source, targets));
    if (k->ghosts.n == 0)
        return FARSUM_OK;
    TRY(ranks_variant(s, STAGE_NEAR)->set(k->near_ghosts, &k->ghost, targets));
    return k->near_virial
               ? k->virial.row->variant->set(k->near_virial, &k->ghost, targets)
               : FARSUM_OK;
}

/* What each rank does without the others. */
static farsum_status points_place(const struct task *task, struct spectral *s)
{
    struct spectral_ranks *k = s->ranks;
    const struct variant *scale = ranks_variant(s, STAGE_SCALE);
    union stage_args args[STAGE_COUNT];
    int32_t nb[3];
    TRY(points_hold(&k->ghost, k->ghosts.n));
    for (int d = 0; d < 3; d++)
        if (k->ghosts.n > 0)
            memcpy(k->ghost.s[d], k->ghosts.s[d],
                   (size_t)k->ghosts.n * sizeof(double));
    TRY(points_reserve(task, s));
    if (scale->set && k->cut.rows > 0)
        TRY(scale->set(s->states[STAGE_SCALE], NULL, NULL));
    ranks_cut_args(&k->cut, task, &s->parameters, args);
    spread_tiles(&args[STAGE_SPREAD].spread, nb);
    if (s->n > 0)
        TRY(bins_build(&s->source, nb, task->threads));
    if (s->m > 0)
        TRY(bins_build(&s->target, nb, task->threads));
    TRY(points_stages(s));
    return spectral_each_set(task, s);
}

/* Replaces fractions of the whole cell by those of the own cell. */
static void points_inside(const struct domain *domain, struct points *points,
                          int threads)
{
    for (int d = 0; d < 2; d++)
        if (domain_axis(domain, d))
            domain_place(domain_axis(domain, d), points->s[d], points->n,
                         threads);
}

/* Brings all points to their owners.  all: sources and targets of all ranks. */
static farsum_status points_route(const struct task *task, struct spectral *s,
                                  const struct caller *c, const int64_t all[2])
{
    const struct arrivals sources = {.what = "source",
                                     .n = c->n,
                                     .x = c->x,
                                     .route = &s->ranks->route,
                                     .own = &s->source,
                                     .unwrapped = &s->x};
    const struct arrivals targets = {.what = "target",
                                     .n = c->m,
                                     .x = c->y,
                                     .route = &s->ranks->target_route,
                                     .own = &s->target,
                                     .unwrapped = &s->y};
    TRY(arrivals_route(task, s, &sources)); /* agrees, also on the counts */
    if (all[0] < 1)
        FAIL(ERR_ARGUMENT, "all ranks have 0 sources, at least 1 is needed");
    s->all_n = all[0];
    s->all_m = all[1];
    if (spectral_apart(s))
        TRY(arrivals_route(task, s, &targets));
    s->n = s->ranks->route.n_own;
    s->m = spectral_apart(s) ? s->ranks->target_route.n_own : 0;
    return FARSUM_OK;
}

/* Cuts the mesh again where that pays.  *better: 1: the points must be routed
 * again. */
static farsum_status points_balance(const struct task *task, struct spectral *s,
                                    int *better)
{
    struct spectral_ranks *k = s->ranks;
    struct ranks_balance *balance = &k->balance;
    const struct domain *domain = &k->cut.domain;
    struct ranks_found found;
    load_count(&balance->load, domain, s->n, s->source.s, task->threads,
               balance->load.sources);
    if (spectral_apart(s))
        load_count(&balance->load, domain, s->m, s->target.s, task->threads,
                   balance->load.targets);
    TRY(ranks_balance_set(balance, domain, k->comm, spectral_apart(s), &found));
    farsum_status status = FARSUM_OK;
    if (found.better)
        status = spectral_ranks_recut(task, s, balance->begin);
    TRY(ranks_balance_end(task, status, &found));
    s->ranks->balance.refused |= status != FARSUM_OK;
    *better = found.better;
    return FARSUM_OK;
}

/* Balances the ranks if many points have moved between them, and routes the
 * points again if their slabs change. */
static farsum_status points_even(const struct task *task, struct spectral *s,
                                 const struct caller *c, const int64_t all[2])
{
    int better = 0;
    if (s->ranks->cut.domain.across) /* pencils have even cuts */
        return FARSUM_OK;
    if (!ranks_balance_due(task, all, &s->ranks->route.share,
                           &s->ranks->target_route.share))
        return FARSUM_OK;
    TRY(points_balance(task, s, &better));
    if (better)
        TRY(points_route(task, s, c, all));
    s->ranks->route.share.marked = s->n;
    s->ranks->target_route.share.marked = s->m;
    return FARSUM_OK;
}

farsum_status spectral_ranks_points(struct task *task, struct spectral *s,
                                    int64_t n, const void *x, int64_t m,
                                    const void *y)
{
    const struct caller given = {n, m, x, y};
    int64_t all[2] = {n, m};
    TRY(comm_sum_counts(task->comm, all, 2));
    TRY(points_route(task, s, &given, all));
    TRY(points_even(task, s, &given, all));
    struct spectral_ranks *k = s->ranks;
    TRY(ghosts_set(&k->ghosts, k->comm, &k->cut.domain, s->n, s->source.s));
    if (task_axes(task) == 2)
        TRY(open_axis_set_points(task, s, s->n, s->m));
    points_inside(&k->cut.domain, &s->source, task->threads);
    if (spectral_apart(s))
        points_inside(&k->cut.domain, &s->target, task->threads);
    TRY(spectral_ranks_exclusions(task, s));
    farsum_status status = points_place(task, s);
    TRY(spectral_ranks_distinct(task, s, status));
    struct ranks_report *report = &task->report->ranks;
    report->own = s->n;
    report->ghosts = k->ghosts.n;
    report->imbalance =
        (double)k->route.share.most * k->comm->size / (double)s->all_n;
    return FARSUM_OK;
}
