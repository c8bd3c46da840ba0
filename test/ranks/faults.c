/* SPDX-License-Identifier: Apache-2.0 */
/* faults.c: tests of route and ghosts when one rank fails: points that lie
 * nowhere, no memory, a broken network.  All ranks fail, none hangs, and the
 * next set works. */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "check.h"
#include "ranks/comm_threads.h"
#include "ranks/wanted.h"

enum { SIZE = 3, POINTS = 60 };

/* A rank's points on their way to the owners, and then to the ghosts. */
struct travel {
    const struct given *given;
    struct wanted wanted;
    struct domain domain;
    struct route route;
    struct ghosts ghosts;
    double *s[3];   /* [n_own] */
    double *values; /* [n_ghosts] */
};

static farsum_status travel_begin(struct travel *t, const struct given *g,
                                  int rank)
{
    *t = (struct travel){.given = g, .wanted = wanted_of(g, rank)};
    for (int d = 0; d < 3; d++)
        t->s[d] = check_memory((size_t)t->wanted.n_own + 1, sizeof(double));
    t->values = check_memory((size_t)t->wanted.n_ghosts + 1, sizeof(double));
    return domain_create(&t->domain, rank, SIZE, g->mesh0, g->halo, g->begin);
}

static void travel_end(struct travel *t)
{
    route_destroy(&t->route);
    ghosts_destroy(&t->ghosts);
    domain_destroy(&t->domain);
    wanted_free(&t->wanted);
    for (int d = 0; d < 3; d++)
        free(t->s[d]);
    free(t->values);
}

static farsum_status travel_create(struct travel *t, struct comm *comm)
{
    farsum_status route = route_create(&t->route, comm, 8, 1);
    farsum_status ghosts = ghosts_create(&t->ghosts, comm, 8, 1);
    return comm_agree(comm, route != FARSUM_OK ? route : ghosts);
}

static void travel_destroy(struct travel *t)
{
    route_destroy(&t->route);
    ghosts_destroy(&t->ghosts);
}

/* From the given points, s[3][n], to ghosts and their values. */
static farsum_status travel_run(struct travel *t, struct comm *comm,
                                double *const s[3])
{
    farsum_status status = FARSUM_OK;
    TRY(route_set(&t->route, comm, &t->domain, t->wanted.n, s));
    for (int d = 0; d < 3; d++) {
        farsum_status one = route_there(&t->route, comm, s[d], 8, t->s[d]);
        status = status != FARSUM_OK ? status : one;
    }
    TRY(comm_agree(comm, status));
    TRY(ghosts_set(&t->ghosts, comm, &t->domain, t->route.n_own, t->s));
    return comm_agree(comm,
                      ghosts_send(&t->ghosts, comm, t->s[1], 8, t->values));
}

static void travel_is_right(const struct travel *t, const struct comm *comm)
{
    const struct wanted *w = &t->wanted;
    wanted_route(w, t->given, &t->route);
    wanted_ghosts(w, t->given, comm->rank, &t->ghosts);
    for (int d = 0; d < 3; d++)
        CHECK(memcmp(t->s[d], w->s[d], (size_t)w->n_own * 8) == 0, "own s%d",
              d);
    CHECK(memcmp(t->values, t->ghosts.s[1], (size_t)w->n_ghosts * 8) == 0,
          "values of ghosts");
}

static void with_ranks(farsum_status (*work)(struct comm *, void *))
{
    struct given g;
    given_make(&g, SIZE, 16, 6, CUT_EVEN, POINTS, SHARE_EVEN, PLACES_UNIFORM,
               3);
    CHECK(ranks_run(SIZE, NULL, work, &g) == 0, "a rank failed");
    given_free(&g);
}

/* Point 7 of rank 1 is in no plane, or not in a plane of the slab. */
static farsum_status work_bad(struct comm *comm, void *data)
{
    static const double bad[] = {1, -1e-300, (double)NAN, (double)INFINITY,
                                 0.9};
    struct travel t;
    double s0[POINTS];
    double *const s[3] = {s0, NULL, NULL};
    farsum_status status = FARSUM_OK;
    GO(travel_begin(&t, data, comm->rank));
    GO(travel_create(&t, comm));
    for (int k = 0; k < 5; k++) {
        int owned = k == 4; /* the route takes it, ghosts do not */
        int64_t n = owned ? t.wanted.n_own : t.wanted.n;
        memcpy(s0, owned ? t.wanted.s[0] : t.wanted.given_s[0], (size_t)n * 8);
        if (comm->rank == 1) {
            s0[7] = bad[k];
            s0[9] = (double)NAN;
        }
        if (!owned)
            CHECK_FAILS(route_set(&t.route, comm, &t.domain, n, s),
                        FARSUM_ERR_POSITION);
        else
            CHECK_FAILS(ghosts_set(&t.ghosts, comm, &t.domain, n, s),
                        FARSUM_ERR_POSITION);
        CHECK_SAYS("rank 1: point 7: its fraction");
        CHECK(owned ? t.ghosts.n == 0 : t.route.n == 0 && t.route.n_own == 0,
              "points after a failure");
        GO(route_there(&t.route, comm, t.wanted.given_s[1], 8, t.s[1]));
        GO(travel_run(&t, comm, t.wanted.given_s));
        travel_is_right(&t, comm);
    }
    CHECK_FAILS(route_there(&t.route, comm, NULL, 9, NULL),
                FARSUM_ERR_ARGUMENT);
    CHECK_FAILS(route_back(&t.route, comm, NULL, 0, NULL), FARSUM_ERR_ARGUMENT);
    CHECK_FAILS(ghosts_send(&t.ghosts, comm, NULL, 9, NULL),
                FARSUM_ERR_ARGUMENT);
done:
    travel_end(&t);
    return status;
}

static void bad_points(void)
{
    with_ranks(work_bad);
}

/* Several threads find bad points: the first one is named. */
static void first_bad_point(void)
{
    enum { MANY = 40000, FIRST = 9000 };
    struct comm *comm;
    struct domain domain;
    struct route route;
    double *s0 = check_memory(MANY, sizeof *s0), *const s[3] = {s0};
    CHECK_OK(comm_self(&comm));
    CHECK_OK(domain_create(&domain, 0, 1, 16, 0, NULL));
    CHECK_OK(route_create(&route, comm, 8, 4));
    s0[MANY - 1] = s0[FIRST] = s0[FIRST + 1] = 2;
    CHECK_FAILS(route_set(&route, comm, &domain, MANY, s), FARSUM_ERR_POSITION);
    CHECK_SAYS("point 9000: its fraction 2 of the cell is not in planes 0 .. "
               "15 of 16");
    route_destroy(&route);
    domain_destroy(&domain);
    comm_destroy(comm);
    free(s0);
}

/* The k-th allocation of rank r fails, from create to the last set.  After that
 * the same sets work, if they were created. */
static farsum_status fail_once(struct travel *t, struct comm *comm, int r,
                               int64_t k, farsum_status *found)
{
    farsum_status status = FARSUM_OK;
    mem_fail_at(comm->rank == r ? k : 0);
    farsum_status created = travel_create(t, comm);
    *found = created;
    if (created == FARSUM_OK)
        *found = travel_run(t, comm, t->wanted.given_s);
    mem_fail_at(0);
    CHECK(*found == FARSUM_OK || *found == FARSUM_ERR_MEMORY,
          "allocation %lld: %s", (long long)k, farsum_message());
    if (created == FARSUM_OK) {
        status = travel_run(t, comm, t->wanted.given_s);
        if (status == FARSUM_OK)
            travel_is_right(t, comm);
    }
    travel_destroy(t);
    return status;
}

static farsum_status work_no_memory(struct comm *comm, void *data)
{
    int64_t before = mem_bytes();
    farsum_status status = FARSUM_OK;
    struct travel t;
    GO(travel_begin(&t, data, comm->rank));
    for (int r = 0; r < SIZE; r++) {
        farsum_status found = FARSUM_ERR_MEMORY;
        int64_t k = 1;
        for (; found != FARSUM_OK; k++)
            GO(fail_once(&t, comm, r, k, &found));
        /* create: 6 and 5; sets: 4 and 7 */
        CHECK(k - 2 == 22, "%lld allocations fail", (long long)k - 2);
    }
done:
    travel_end(&t);
    CHECK(mem_bytes() == before, "failed sets keep memory");
    return status;
}

static void no_memory(void)
{
    with_ranks(work_no_memory);
}

static farsum_status work_broken(struct comm *comm, void *data)
{
    farsum_status status = FARSUM_OK;
    struct travel t;
    GO(travel_begin(&t, data, comm->rank));
    GO(travel_create(&t, comm));
    GO(travel_run(&t, comm, t.wanted.given_s));
    travel_is_right(&t, comm);
done:
    /* ERR_INTERNAL: ranks called different functions, or stated other sizes */
    CHECK(status == FARSUM_OK || status == FARSUM_ERR_COMM, "rank %d: %s",
          comm->rank, farsum_message());
    travel_end(&t);
    return status;
}

/* Each call of each rank fails.  A failure in the last agreement is told by the
 * next one. */
static void broken_network(void)
{
    struct given g;
    with_ranks(work_broken);
    int64_t calls = ranks_calls();
    CHECK(calls == 16, "%lld calls", (long long)calls);
    given_make(&g, SIZE, 16, 6, CUT_EVEN, POINTS, SHARE_EVEN, PLACES_UNIFORM,
               3);
    for (int r = 0; r < SIZE; r++)
        for (int64_t k = 1; k <= calls; k++) {
            struct ranks_play play = {.fail_rank = r, .fail_call = k};
            int failed = ranks_run(SIZE, &play, work_broken, &g);
            CHECK(failed == (k == calls ? 0 : SIZE),
                  "call %lld of rank %d fails, and so do %d ranks",
                  (long long)k, r, failed);
        }
    given_free(&g);
}

int main(void)
{
    RUN(bad_points);
    RUN(first_bad_point);
    RUN(no_memory);
    RUN(broken_network);
    return check_end();
}
