/* SPDX-License-Identifier: Apache-2.0 */
/* ranks.c: states of `spectral` over ranks. */
#include "method/spectral/ranks.h"

#include <math.h>
#include <string.h>

#include "base/arrays.h"
#include "base/mem.h"
#include "stage/near/near.h"

farsum_status spectral_ranks_fits(const struct task *task)
{
    if (task->device)
        FAIL(ERR_UNSUPPORTED, "sums over ranks only on the host");
    return FARSUM_OK;
}

/* A plan whose cell changes exchanges what cells need whose reciprocal vectors
 * are shorter by this factor.  So few changes need new states. */
#define SLACK 1.03

/* Planes on each side of a slab: within the cutoff, and half of the window.
 * slack: 1, or a factor on the cutoff's planes. */
static int64_t ranks_halo(const struct parameters *t, double slack)
{
    int64_t near =
        (int64_t)ceil(slack * (double)t->mesh[0] / t->cell.height[0]) + 1;
    int64_t window = t->window.support / 2 + 2;
    return near > window ? near : window;
}

/* The columns of the spectrum that are not 0, columns [mesh1]. */
static void ranks_columns(const struct task *task, const struct parameters *t,
                          double slack, int64_t *columns)
{
    union stage_args args[STAGE_COUNT];
    struct split wider = t->split;
    struct scale_args *scale = &args[STAGE_SCALE].scale;
    parameters_args(t, task, args);
    wider.c *= slack;
    scale->split = &wider;
    scale_columns(scale, columns);
}

void spectral_ranks_args(const struct task *task, struct spectral *s,
                         union stage_args args[STAGE_COUNT])
{
    const struct parameters *t = &s->parameters;
    const struct spectral_ranks *k = s->ranks;
    int rank = k->comm->rank, size = k->comm->size;
    int64_t planes = domain_planes(&k->domain, rank);
    int64_t most = task->problem.n_sources / size + 1;
    int64_t targets = task->problem.n_targets;
    targets = targets > 0 ? targets / size + 1 : 0;
    parameters_args(t, task, args);
    args[STAGE_NEAR].near.cell = &k->own;
    args[STAGE_NEAR].near.lists = &s->lists;
    args[STAGE_NEAR].near.n_sources = most;
    args[STAGE_NEAR].near.n_targets = targets;
    args[STAGE_SPREAD].spread.mesh[0] = planes;
    args[STAGE_SPREAD].spread.open[0] = 1;
    args[STAGE_SPREAD].spread.n = most;
    args[STAGE_INTERP].interp.mesh[0] = planes;
    args[STAGE_INTERP].interp.open[0] = 1;
    args[STAGE_INTERP].interp.n = targets > 0 ? targets : most;
    args[STAGE_INTERP].interp.cell = &k->own;
    args[STAGE_SCALE].scale.mesh[0] = t->mesh[1];
    args[STAGE_SCALE].scale.mesh[1] = t->mesh[0];
    args[STAGE_SCALE].scale.cell = &k->exchanged;
    args[STAGE_SCALE].scale.first = k->begin1[rank];
    args[STAGE_SCALE].scale.count = k->rows;
}

/* Near pairs of own targets with ghosts as sources.  Energies follow from their
 * potentials.  Only the reference variant sums a virial between two sets. */
static farsum_status ranks_near(struct spectral *s, const struct near_args *own)
{
    struct spectral_ranks *k = s->ranks;
    struct near_args args = *own;
    const struct choose_options how = {.name = "plain", .brief = 1};
    args.lists = NULL;
    args.distinct = 0;
    if (args.n_targets == 0)
        args.n_targets = args.n_sources;
    if (args.outputs & FARSUM_ENERGY)
        args.outputs |= FARSUM_POTENTIAL;
    args.outputs &= ~(unsigned)(FARSUM_ENERGY | FARSUM_VIRIAL);
    TRY(ranks_variant(s, STAGE_NEAR)->create(&args, &k->near_ghosts));
    if (!(own->outputs & FARSUM_VIRIAL))
        return FARSUM_OK;
    args.outputs = FARSUM_VIRIAL;
    TRY(choose(&near_stage, &args, &how, &k->virial));
    return k->virial.row->variant->create(&args, &k->near_virial);
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
    spectral_ranks_args(task, s, args);
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
    return ranks_near(s, &args[STAGE_NEAR].near);
}

farsum_status spectral_ranks_cut(const struct task *task,
                                 const struct parameters *t, double slack,
                                 struct spectral_ranks *k)
{
    int rank = k->comm->rank, size = k->comm->size;
    TRY(MEM_NEW(k->begin1, size + 1));
    TRY(MEM_NEW(k->columns, t->mesh[1]));
    TRY(domain_create(&k->domain, rank, size, t->mesh[0], ranks_halo(t, slack),
                      NULL));
    domain_cell(&k->domain, &t->cell, &k->own);
    scale_exchange(&k->exchanged, &t->cell);
    ranks_columns(task, t, slack, k->columns);
    for (int r = 0; r <= size; r++)
        k->begin1[r] = t->mesh[1] * r / size;
    k->rows = k->begin1[rank + 1] - k->begin1[rank];
    return FARSUM_OK;
}

void spectral_ranks_uncut(struct spectral_ranks *k)
{
    mem_free(k->begin1);
    mem_free(k->columns);
    domain_destroy(&k->domain);
}

struct planes_args spectral_ranks_planes(const struct task *task,
                                         const struct parameters *t,
                                         const struct spectral_ranks *k)
{
    return (struct planes_args){.comm = k->comm,
                                .begin = k->domain.begin,
                                .halo = k->domain.halo,
                                .plane = t->mesh[1] * t->ldz,
                                .channels = task->pair.channels,
                                .threads = task->threads,
                                .precision = task->problem.precision};
}

struct slab_args spectral_ranks_slab(const struct task *task,
                                     const struct parameters *t,
                                     const struct spectral_ranks *k)
{
    union stage_args args[STAGE_COUNT];
    parameters_args(t, task, args);
    return (struct slab_args){
        .comm = k->comm,
        .begin0 = k->domain.begin,
        .begin1 = k->begin1,
        .columns = k->columns,
        .mesh = {t->mesh[0], t->mesh[1], t->mesh[2]},
        .ldz = t->ldz,
        .precision = task->problem.precision,
        .threads = task->threads,
        .patient = args[STAGE_FFT].fft.patient,
        .choose = {.name = t->choice[STAGE_FFT].row->name}};
}

/* The parts that exchange. */
static farsum_status ranks_exchanges(const struct task *task,
                                     struct spectral *s, double slack)
{
    struct spectral_ranks *k = s->ranks;
    const struct parameters *t = &s->parameters;
    farsum_status status = spectral_ranks_cut(task, t, slack, k);
    KEEP_ON(route_create(&k->route, k->comm, 6 * sizeof(double),
                         task->threads));
    KEEP_ON(route_create(&k->target_route, k->comm, 3 * sizeof(double),
                         task->threads));
    KEEP_ON(ghosts_create(&k->ghosts, k->comm, 6 * sizeof(double),
                          task->threads));
    TRY(comm_agree(k->comm, status));
    const struct planes_args planes = spectral_ranks_planes(task, t, k);
    const struct slab_args slab = spectral_ranks_slab(task, t, k);
    TRY(planes_create(&planes, &k->planes));
    return slab_create(&slab, &k->slab);
}

/* Reports this rank's slab of a cell. */
static void ranks_about(const struct task *task, const struct spectral *s,
                        const struct cell *cell)
{
    struct ranks_report *r = &task->report->ranks;
    const struct domain *domain = &s->ranks->domain;
    double length = s->parameters.rc / task_per(task);
    for (int i = 0; i < 9; i++)
        r->cell[i] = cell->a[i] * length;
    r->low = (double)domain->begin[domain->rank] / (double)domain->mesh0;
    r->high = (double)domain->begin[domain->rank + 1] / (double)domain->mesh0;
}

static farsum_status ranks_create(const struct task *task, struct spectral *s,
                                  double slack)
{
    farsum_status status = MEM_NEW(s->ranks, 1);
    TRY(comm_agree(task->comm, status));
    s->ranks->comm = task->comm;
    TRY(ranks_exchanges(task, s, slack));
    TRY(comm_agree(task->comm, ranks_states(task, s)));
    ranks_about(task, s, &s->parameters.cell);
    return FARSUM_OK;
}

farsum_status spectral_ranks_create(const struct task *task,
                                    struct spectral *s)
{
    return ranks_create(task, s, 1);
}

/* What ranks_create made. */
static void ranks_clear(struct spectral *s)
{
    for (int r = 0; r < STAGE_COUNT; r++) {
        if (s->states[r])
            ranks_variant(s, r)->destroy(s->states[r]);
        s->states[r] = NULL;
    }
    mem_free(s->mesh);
    s->mesh = NULL;
    spectral_ranks_destroy(s);
}

void spectral_ranks_destroy(struct spectral *s)
{
    struct spectral_ranks *k = s->ranks;
    if (!k)
        return;
    if (k->near_ghosts)
        ranks_variant(s, STAGE_NEAR)->destroy(k->near_ghosts);
    if (k->near_virial)
        k->virial.row->variant->destroy(k->near_virial);
    slab_destroy(k->slab);
    planes_destroy(k->planes);
    ghosts_destroy(&k->ghosts);
    ranks_exclude_clear(&k->exclude);
    route_destroy(&k->route);
    route_destroy(&k->target_route);
    spectral_ranks_uncut(k);
    points_clear(&k->given);
    points_clear(&k->ghost);
    void *const all[] = {k->ghost_q, k->ghost_values, k->spectrum, k->q,
                         k->potential, k->field};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        mem_free(all[i]);
    mem_free(k);
    s->ranks = NULL;
}

/* 1: the present states exchange all that the cell of `trial` needs. */
static int ranks_cover(const struct task *task, const struct spectral *s,
                       const struct parameters *trial, int64_t *columns)
{
    const struct spectral_ranks *k = s->ranks;
    int covers = ranks_halo(trial, 1) <= k->domain.halo;
    ranks_columns(task, trial, 1, columns);
    for (int64_t i = 0; i < trial->mesh[1]; i++)
        covers = covers && columns[i] <= k->columns[i];
    return covers;
}

farsum_status spectral_ranks_cell(const struct task *task, struct spectral *s,
                                  const struct parameters *trial)
{
    struct comm *comm = task->comm;
    int64_t *columns = NULL;
    farsum_status status = MEM_NEW(columns, trial->mesh[1]);
    struct cell cell = s->parameters.cell;
    struct spectral old = *s;
    status = comm_agree(comm, status);
    if (status != FARSUM_OK) {
        mem_free(columns);
        return status;
    }
    /* other machines may round differently */
    double lacks = !ranks_cover(task, s, trial, columns);
    mem_free(columns);
    TRY(comm_agree(comm, comm_max(comm, &lacks, 1)));
    if (lacks == 0) {
        domain_cell(&s->ranks->domain, &trial->cell, &s->ranks->own);
        scale_exchange(&s->ranks->exchanged, &trial->cell);
        ranks_about(task, s, &trial->cell);
        return FARSUM_OK;
    }
    memset(s->states, 0, sizeof s->states);
    s->mesh = NULL;
    s->ranks = NULL;
    s->parameters.cell = trial->cell;
    status = ranks_create(task, s, SLACK);
    struct spectral *unused = status == FARSUM_OK ? &old : s;
    ranks_clear(unused);
    if (status != FARSUM_OK) {
        memcpy(s->states, old.states, sizeof s->states);
        s->mesh = old.mesh;
        s->ranks = old.ranks;
        s->parameters.cell = cell;
    }
    return status;
}
