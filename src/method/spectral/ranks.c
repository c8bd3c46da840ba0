/* SPDX-License-Identifier: Apache-2.0 */
/* ranks.c: states of `spectral` over ranks. */
#include "method/spectral/ranks.h"

#include <string.h>

#include "base/arrays.h"
#include "base/mem.h"
#include "method/spectral/each/each.h"
#include "method/spectral/ranks_model.h"
#include "stage/near/near.h"

/* Near pairs of own targets with ghosts as sources.  Energies follow from their
 * potentials, and from their fields if sources have dipoles.  Only the
 * reference variant sums a virial between two sets. */
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
        args.outputs |=
            FARSUM_POTENTIAL | (args.pair->kind->moments ? FARSUM_FIELD : 0u);
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
    int64_t spectrum = ranks_cut_spectrum(&k->cut, t);
    int64_t mesh = ranks_cut_channel(&k->cut, t);
    ranks_cut_args(&k->cut, task, t, args);
    args[STAGE_NEAR].near.lists = &s->lists;
    TRY(mem_alloc(&s->mesh, task->pair.channels * mesh, real, 1));
    TRY(mem_alloc(&k->spectrum, task->pair.channels * spectrum, real, 1));
    for (size_t i = 0; i < sizeof stages / sizeof *stages; i++) {
        int stage = stages[i];
        if ((stage == STAGE_SCALE && k->cut.rows == 0)
            || (stage == STAGE_NEAR && task->part == FARSUM_FAR))
            continue;
        TRY(ranks_variant(s, stage)->create(&args[stage], &s->states[stage]));
    }
    if (task->part != FARSUM_FAR)
        TRY(ranks_near(s, &args[STAGE_NEAR].near));
    return spectral_each_create(task, s, args, k->cut.rows, spectrum);
}

/* The parts that exchange. */
static farsum_status ranks_exchanges(const struct task *task,
                                     struct spectral *s, const int ranks[2],
                                     double slack, const int64_t *begin)
{
    struct spectral_ranks *k = s->ranks;
    const struct parameters *t = &s->parameters;
    farsum_status status =
        ranks_cut_set(&k->cut, task, t, k->comm->rank, ranks, slack, begin);
    int each = (task->problem.outputs & FARSUM_PARTICLE_VIRIAL) != 0;
    KEEP_ON(route_create(&k->route, k->comm, (each ? 9 : 6) * sizeof(double),
                         task->threads));
    KEEP_ON(route_create(&k->target_route, k->comm,
                         (task->pair.kind->moments ? 6 : 3) * sizeof(double),
                         task->threads));
    KEEP_ON(
        ghosts_create(&k->ghosts, k->comm, 6 * sizeof(double), task->threads));
    TRY(comm_agree(k->comm, status));
    if (ranks[1] == 1) /* pencils have even cuts */
        TRY(spectral_ranks_balance(&k->balance, task, t, &k->cut, k->comm));
    const struct planes_args planes =
        ranks_cut_planes(&k->cut, task, t, k->comm);
    const struct pencil_args pencil =
        ranks_cut_pencil(&k->cut, task, t, k->comm);
    TRY(planes_create(&planes, &k->planes[0]));
    if (ranks[1] > 1) {
        const struct planes_args rows =
            ranks_cut_rows(&k->cut, task, t, k->comm);
        TRY(planes_create(&rows, &k->planes[1]));
    }
    return pencil_create(&pencil, &k->pencil);
}

/* ranks: along axes 0 and 1. */
static farsum_status ranks_create(const struct task *task, struct spectral *s,
                                  const int ranks[2], double slack,
                                  const int64_t *begin)
{
    farsum_status status = MEM_NEW(s->ranks, 1);
    TRY(comm_agree(task->comm, status));
    s->ranks->comm = task->comm;
    TRY(ranks_exchanges(task, s, ranks, slack, begin));
    TRY(comm_agree(task->comm, ranks_states(task, s)));
    ranks_cut_cell(&s->ranks->cut, task, &s->parameters, &s->parameters.cell);
    return FARSUM_OK;
}

farsum_status spectral_ranks_create(const struct task *task, struct spectral *s)
{
    int ranks[2];
    TRY(ranks_shape_choose(task, s, ranks));
    return ranks_create(task, s, ranks, 1, NULL);
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
    spectral_each_destroy(s->each);
    s->each = NULL;
    spectral_ranks_destroy(s);
}

/* The near pairs with ghosts. */
static void ranks_near_destroy(struct spectral *s)
{
    struct spectral_ranks *k = s->ranks;
    if (k->near_ghosts)
        ranks_variant(s, STAGE_NEAR)->destroy(k->near_ghosts);
    if (k->near_virial)
        k->virial.row->variant->destroy(k->near_virial);
    k->near_ghosts = k->near_virial = NULL;
}

void spectral_ranks_part(const struct task *task, struct spectral *s)
{
    if (task->part != FARSUM_FAR)
        return; /* a recut makes the mesh's stages with the others */
    ranks_near_destroy(s);
    ranks_variant(s, STAGE_NEAR)->destroy(s->states[STAGE_NEAR]);
    s->states[STAGE_NEAR] = NULL;
}

void spectral_ranks_destroy(struct spectral *s)
{
    struct spectral_ranks *k = s->ranks;
    if (!k)
        return;
    ranks_near_destroy(s);
    pencil_destroy(k->pencil);
    for (int d = 0; d < 2; d++)
        planes_destroy(k->planes[d]);
    ghosts_destroy(&k->ghosts);
    excluded_clear(&k->exclude);
    route_destroy(&k->route);
    route_destroy(&k->target_route);
    ranks_balance_clear(&k->balance);
    ranks_cut_clear(&k->cut);
    points_clear(&k->given);
    points_clear(&k->ghost);
    void *const all[] = {
        k->ghost_q,   k->ghost_values, k->ghost_field, k->spectrum,       k->q,
        k->potential, k->field,        k->gradient,    k->particle_virial};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        mem_free(all[i]);
    mem_free(k);
    s->ranks = NULL;
}

/* Replaces the states; on failure s is as before. */
static farsum_status ranks_replace(const struct task *task, struct spectral *s,
                                   double slack, const int64_t *begin)
{
    struct spectral old = *s;
    memset(s->states, 0, sizeof s->states);
    s->mesh = NULL;
    s->each = NULL;
    s->ranks = NULL;
    farsum_status status =
        ranks_create(task, s, old.ranks->cut.ranks, slack, begin);
    struct spectral *unused = status == FARSUM_OK ? &old : s;
    ranks_clear(unused);
    if (status != FARSUM_OK) {
        memcpy(s->states, old.states, sizeof s->states);
        s->mesh = old.mesh;
        s->each = old.each;
        s->ranks = old.ranks;
    }
    return status;
}

farsum_status spectral_ranks_cell(const struct task *task, struct spectral *s,
                                  const struct parameters *trial)
{
    struct cell cell = s->parameters.cell;
    int follows = 0;
    TRY(ranks_cut_follow(&s->ranks->cut, task, trial, &follows));
    if (follows)
        return FARSUM_OK;
    s->parameters.cell = trial->cell;
    farsum_status status = ranks_replace(task, s, RANKS_SLACK,
                                         s->ranks->cut.domain.begin);
    if (status != FARSUM_OK)
        s->parameters.cell = cell;
    return status;
}

farsum_status spectral_ranks_recut(const struct task *task, struct spectral *s,
                                   const int64_t *begin)
{
    return ranks_replace(task, s, s->ranks->cut.slack, begin);
}
