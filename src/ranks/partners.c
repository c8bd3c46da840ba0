/* SPDX-License-Identifier: Apache-2.0 */
/* partners.c: excluded pairs from those who name them to givers and owners. */
#include "ranks/partners.h"

#include <string.h>

#include "base/mem.h"

/* A pair on its way to the rank that holds `target`. */
struct traveller {
    int64_t target, source;
    double factor;
    int64_t index; /* in the list of the rank that names it */
};

/* Travellers that arrived, and the sources that another rank holds. */
struct arrived {
    struct traveller *all;    /* owned, [n] */
    int64_t n;
    int64_t *counts;          /* owned, [2][size]: to and from each rank */
    int64_t *far, n_far;      /* owned, [n_far]: numbers */
    int64_t low, high;        /* this rank holds sources low .. high - 1 */
};

static void arrived_clear(struct arrived *a)
{
    mem_free(a->all);
    mem_free(a->counts);
    mem_free(a->far);
}

void partners_clear(struct partners *p)
{
    mem_free(p->first);
    exclusions_clear(&p->given);
    mem_free(p->partner);
    fetch_clear(&p->places);
    *p = (struct partners){.all = 0};
}

void partners_own_clear(struct partners_own *own)
{
    exclusions_clear(&own->rows);
    fetch_clear(&own->needed);
}

/* Sends travellers to the holders of their targets.  a->counts exists.  status:
 * of this rank so far. */
static farsum_status travel(struct comm *comm, farsum_status status,
                            const int64_t *first, int64_t n,
                            const struct traveller *all, struct arrived *a)
{
    void *got = NULL;
    status = numbers_deal(comm, status, first, n, all, sizeof *all, &got, &a->n,
                          a->counts, a->counts + comm->size);
    a->all = got;
    return status;
}

/* Makes the list e of the travellers that arrived: target's index here, and
 * source's number.  Lists the sources that other ranks hold. */
static farsum_status arrived_list(struct arrived *a, int64_t first_target,
                                  struct exclusions *e)
{
    TRY(MEM_RAW(e->pair, 2 * a->n));
    TRY(MEM_RAW(e->factor, a->n));
    TRY(MEM_RAW(a->far, a->n));
    e->count = a->n;
    for (int64_t k = 0; k < a->n; k++) {
        const struct traveller *t = &a->all[k];
        e->pair[2 * k] = t->target - first_target;
        e->pair[2 * k + 1] = t->source;
        e->factor[k] = t->factor;
        if (t->source < a->low || t->source >= a->high)
            a->far[a->n_far++] = t->source;
    }
    return FARSUM_OK;
}

/* The rank that sent traveller k. */
static int arrived_from(const struct arrived *a, int size, int64_t k)
{
    int r = 0;
    for (; r < size - 1 && k >= a->counts[size + r]; r++)
        k -= a->counts[size + r];
    return r;
}

/* Fails if a pair is named twice. */
static farsum_status arrived_once(const struct arrived *a, int size,
                                  int64_t targets, struct exclusions *e)
{
    int64_t twice[2];
    struct exclusions none = {0};
    farsum_status status = exclusions_one_way(e, targets, twice);
    exclusions_take_rows(e, &none); /* only their making was needed */
    if (status == FARSUM_OK || twice[0] < 0)
        return status;
    const struct traveller *t = &a->all[twice[0]], *u = &a->all[twice[1]];
    FAIL(ERR_ARGUMENT,
         "exclusion %lld of rank %d and exclusion %lld of rank %d name the "
         "same pair, %lld %lld",
         (long long)t->index, arrived_from(a, size, twice[0]),
         (long long)u->index, arrived_from(a, size, twice[1]),
         (long long)t->target, (long long)t->source);
}

static void given_first(const int64_t *given, int size, int64_t *first)
{
    first[0] = 0;
    for (int r = 0; r < size; r++)
        first[r + 1] = first[r] + given[r];
}

/* 1: the list e is at the givers of these points. */
static int partners_there(const struct partners *p, const struct comm *comm,
                          const struct exclusions *e, const int64_t *targets,
                          const int64_t *sources)
{
    const int64_t *const given[2] = {targets, sources};
    if (p->version != e->version || !p->first
        || p->apart != (targets != sources))
        return 0;
    for (int k = 0; k < 2; k++) {
        const int64_t *first = p->first + k * (comm->size + 1);
        for (int r = 0; r < comm->size; r++)
            if (first[r + 1] - first[r] != given[k][r])
                return 0;
    }
    return 1;
}

/* The travellers of a list: each pair to its first point, or to both. */
static void list_travellers(const struct exclusions *e, int sides,
                            struct traveller *all)
{
    for (int64_t k = 0; k < e->count; k++)
        for (int side = 0; side < sides; side++)
            *all++ = (struct traveller){e->pair[2 * k + side],
                                        e->pair[2 * k + 1 - side],
                                        e->factor[k], k};
}

/* What the giver of a source stores. */
static void given_partners(struct partners *p, const struct arrived *a)
{
    for (int64_t k = 0; k < p->given.count; k++) {
        int64_t number = p->given.pair[2 * k + 1];
        p->partner[k] = number >= a->low && number < a->high
                            ? number - a->low
                            : -1 - fetch_find(&p->places, number);
    }
}

static farsum_status partners_give(struct partners *p, struct comm *comm,
                                   const struct exclusions *e,
                                   const int64_t *targets,
                                   const int64_t *sources)
{
    farsum_status status = FARSUM_OK;
    int apart = targets != sources, sides = apart ? 1 : 2, size = comm->size;
    struct traveller *all = NULL;
    struct arrived a = {.n = 0};
    *p = (struct partners){.version = e->version, .apart = apart};
    KEEP_ON(MEM_RAW(p->first, 2 * (size + 1)));
    KEEP_ON(MEM_NEW(a.counts, 2 * size));
    KEEP_ON(MEM_RAW(all, sides * e->count));
    GO(comm_agree(comm, status));
    int64_t *to = p->first, *of = p->first + size + 1;
    given_first(targets, size, to);
    given_first(sources, size, of);
    a.low = of[comm->rank];
    a.high = of[comm->rank + 1];
    status = exclusions_check(e, of[size], apart ? to[size] : 0);
    list_travellers(e, sides, all);
    GO(travel(comm, status, to, sides * e->count, all, &a));
    status = arrived_list(&a, to[comm->rank], &p->given);
    if (status == FARSUM_OK)
        status = arrived_once(&a, size, targets[comm->rank], &p->given);
    if (status == FARSUM_OK)
        status = MEM_RAW(p->partner, a.n);
    GO(fetch_create(&p->places, comm, status, of, a.n_far, a.far,
                    sizeof(int64_t)));
    given_partners(p, &a);
done:
    mem_free(all);
    arrived_clear(&a);
    if (status != FARSUM_OK)
        partners_clear(p);
    return status;
}

farsum_status partners_set(struct partners *p, struct comm *comm,
                           const struct exclusions *e, const int64_t *targets,
                           const int64_t *sources)
{
    struct partners made;
    int there = partners_there(p, comm, e, targets, sources);
    int64_t all[2] = {!there, e->count};
    TRY(comm_agree(comm, comm_sum_counts(comm, all, 2)));
    if (all[1] == 0)
        partners_clear(p);
    if (all[1] == 0 || all[0] == 0)
        return FARSUM_OK;
    TRY(partners_give(&made, comm, e, targets, sources));
    made.all = all[1];
    partners_clear(p);
    *p = made;
    return FARSUM_OK;
}

/* Numbers of points by owning rank, and the numbers of the points that this
 * rank gives. */
struct places {
    int64_t *first;  /* owned, [size + 1] */
    int64_t *own;    /* owned, [n_own] */
    int64_t *given;  /* owned, [n] */
};

static void places_clear(struct places *places)
{
    mem_free(places->first);
    mem_free(places->own);
    mem_free(places->given);
}

static farsum_status places_hold(struct places *places, int size,
                                 const struct route *route)
{
    TRY(MEM_RAW(places->first, size + 1));
    TRY(MEM_RAW(places->own, route->n_own));
    return MEM_RAW(places->given, route->n);
}

static farsum_status places_set(struct places *places, struct comm *comm,
                                struct route *route)
{
    farsum_status status = numbers_first(comm, route->n_own, places->first);
    for (int64_t k = 0; k < route->n_own; k++)
        places->own[k] = places->first[comm->rank] + k;
    KEEP_ON(route_back(route, comm, places->own, sizeof(int64_t),
                       places->given));
    return status;
}

static void given_travellers(const struct partners *p,
                             const struct places *targets,
                             const struct places *sources, const int64_t *far,
                             struct traveller *all)
{
    for (int64_t k = 0; k < p->given.count; k++) {
        int64_t j = p->partner[k];
        all[k] = (struct traveller){targets->given[p->given.pair[2 * k]],
                                    j >= 0 ? sources->given[j] : far[-1 - j],
                                    p->given.factor[k], k};
    }
}

/* Replaces the sources' numbers by indices, and makes the rows. */
static farsum_status own_rows(struct partners_own *own, const struct arrived *a,
                              const struct route *targets,
                              const struct route *sources)
{
    struct exclusions *rows = &own->rows;
    int64_t n = sources->n_own, twice[2];
    for (int64_t k = 0; k < rows->count; k++) {
        int64_t *j = &rows->pair[2 * k + 1];
        *j = *j >= a->low && *j < a->high ? *j - a->low
                                          : n + fetch_find(&own->needed, *j);
    }
    TRY(exclusions_one_way(rows, targets->n_own, twice));
    rows->n = n;
    rows->m = targets == sources ? 0 : targets->n_own;
    return FARSUM_OK;
}

farsum_status partners_travel(struct partners *p, struct comm *comm,
                              struct route *targets, struct route *sources,
                              int64_t bytes_most, struct partners_own *own)
{
    farsum_status status = FARSUM_OK;
    int apart = targets != sources, size = comm->size;
    struct places of_sources = {0}, of_targets = {0};
    struct places *to = apart ? &of_targets : &of_sources;
    struct traveller *all = NULL;
    struct arrived a = {.n = 0};
    int64_t *far = NULL;
    *own = (struct partners_own){.rows = {0}};
    KEEP_ON(places_hold(&of_sources, size, sources));
    if (apart)
        KEEP_ON(places_hold(&of_targets, size, targets));
    KEEP_ON(MEM_RAW(far, p->places.n));
    KEEP_ON(MEM_RAW(all, p->given.count));
    KEEP_ON(MEM_NEW(a.counts, 2 * size));
    GO(comm_agree(comm, status));
    KEEP_ON(places_set(&of_sources, comm, sources));
    if (apart)
        KEEP_ON(places_set(&of_targets, comm, targets));
    KEEP_ON(fetch_values(&p->places, comm, of_sources.given, sizeof(int64_t),
                         far));
    GO(comm_agree(comm, status));
    given_travellers(p, to, &of_sources, far, all);
    GO(travel(comm, FARSUM_OK, to->first, p->given.count, all, &a));
    a.low = of_sources.first[comm->rank];
    a.high = of_sources.first[comm->rank + 1];
    status = arrived_list(&a, to->first[comm->rank], &own->rows);
    GO(fetch_create(&own->needed, comm, status, of_sources.first, a.n_far,
                    a.far, bytes_most));
    GO(comm_agree(comm, own_rows(own, &a, targets, sources)));
done:
    places_clear(&of_sources);
    places_clear(&of_targets);
    mem_free(far);
    mem_free(all);
    arrived_clear(&a);
    if (status != FARSUM_OK)
        partners_own_clear(own);
    return status;
}
