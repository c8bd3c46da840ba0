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
    int64_t n = s->source.n;
    const double *held[3] = {s->source.s[0], s->source.s[1], s->source.s[2]};
    GO(comm_agree(k->comm, MEM_RAW(whole, 2 * n)));
    for (int d = 0; d < 2 && domain_axis(&k->cut.domain, d); d++) {
        domain_whole(domain_axis(&k->cut.domain, d), &scale, &shift);
        for (int64_t i = 0; i < n; i++)
            whole[d * n + i] = scale * s->source.s[d][i] + shift;
        held[d] = whole + d * n;
    }
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
        .scale = {1, 1},
        .q = s->q};
    const struct domain *domain = &s->ranks->cut.domain;
    for (int d = 0; d < 2 && domain_axis(domain, d); d++)
        domain_whole(domain_axis(domain, d), &made.scale[d], &made.shift[d]);
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
                     .scale = {1, 1},
                     .q = x->q}},
        .cell = exclude_cell(task, &s->parameters.cell)};
    /* pairs closer than this are missing in the rank's near sums */
    sides.cell.skip = exclude_cell(task, &k->cut.own).skip;
    spectral_exclude_sides(task, s, &sides, result, sums);
    return FARSUM_OK;
}
