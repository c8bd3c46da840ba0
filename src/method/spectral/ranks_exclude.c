/* SPDX-License-Identifier: Apache-2.0 */
/* ranks_exclude.c: rows of excluded pairs at the targets' owners. */
#include "base/arrays.h"
#include "base/mem.h"
#include "method/spectral/exclude.h"
#include "method/spectral/ranks.h"

/* Positions, as fractions of the whole cell. */
static farsum_status needs_places(const struct spectral *s,
                                  struct excluded_needs *needs)
{
    farsum_status status = FARSUM_OK;
    const struct spectral_ranks *k = s->ranks;
    double *whole = NULL, scale, shift;
    GO(comm_agree(k->comm, MEM_RAW(whole, s->source.n)));
    domain_whole(&k->cut.domain, &scale, &shift);
    for (int64_t i = 0; i < s->source.n; i++)
        whole[i] = scale * s->source.s[0][i] + shift;
    const double *const held[3] = {whole, s->source.s[1], s->source.s[2]};
    status = excluded_places(needs, k->comm, held);
done:
    mem_free(whole);
    return status;
}

/* Bytes of a source's strengths. */
static int64_t strength_bytes(const struct task *task)
{
    return task->pair.strengths * array_size(task->problem.precision);
}

farsum_status spectral_ranks_exclusions(struct task *task, struct spectral *s)
{
    farsum_status status = FARSUM_OK;
    struct spectral_ranks *k = s->ranks;
    struct excluded *x = &k->exclude;
    struct route *targets = spectral_apart(s) ? &k->target_route : &k->route;
    struct excluded_needs made;
    TRY(excluded_find(x, k->comm, &task->exclusions, targets, &k->route, 0,
                      strength_bytes(task), &made));
    if (x->partners.all > 0)
        status = needs_places(s, &made);
    if (status == FARSUM_OK)
        excluded_take(x, &task->exclusions, &made);
    else
        excluded_drop(x, &made);
    return status;
}

static struct exclude_points own_points(const struct spectral *s,
                                        const struct points *points)
{
    struct exclude_points made = {
        .n = points->n,
        .s = {points->s[0], points->s[1], points->s[2]},
        .q = s->q};
    domain_whole(&s->ranks->cut.domain, &made.scale, &made.shift);
    return made;
}

farsum_status spectral_ranks_exclude(const struct task *task,
                                     struct spectral *s,
                                     const farsum_result *result,
                                     struct spectral_sums *sums)
{
    struct spectral_ranks *k = s->ranks;
    struct excluded_needs *x = &k->exclude.needs;
    if (!excluded_any(&k->exclude))
        return FARSUM_OK;
    TRY(fetch_values(&x->pairs.needed, k->comm, s->q, strength_bytes(task),
                     x->q));
    struct exclude_sides sides = {
        .targets = own_points(s, spectral_apart(s) ? &s->target : &s->source),
        .sources = {own_points(s, &s->source),
                    {.n = x->pairs.needed.n,
                     .s = {x->x[0], x->x[1], x->x[2]},
                     .scale = 1,
                     .q = x->q}},
        .cell = exclude_cell(task, &s->parameters.cell)};
    /* pairs closer than this are missing in the rank's near sums */
    sides.cell.skip = exclude_cell(task, &k->cut.own).skip;
    spectral_exclude_sides(task, s, &sides, result, sums);
    return FARSUM_OK;
}
