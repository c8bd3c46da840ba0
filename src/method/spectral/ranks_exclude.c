/* SPDX-License-Identifier: Apache-2.0 */
/* ranks_exclude.c: rows of excluded pairs at the targets' owners. */
#include "base/arrays.h"
#include "base/mem.h"
#include "method/spectral/exclude.h"
#include "method/spectral/ranks.h"

static void needs_clear(struct ranks_needs *needs)
{
    partners_own_clear(&needs->pairs);
    for (int d = 0; d < 3; d++)
        mem_free(needs->s[d]);
    mem_free(needs->q);
    *needs = (struct ranks_needs){.q = NULL};
}

void ranks_exclude_clear(struct ranks_exclude *x)
{
    partners_clear(&x->partners);
    needs_clear(&x->needs);
}

/* Fetches the positions of the sources that other ranks own. */
static farsum_status needs_places(const struct task *task,
                                  const struct spectral *s,
                                  struct ranks_needs *needs)
{
    farsum_status status = FARSUM_OK;
    const struct spectral_ranks *k = s->ranks;
    struct fetch *needed = &needs->pairs.needed;
    double *whole = NULL, scale, shift;
    for (int d = 0; d < 3; d++)
        KEEP_ON(MEM_RAW(needs->s[d], needed->n));
    KEEP_ON(mem_alloc(&needs->q, needed->n * task->pair.strengths,
                      (size_t)array_size(task->problem.precision), 0));
    KEEP_ON(MEM_RAW(whole, s->source.n));
    GO(comm_agree(k->comm, status));
    domain_whole(&k->cut.domain, &scale, &shift);
    for (int64_t i = 0; i < s->source.n; i++)
        whole[i] = scale * s->source.s[0][i] + shift;
    for (int d = 0; d < 3; d++)
        KEEP_ON(fetch_values(needed, k->comm, d == 0 ? whole : s->source.s[d],
                             sizeof(double), needs->s[d]));
    status = comm_agree(k->comm, status);
done:
    mem_free(whole);
    return status;
}

farsum_status spectral_ranks_exclusions(struct task *task, struct spectral *s)
{
    farsum_status status = FARSUM_OK;
    struct spectral_ranks *k = s->ranks;
    struct ranks_exclude *x = &k->exclude;
    struct route *targets = spectral_apart(s) ? &k->target_route : &k->route;
    struct ranks_needs made = {.q = NULL}, old;
    GO(partners_set(&x->partners, k->comm, &task->exclusions, targets->given,
                    k->route.given));
    if (x->partners.all > 0) {
        GO(partners_travel(&x->partners, k->comm, targets, &k->route,
                           PAIR_STRENGTHS * sizeof(double), &made.pairs));
        GO(needs_places(task, s, &made));
    }
    exclusions_take_rows(&task->exclusions, &made.pairs.rows);
    exclusions_clear(&made.pairs.rows);
    old = x->needs;
    x->needs = made;
    made = old;
done:
    if (status != FARSUM_OK) /* this list's version may come again */
        x->partners.version = 0;
    needs_clear(&made);
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
    struct ranks_needs *x = &k->exclude.needs;
    if (x->pairs.needed.sends.size == 0) /* no rank names a pair */
        return FARSUM_OK;
    TRY(fetch_values(&x->pairs.needed, k->comm, s->q,
                     task->pair.strengths * array_size(task->problem.precision),
                     x->q));
    struct exclude_sides sides = {
        .targets = own_points(s, spectral_apart(s) ? &s->target : &s->source),
        .sources = {own_points(s, &s->source),
                    {.n = x->pairs.needed.n,
                     .s = {x->s[0], x->s[1], x->s[2]},
                     .scale = 1,
                     .q = x->q}},
        .cell = exclude_cell(task, &s->parameters.cell)};
    /* pairs closer than this are missing in the rank's near sums */
    sides.cell.skip = exclude_cell(task, &k->cut.own).skip;
    spectral_exclude_sides(task, s, &sides, result, sums);
    return FARSUM_OK;
}
