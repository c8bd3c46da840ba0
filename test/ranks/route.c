/* SPDX-License-Identifier: Apache-2.0 */
/* route.c: tests of the route of points to their owners and back. */
#include "ranks/route.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "check.h"
#include "ranks/comm_threads.h"
#include "ranks/wanted.h"

enum { BYTES_MOST = 40 };

/* Values reach the owners and come back.  Those that leave the rank are those
 * of the points that another rank owns. */
static farsum_status values_travel(struct route *route, struct counted *counted,
                                   const struct given *g,
                                   const struct wanted *w, int64_t bytes)
{
    struct comm *comm = &counted->comm;
    int64_t *numbers = check_memory((size_t)w->n + 1, sizeof *numbers);
    int64_t leave = 0, arrive = 0;
    for (int64_t i = 0; i < w->n; i++) {
        numbers[i] = w->first + i;
        leave += given_owner(g, numbers[i]) != comm->rank;
    }
    for (int64_t k = 0; k < w->n_own; k++)
        arrive += w->own[k] < w->first || w->own[k] >= w->first + w->n;
    char *mine = wanted_values(numbers, w->n, bytes);
    char *right = wanted_values(w->own, w->n_own, bytes);
    char *own = check_memory((size_t)w->n_own + 1, (size_t)bytes);
    char *back = check_memory((size_t)w->n + 1, (size_t)bytes);
    farsum_status status = FARSUM_OK;
    counted->trades = counted->bytes_others = counted->bytes_self = 0;
    mem_fail_at(1); /* it may not allocate */
    GO(route_there(route, comm, mine, bytes, own));
    CHECK(counted->trades == 1 && counted->bytes_others == bytes * leave
              && counted->bytes_self == bytes * (w->n - leave),
          "%lld bytes leave, not %lld x %lld", (long long)counted->bytes_others,
          (long long)bytes, (long long)leave);
    CHECK(memcmp(own, right, (size_t)(bytes * w->n_own)) == 0,
          "own values of %lld bytes are wrong", (long long)bytes);
    counted->bytes_others = 0;
    GO(route_back(route, comm, own, bytes, back));
    CHECK(counted->bytes_others == bytes * arrive,
          "%lld bytes return, not %lld x %lld",
          (long long)counted->bytes_others, (long long)bytes,
          (long long)arrive);
    CHECK(memcmp(mine, back, (size_t)(bytes * w->n)) == 0,
          "%lld bytes there and back are not the same", (long long)bytes);
done:
    mem_fail_at(0);
    free(numbers);
    free(mine);
    free(right);
    free(own);
    free(back);
    return status;
}

static farsum_status all_travel(struct route *route, struct counted *counted,
                                const struct given *g, const struct wanted *w)
{
    static const int64_t sizes[] = {1, 4, 8, 12, 24, BYTES_MOST};
    for (int k = 0; k < 6; k++)
        TRY(values_travel(route, counted, g, w, sizes[k]));
    int64_t *own = check_memory((size_t)w->n_own + 1, sizeof *own);
    farsum_status status = route_numbers(route, &counted->comm, own);
    CHECK(status != FARSUM_OK
              || memcmp(own, w->own, (size_t)w->n_own * sizeof *own) == 0,
          "global numbers are wrong");
    free(own);
    return status;
}

struct trial {
    const struct given *given[2];
    int threads;
};

/* Sets the route with one set of points, then with another, then with the first
 * again. */
static farsum_status work(struct comm *inner, void *data)
{
    const struct trial *trial = data;
    int64_t before = mem_bytes();
    farsum_status status = FARSUM_OK;
    struct counted counted;
    struct comm *comm = counted_make(&counted, inner);
    struct route route = {.n = 0};
    GO(comm_agree(comm,
                  route_create(&route, comm, BYTES_MOST, trial->threads)));
    for (int turn = 0; turn < 3; turn++) {
        const struct given *g = trial->given[turn % 2];
        struct domain domain;
        struct wanted w = wanted_of(g, comm->rank);
        GO(comm_agree(comm, domain_create(&domain, comm->rank, comm->size,
                                          g->mesh0, g->halo, g->begin)));
        counted.trades = counted.counts = 0;
        mem_fail_at(turn == 2); /* both sets fit by now */
        status = route_set(&route, comm, &domain, w.n, w.given_s);
        mem_fail_at(0);
        CHECK(counted.trades == 0 && counted.counts == 1,
              "%lld trades, %lld counts in a set", (long long)counted.trades,
              (long long)counted.counts);
        if (status == FARSUM_OK) {
            wanted_route(&w, g, &route);
            status = all_travel(&route, &counted, g, &w);
        }
        wanted_free(&w);
        domain_destroy(&domain);
        GO(status);
    }
done:
    route_destroy(&route);
    CHECK(mem_bytes() == before, "a route keeps %lld bytes",
          (long long)(mem_bytes() - before));
    return status;
}

static void runs(const struct ranks_play *play, int size, int64_t mesh0,
                 enum given_cut cut, int64_t n, enum given_share share,
                 enum given_places places, int threads)
{
    struct given g[2];
    given_make(&g[0], size, mesh0, 3, cut, n, share, places, 17);
    given_make(&g[1], size, mesh0 + 5, 3, CUT_UNEVEN, 2 * n / 3, SHARE_RANDOM,
               PLACES_UNIFORM, 18);
    struct trial trial = {{&g[0], &g[1]}, threads};
    int failed = ranks_run(size, play, work, &trial);
    CHECK(failed == 0, "%d of %d ranks failed: mesh %lld, cut %d, share %d",
          failed, size, (long long)mesh0, cut, share);
    given_free(&g[0]);
    given_free(&g[1]);
}

static void all_shapes(void)
{
    static const int64_t mesh[] = {1, 5, 48};
    for (const int *size = given_sizes; *size; size++)
        for (int m = 0; m < 3; m++)
            for (int cut = 0; cut < CUTS; cut++)
                for (int share = 0; share < SHARES; share++)
                    for (int places = 0; places < PLACES; places++)
                        runs(NULL, *size, mesh[m], (enum given_cut)cut, 90,
                             (enum given_share)share, (enum given_places)places,
                             1);
}

static void few_points(void)
{
    for (const int *size = given_sizes; *size; size++)
        for (int64_t n = 0; n < 4; n++)
            runs(NULL, *size, 16, CUT_EVEN, n, SHARE_EVEN, PLACES_UNIFORM, 1);
}

static void many_points(void)
{
    for (int threads = 1; threads < 8; threads += 3) {
        runs(NULL, 1, 48, CUT_EVEN, 50000, SHARE_EVEN, PLACES_EDGES, threads);
        runs(NULL, 3, 48, CUT_UNEVEN, 100000, SHARE_RANDOM, PLACES_UNIFORM,
             threads);
    }
}

/* Results are compared with one order, so late messages must not change it. */
static void delays(void)
{
    for (uint64_t seed = 1; seed <= 5; seed++) {
        struct ranks_play play = {.delay = 300, .seed = seed};
        runs(&play, 4, 16, CUT_UNEVEN, 500, SHARE_RANDOM, PLACES_UNIFORM, 1);
        runs(&play, 7, 48, CUT_EVEN, 500, SHARE_ALL, PLACES_UNIFORM, 1);
    }
}

int main(void)
{
    RUN(all_shapes);
    RUN(few_points);
    RUN(many_points);
    RUN(delays);
    return check_end();
}
