/* SPDX-License-Identifier: Apache-2.0 */
/* ranks.c: states and points of `spectral` over ranks. */
#include "method/spectral/ranks.h"

#include <math.h>
#include <string.h>

#include "base/arrays.h"
#include "base/mem.h"

farsum_status spectral_ranks_fits(const struct task *task)
{
    const farsum_problem *p = &task->problem;
    if (task->device)
        FAIL(ERR_UNSUPPORTED, "sums over ranks on the host only");
    if (p->n_targets > 0)
        FAIL(ERR_UNSUPPORTED, "has no separate targets over ranks");
    if (p->outputs & FARSUM_VIRIAL)
        FAIL(ERR_UNSUPPORTED, "has no virial over ranks");
    if (task_is_mixed(task))
        FAIL(ERR_UNSUPPORTED, "has no precision mixed over ranks");
    return FARSUM_OK;
}

/* Planes on each side of a slab: within the cutoff, and half of the window. */
static int64_t ranks_halo(const struct parameters *t)
{
    int64_t near = (int64_t)ceil((double)t->mesh[0] / t->cell.height[0]) + 1;
    int64_t window = t->window.support / 2 + 2;
    return near > window ? near : window;
}

/* The stages' args in this rank's own cell. */
static void ranks_args(const struct task *task, struct spectral *s,
                       union stage_args args[STAGE_COUNT])
{
    const struct parameters *t = &s->parameters;
    const struct spectral_ranks *k = s->ranks;
    int rank = k->comm->rank, size = k->comm->size;
    int64_t planes = domain_planes(&k->domain, rank);
    int64_t most = task->problem.n_sources / size + 1;
    parameters_args(t, task, args);
    args[STAGE_NEAR].near.cell = &k->own;
    args[STAGE_NEAR].near.lists = &s->lists;
    args[STAGE_NEAR].near.n_sources = most;
    args[STAGE_SPREAD].spread.mesh[0] = planes;
    args[STAGE_SPREAD].spread.open[0] = 1;
    args[STAGE_SPREAD].spread.n = most;
    args[STAGE_INTERP].interp.mesh[0] = planes;
    args[STAGE_INTERP].interp.open[0] = 1;
    args[STAGE_INTERP].interp.n = most;
    args[STAGE_INTERP].interp.cell = &k->own;
    args[STAGE_SCALE].scale.mesh[0] = t->mesh[1];
    args[STAGE_SCALE].scale.mesh[1] = t->mesh[0];
    args[STAGE_SCALE].scale.cell = &k->exchanged;
    args[STAGE_SCALE].scale.first = t->mesh[1] * rank / size;
    args[STAGE_SCALE].scale.count = k->rows;
}

/* The parts that only this rank needs. */
static farsum_status ranks_states(const struct task *task, struct spectral *s)
{
    static const int stages[] = {STAGE_NEAR, STAGE_SPREAD, STAGE_SCALE,
                                 STAGE_INTERP};
    struct spectral_ranks *k = s->ranks;
    const struct parameters *t = &s->parameters;
    union stage_args args[STAGE_COUNT];
    size_t real = (size_t)array_size(task->problem.precision);
    int64_t plane = t->mesh[1] * t->ldz;
    int64_t planes = domain_planes(&k->domain, k->comm->rank);
    ranks_args(task, s, args);
    TRY(mem_alloc(&s->mesh, task->pair.channels * planes * plane, real, 1));
    TRY(mem_alloc(&k->spectrum,
                  task->pair.channels * k->rows * t->mesh[0] * t->ldz, real,
                  1));
    for (size_t i = 0; i < sizeof stages / sizeof *stages; i++) {
        int stage = stages[i];
        if (stage == STAGE_SCALE && k->rows == 0)
            continue;
        TRY(ranks_variant(s, stage)->create(&args[stage], &s->states[stage]));
    }
    struct near_args near = args[STAGE_NEAR].near;
    near.lists = NULL;
    if (near.outputs & FARSUM_ENERGY) /* half of q phi */
        near.outputs |= FARSUM_POTENTIAL;
    near.outputs &= ~(unsigned)(FARSUM_ENERGY | FARSUM_VIRIAL);
    near.n_targets = near.n_sources;
    return ranks_variant(s, STAGE_NEAR)->create(&near, &k->near_ghosts);
}

/* The parts that exchange. */
static farsum_status ranks_exchanges(const struct task *task,
                                     struct spectral *s)
{
    farsum_status status = FARSUM_OK;
    struct spectral_ranks *k = s->ranks;
    const struct parameters *t = &s->parameters;
    int rank = k->comm->rank, size = k->comm->size;
    int64_t *begin1 = NULL, *columns = NULL;
    union stage_args args[STAGE_COUNT];
    parameters_args(t, task, args);
    KEEP_ON(MEM_NEW(begin1, size + 1));
    KEEP_ON(MEM_NEW(columns, t->mesh[1]));
    KEEP_ON(domain_create(&k->domain, rank, size, t->mesh[0], ranks_halo(t),
                       NULL));
    KEEP_ON(route_create(&k->route, k->comm, 6 * sizeof(double),
                         task->threads));
    KEEP_ON(ghosts_create(&k->ghosts, k->comm, 6 * sizeof(double),
                          task->threads));
    GO(comm_agree(k->comm, status));
    domain_cell(&k->domain, &t->cell, &k->own);
    scale_exchange(&k->exchanged, &t->cell);
    scale_columns(&args[STAGE_SCALE].scale, columns);
    for (int r = 0; r <= size; r++)
        begin1[r] = t->mesh[1] * r / size;
    k->rows = begin1[rank + 1] - begin1[rank];
    const struct planes_args planes = {.comm = k->comm,
                                       .begin = k->domain.begin,
                                       .halo = k->domain.halo,
                                       .plane = t->mesh[1] * t->ldz,
                                       .channels = task->pair.channels,
                                       .threads = task->threads,
                                       .precision = task->problem.precision};
    const struct slab_args slab = {
        .comm = k->comm,
        .begin0 = k->domain.begin,
        .begin1 = begin1,
        .columns = columns,
        .mesh = {t->mesh[0], t->mesh[1], t->mesh[2]},
        .ldz = t->ldz,
        .precision = task->problem.precision,
        .threads = task->threads,
        .patient = args[STAGE_FFT].fft.patient,
        .choose = {.name = t->choice[STAGE_FFT].row->name}};
    GO(planes_create(&planes, &k->planes));
    GO(slab_create(&slab, &k->slab));
done:
    mem_free(begin1);
    mem_free(columns);
    return status;
}

farsum_status spectral_ranks_create(const struct task *task,
                                    struct spectral *s)
{
    farsum_status status = MEM_NEW(s->ranks, 1);
    TRY(comm_agree(task->comm, status));
    s->ranks->comm = task->comm;
    TRY(ranks_exchanges(task, s));
    return comm_agree(task->comm, ranks_states(task, s));
}

void spectral_ranks_destroy(struct spectral *s)
{
    struct spectral_ranks *k = s->ranks;
    if (!k)
        return;
    if (k->near_ghosts)
        ranks_variant(s, STAGE_NEAR)->destroy(k->near_ghosts);
    slab_destroy(k->slab);
    planes_destroy(k->planes);
    ghosts_destroy(&k->ghosts);
    route_destroy(&k->route);
    domain_destroy(&k->domain);
    points_clear(&k->given);
    points_clear(&k->ghost);
    void *const all[] = {k->ghost_q,  k->ghost_values, k->spectrum,
                         k->q,        k->potential,    k->field};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        mem_free(all[i]);
    mem_free(k);
    s->ranks = NULL;
}

/* Memory for strengths and results of own points and ghosts. */
static farsum_status ranks_reserve(const struct task *task, struct spectral *s)
{
    struct spectral_ranks *k = s->ranks;
    const struct pair *pair = &task->pair;
    size_t real = (size_t)array_size(task->problem.precision);
    size_t given = (size_t)array_size(task->problem.arrays);
    int64_t own = k->route.n_own;
    TRY(spectral_reserve(task, s, own, own));
    TRY(mem_reserve(&k->q, &k->have_q, own * pair->strengths, given));
    TRY(mem_reserve(&k->ghost_q, &k->have_ghosts,
                    k->ghosts.n * pair->strengths, real));
    TRY(mem_reserve(&k->ghost_values, &k->have_values, own * pair->values,
                    real));
    TRY(mem_reserve(&k->potential, &k->have_own, own * pair->values, given));
    return mem_reserve(&k->field, &k->have_out, 3 * own, given);
}

/* Positions for the terms that depend on them. */
static farsum_status ranks_unwrapped(const struct task *task,
                                     struct spectral *s, int64_t n,
                                     const void *x)
{
    farsum_status status = FARSUM_OK;
    struct spectral_ranks *k = s->ranks;
    double *given = NULL;
    if (!spectral_unwraps(task))
        return FARSUM_OK;
    mem_free(s->x);
    s->x = NULL;
    KEEP_ON(MEM_RAW(s->x, 3 * k->route.n_own + 1));
    KEEP_ON(MEM_RAW(given, 3 * n + 1));
    GO(comm_agree(k->comm, status));
    for (int64_t i = 0; i < 3 * n; i++)
        given[i] = task_per(task) * array_get(x, task->problem.arrays, i);
    KEEP_ON(route_there(&k->route, k->comm, given, 3 * sizeof(double), s->x));
done:
    mem_free(given);
    return status;
}

/* Brings the points to their owners, and ghosts to where they are needed. */
static farsum_status ranks_route(const struct task *task, struct spectral *s,
                                 int64_t n, const void *x)
{
    farsum_status status = FARSUM_OK;
    struct spectral_ranks *k = s->ranks;
    struct points *own = &s->source;
    int rank = k->comm->rank;
    struct cell whole;
    cell_scale(&whole, &s->parameters.cell, s->parameters.rc);
    whole.unit = task_per(task);
    if (n > 0)
        status = points_set(&k->given, &whole, n, x, task->problem.arrays,
                            "source", task->threads);
    TRY(comm_agree(k->comm, status));
    TRY(route_set(&k->route, k->comm, &k->domain, n, k->given.s));
    if (k->route.n_all < 1)
        FAIL(ERR_ARGUMENT, "all ranks have 0 sources, at least 1 is needed");
    TRY(comm_agree(k->comm, points_hold(own, k->route.n_own)));
    for (int d = 0; d < 3; d++)
        KEEP_ON(route_there(&k->route, k->comm, k->given.s[d], sizeof(double),
                         own->s[d]));
    KEEP_ON(ranks_unwrapped(task, s, n, x));
    TRY(comm_agree(k->comm, status));
    TRY(ghosts_set(&k->ghosts, k->comm, &k->domain, own->n, own->s));
    for (int64_t i = 0; i < own->n; i++)
        own->s[0][i] = domain_fraction(&k->domain, rank, own->s[0][i], 0);
    return FARSUM_OK;
}

/* Sets the points of the rank's stages. */
static farsum_status ranks_place(const struct task *task, struct spectral *s)
{
    struct spectral_ranks *k = s->ranks;
    union stage_args args[STAGE_COUNT];
    int32_t nb[3];
    TRY(points_hold(&k->ghost, k->ghosts.n));
    for (int d = 0; d < 3; d++)
        if (k->ghosts.n > 0)
            memcpy(k->ghost.s[d], k->ghosts.s[d],
                   (size_t)k->ghosts.n * sizeof(double));
    TRY(ranks_reserve(task, s));
    if (ranks_variant(s, STAGE_SCALE)->set && k->rows > 0)
        TRY(ranks_variant(s, STAGE_SCALE)->set(s->states[STAGE_SCALE], NULL,
                                               NULL));
    if (s->source.n == 0)
        return FARSUM_OK;
    ranks_args(task, s, args);
    spread_tiles(&args[STAGE_SPREAD].spread, nb);
    TRY(bins_build(&s->source, nb, task->threads));
    static const int stages[] = {STAGE_NEAR, STAGE_SPREAD, STAGE_INTERP};
    for (size_t i = 0; i < sizeof stages / sizeof *stages; i++)
        TRY(ranks_variant(s, stages[i])
                ->set(s->states[stages[i]], &s->source, &s->source));
    if (k->ghosts.n > 0)
        TRY(ranks_variant(s, STAGE_NEAR)
                ->set(k->near_ghosts, &k->ghost, &s->source));
    return FARSUM_OK;
}

farsum_status spectral_ranks_points(const struct task *task,
                                    struct spectral *s, int64_t n,
                                    const void *x)
{
    struct spectral_ranks *k = s->ranks;
    TRY(ranks_route(task, s, n, x));
    TRY(comm_agree(k->comm, ranks_place(task, s)));
    s->n = k->route.n_own;
    s->m = s->all_m = 0;
    s->all_n = k->route.n_all;
    return FARSUM_OK;
}

