/* SPDX-License-Identifier: Apache-2.0 */
/* ranks_together.c: coincident sources, also of two owners. */
#include "method/spectral/ranks_together.h"

#include <math.h>
#include <stdio.h>

#include "base/mem.h"
#include "method/spectral/ranks.h"

/* Own sources and ghosts within rounding of the ends of the own parts. */
struct border {
    int64_t n_own, n;     /* own ones come first */
    int64_t *index;       /* owned, [n]: of the own source or the ghost */
    struct points points; /* fractions of the whole cell, not wrapped */
};

static void border_clear(struct border *border)
{
    mem_free(border->index);
    points_clear(&border->points);
}

/* 1: a fraction of the rank's own cell is that of a part's end. */
static int at_end(const struct domain *domain, double s0)
{
    double planes = (double)domain_planes(domain, domain->rank);
    double end = (double)domain->halo / planes;
    double slack = POINTS_SAME * (2 * (double)domain->mesh0 / planes + 1);
    return fabs(s0 - end) <= slack || fabs(1 - end - s0) <= slack;
}

/* Counts such points, and lists them unless index is NULL. */
static int64_t list_ends(const struct domain *domain, int64_t n,
                         double *const s[], int64_t *index)
{
    int64_t found = 0;
    for (int64_t i = 0; i < n; i++)
        if (at_end(domain, s[0][i])
            || (domain->across && at_end(domain->across, s[1][i]))) {
            if (index)
                index[found] = i;
            found++;
        }
    return found;
}

static farsum_status border_set(struct border *border, const struct spectral *s)
{
    const struct domain *domain = &s->ranks->cut.domain;
    const struct points *own = &s->source;
    const struct ghosts *ghosts = &s->ranks->ghosts;
    border->n_own = list_ends(domain, own->n, own->s, NULL);
    border->n = border->n_own;
    if (border->n_own > 0) /* else no pair */
        border->n += list_ends(domain, ghosts->n, ghosts->s, NULL);
    if (border->n == border->n_own)
        return FARSUM_OK;
    TRY(MEM_RAW(border->index, border->n));
    TRY(points_hold(&border->points, border->n));
    list_ends(domain, own->n, own->s, border->index);
    list_ends(domain, ghosts->n, ghosts->s, border->index + border->n_own);
    for (int64_t i = 0; i < border->n; i++) {
        double *const *from = i < border->n_own ? own->s : ghosts->s;
        for (int d = 0; d < 3; d++)
            border->points.s[d][i] = from[d][border->index[i]];
    }
    for (int d = 0; d < 2 && domain_axis(domain, d); d++) {
        double *s_d = border->points.s[d], scale, shift;
        domain_whole(domain_axis(domain, d), &scale, &shift);
        for (int64_t i = 0; i < border->n; i++)
            s_d[i] = scale * s_d[i] + shift;
    }
    return FARSUM_OK;
}

/* What a rank finds without the others: FARSUM_ERR_COINCIDENT where some of
 * the points may coincide, which the slow search decides. */
static farsum_status distinct_here(struct task *task, struct spectral *s,
                                   struct border *border)
{
    TRY(border_set(border, s));
    if (border->n > border->n_own)
        TRY(points_distinct(&border->points, 1, task->threads, NULL));
    if (spectral_targets(s) > 0)
        return FARSUM_OK; /* the near stage has checked own sources */
    return points_distinct(&s->source, 1, task->threads, NULL);
}

/* Numbers of own sources and ghosts. */
struct known {
    int64_t *first;          /* owned, [size + 1]: of places, by owner */
    int64_t *number, *place; /* owned, [n_own]: global numbers; by owner */
    int64_t *ghost_number, *ghost_place; /* owned, [ghosts] */
};

static void known_clear(struct known *known)
{
    mem_free(known->first);
    mem_free(known->number);
    mem_free(known->place);
    mem_free(known->ghost_number);
    mem_free(known->ghost_place);
}

static farsum_status known_set(struct known *known, struct spectral_ranks *k)
{
    farsum_status status = FARSUM_OK;
    int64_t n = k->route.n_own;
    KEEP_ON(MEM_RAW(known->first, k->comm->size + 1));
    KEEP_ON(MEM_RAW(known->number, n));
    KEEP_ON(MEM_RAW(known->place, n));
    KEEP_ON(MEM_RAW(known->ghost_number, k->ghosts.n));
    KEEP_ON(MEM_RAW(known->ghost_place, k->ghosts.n));
    TRY(comm_agree(k->comm, status));
    KEEP_ON(numbers_first(k->comm, n, known->first));
    for (int64_t i = 0; i < n; i++)
        known->place[i] = known->first[k->comm->rank] + i;
    KEEP_ON(route_numbers(&k->route, k->comm, known->number));
    KEEP_ON(ghosts_send(&k->ghosts, k->comm, known->number, sizeof(int64_t),
                        known->ghost_number));
    KEEP_ON(ghosts_send(&k->ghosts, k->comm, known->place, sizeof(int64_t),
                        known->ghost_place));
    return comm_agree(k->comm, status);
}

static int same_place(const struct points *p, int64_t i, int64_t j)
{
    for (int d = 0; d < 3; d++) {
        double off = p->s[d][i] - p->s[d][j];
        if (fabs(off - nearbyint(off)) > POINTS_SAME)
            return 0;
    }
    return 1;
}

/* The part of a ghost that own source i loses.  The ghost may be the image of
 * another own source. */
static double ghost_lost(const struct spectral *s, const struct known *known,
                         const struct exclusions *e, int64_t i, int64_t place)
{
    int64_t own = place - known->first[s->ranks->comm->rank];
    if (!e)
        return 0;
    if (own >= 0 && own < s->source.n)
        return exclusions_lost(e, i, own);
    int64_t k = fetch_find(&s->ranks->exclude.needs.pairs.needed, place);
    return k < 0 ? 0 : exclusions_lost(e, i, s->source.n + k);
}

/* Fails for an own source and a ghost that coincide. */
static farsum_status twins_across(const struct spectral *s,
                                  const struct border *border,
                                  const struct known *known,
                                  struct exclusions *e)
{
    for (int64_t a = 0; a < border->n_own; a++)
        for (int64_t b = border->n_own; b < border->n; b++) {
            if (!same_place(&border->points, a, b))
                continue;
            int64_t i = border->index[a], g = border->index[b];
            int64_t one = known->number[i], other = known->ghost_number[g];
            double lost = ghost_lost(s, known, e, i, known->ghost_place[g]);
            if (one == other) /* its own image */
                continue;
            if (lost != 1)
                return points_coincide(one < other ? one : other,
                                       one < other ? other : one, 1 - lost);
            e->together++;
        }
    return FARSUM_OK;
}

/* Decides, with all numbers. */
static farsum_status twins_here(struct task *task, const struct spectral *s,
                                const struct border *border,
                                const struct known *known)
{
    struct exclusions *e = spectral_apart(s) ? NULL : &task->exclusions;
    int64_t twins[2];
    double factor;
    e = exclusions_of_sources(e);
    TRY(points_twins(&s->source, 1, task->threads, e, twins, &factor));
    if (twins[0] >= 0)
        return points_coincide(known->number[twins[0]], known->number[twins[1]],
                               factor);
    if (border->n == border->n_own)
        return FARSUM_OK;
    return twins_across(s, border, known, e);
}

/* Searches again, with the numbers of all. */
static farsum_status distinct_again(struct task *task, struct spectral *s,
                                    farsum_status placed, const char *words)
{
    farsum_status status = FARSUM_OK;
    struct spectral_ranks *k = s->ranks;
    struct border border = {.n = 0};
    struct known known = {.first = NULL};
    GO(comm_agree(k->comm, border_set(&border, s)));
    GO(known_set(&known, k));
    status = twins_here(task, s, &border, &known);
    if (status == FARSUM_OK && placed != FARSUM_OK)
        status = status_fail(placed, "%s", words);
    status = comm_agree(k->comm, status);
done:
    border_clear(&border);
    known_clear(&known);
    return status;
}

farsum_status spectral_ranks_distinct(struct task *task, struct spectral *s,
                                      farsum_status placed)
{
    struct border border = {.n = 0};
    char words[256] = "";
    farsum_status status = placed;
    if (placed != FARSUM_OK)
        snprintf(words, sizeof words, "%s", farsum_message());
    else if (!task->problem.exclude_coincident && task->part != FARSUM_FAR)
        status = distinct_here(task, s, &border);
    border_clear(&border);
    status = comm_agree(s->ranks->comm, status);
    return status == FARSUM_ERR_COINCIDENT
               ? distinct_again(task, s, placed, words)
               : status;
}
