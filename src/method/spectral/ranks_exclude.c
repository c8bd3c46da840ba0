/* SPDX-License-Identifier: Apache-2.0 */
/* ranks_exclude.c: rows of excluded pairs at the targets' owners. */
#include "base/arrays.h"
#include "base/mem.h"
#include "method/spectral/exclude.h"
#include "method/spectral/ranks.h"

/* What the owner of targets holds; all of it is replaced together. */
struct owner {
    struct partners_own pairs;
    double *s[3];
    void *q;
};

static void owner_clear(struct owner *owner)
{
    partners_own_clear(&owner->pairs);
    for (int d = 0; d < 3; d++)
        mem_free(owner->s[d]);
    mem_free(owner->q);
    *owner = (struct owner){.q = NULL};
}

/* Exchanges what `owner` has with what is in use. */
static void owner_swap(struct owner *owner, struct ranks_exclude *x,
                       struct exclusions *e)
{
    const struct owner old = {
        .pairs.needed = x->needed, .s = {x->s[0], x->s[1], x->s[2]}, .q = x->q};
    exclusions_take_rows(e, &owner->pairs.rows);
    exclusions_clear(&owner->pairs.rows);
    x->needed = owner->pairs.needed;
    for (int d = 0; d < 3; d++)
        x->s[d] = owner->s[d];
    x->q = owner->q;
    *owner = old;
}

void ranks_exclude_clear(struct ranks_exclude *x)
{
    struct owner owner = {.pairs.needed = x->needed,
                          .s = {x->s[0], x->s[1], x->s[2]},
                          .q = x->q};
    partners_clear(&x->partners);
    owner_clear(&owner);
    *x = (struct ranks_exclude){.q = NULL};
}

/* From own cells to fractions of the whole cell along axis 0. */
static void whole_axis(const struct domain *domain, double *scale,
                       double *shift)
{
    double mesh = (double)domain->mesh0;
    *scale = (double)domain_planes(domain, domain->rank) / mesh;
    *shift = (double)(domain->begin[domain->rank] - domain->halo) / mesh;
}

/* Fetches the positions of the sources that other ranks own. */
static farsum_status owner_places(const struct task *task,
                                  const struct spectral *s, struct owner *owner)
{
    farsum_status status = FARSUM_OK;
    const struct spectral_ranks *k = s->ranks;
    struct fetch *needed = &owner->pairs.needed;
    double *whole = NULL, scale, shift;
    for (int d = 0; d < 3; d++)
        KEEP_ON(MEM_RAW(owner->s[d], needed->n));
    KEEP_ON(mem_alloc(&owner->q, needed->n * task->pair.strengths,
                      (size_t)array_size(task->problem.precision), 0));
    KEEP_ON(MEM_RAW(whole, s->source.n));
    GO(comm_agree(k->comm, status));
    whole_axis(&k->domain, &scale, &shift);
    for (int64_t i = 0; i < s->source.n; i++)
        whole[i] = scale * s->source.s[0][i] + shift;
    for (int d = 0; d < 3; d++)
        KEEP_ON(fetch_values(needed, k->comm, d == 0 ? whole : s->source.s[d],
                             sizeof(double), owner->s[d]));
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
    struct owner owner = {.q = NULL};
    GO(partners_set(&x->partners, k->comm, &task->exclusions, targets->given,
                    k->route.given));
    if (x->partners.all > 0) {
        GO(partners_travel(&x->partners, k->comm, targets, &k->route,
                           PAIR_STRENGTHS * sizeof(double), &owner.pairs));
        GO(owner_places(task, s, &owner));
    }
    owner_swap(&owner, x, &task->exclusions);
done:
    if (status != FARSUM_OK) /* this list's version may come again */
        x->partners.version = 0;
    owner_clear(&owner);
    return status;
}

static struct exclude_points own_points(const struct spectral *s,
                                        const struct points *points)
{
    struct exclude_points made = {
        .n = points->n,
        .s = {points->s[0], points->s[1], points->s[2]},
        .q = s->q};
    whole_axis(&s->ranks->domain, &made.scale, &made.shift);
    return made;
}

farsum_status spectral_ranks_exclude(const struct task *task,
                                     struct spectral *s,
                                     const farsum_result *result,
                                     struct spectral_sums *sums)
{
    struct spectral_ranks *k = s->ranks;
    struct ranks_exclude *x = &k->exclude;
    if (x->needed.sends.size == 0) /* no rank names a pair */
        return FARSUM_OK;
    TRY(fetch_values(&x->needed, k->comm, s->q,
                     task->pair.strengths * array_size(task->problem.precision),
                     x->q));
    struct exclude_sides sides = {
        .targets = own_points(s, spectral_apart(s) ? &s->target : &s->source),
        .sources = {own_points(s, &s->source),
                    {.n = x->needed.n,
                     .s = {x->s[0], x->s[1], x->s[2]},
                     .scale = 1,
                     .q = x->q}},
        .cell = exclude_cell(task, &s->parameters.cell)};
    /* pairs closer than this are missing in the rank's near sums */
    sides.cell.skip = exclude_cell(task, &k->own).skip;
    spectral_exclude_sides(task, s, &sides, result, sums);
    return FARSUM_OK;
}
