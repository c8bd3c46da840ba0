/* SPDX-License-Identifier: Apache-2.0 */
/* places.c: routes and ghosts on devices against ranks/route.c and
 * ranks/ghosts.c: counts, orders, and the bits of fractions. */
#include "ranks/device/places.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "check.h"
#include "ranks/comm_threads.h"
#include "ranks/wanted.h"
#include "ranks_device/rank_device.h"

enum { MOST = 4 };

struct trial {
    const struct given *given[2];
    farsum_precision precision;
    int fail_rank;
    int64_t fail_at;   /* allocation of fail_rank's sets that fails; 0: none */
    int64_t fail_more; /* device bytes that its sets may add; 0: any */
    int disturbed;     /* 1: sets may fail */
};

struct work {
    const struct trial *trial;
    struct comm *comm;
    struct rank_device of;
    struct points_gpu *points;
    struct gpu_route gpu_route;
    struct gpu_ghosts gpu_ghosts;
    struct route route;
    struct ghosts ghosts;
    struct buf own, s;
};

/* Host and device round alike unless one of them fuses a product and a sum. */
static int exact(const struct work *x)
{
#if defined(__FMA__) || !defined(__x86_64__)
    (void)x;
    return 0;
#else
    return strcmp(x->of.device->backend->name, "opencl") == 0;
#endif
}

/* The points that this rank gives, as if points_gpu_set had placed them. */
static farsum_status give(struct work *x, const struct wanted *w)
{
    double *s = check_memory((size_t)(3 * w->n) + 1, sizeof *s);
    for (int d = 0; d < 3 && w->n > 0; d++)
        memcpy(s + d * w->n, w->given_s[d], (size_t)w->n * sizeof *s);
    farsum_status status = rank_device_put(&x->of, &x->points->s, s, 24 * w->n);
    x->points->n = w->n;
    x->points->placed = 1;
    free(s);
    return status;
}

static farsum_status compare_sends(const struct work *x,
                                   const struct gpu_sends *found,
                                   const struct sends *right, const char *what)
{
    size_t bytes = sizeof *right->to * (size_t)x->comm->size;
    int64_t n = right->n_sent, wrong = 0;
    CHECK(found->n_sent == n && found->n_got == right->n_got
              && memcmp(found->to, right->to, bytes) == 0
              && memcmp(found->from, right->from, bytes) == 0,
          "%s: numbers of rank %d of %d", what, x->comm->rank, x->comm->size);
    uint32_t *index = check_memory((size_t)n + 1, sizeof *index);
    farsum_status status = FARSUM_OK;
    if (found->n_sent == n && n > 0)
        status = buf_download(&found->index, 0, index, 4 * n);
    for (int64_t k = 0; k < n; k++)
        wrong += index[k] != (uint64_t)right->index[k];
    CHECK(wrong == 0, "%s: %lld of %lld points in another order", what,
          (long long)wrong, (long long)n);
    free(index);
    return status;
}

/* found [n][3] from the buffer's point `first` on; most: error along axis 0. */
static farsum_status compare_positions(const struct buf *found, int64_t first,
                                       int64_t n, double *const right[3],
                                       double most, const char *what)
{
    double *s = check_memory((size_t)(3 * n) + 1, sizeof *s), off = 0;
    int64_t wrong = 0;
    farsum_status status = FARSUM_OK;
    if (n > 0)
        status = buf_download(found, 24 * first, s, 24 * n);
    for (int64_t k = 0; k < n; k++) {
        off = fmax(off, fabs(s[3 * k] - right[0][k]));
        wrong += !(s[3 * k] >= 0 && s[3 * k] < 1);
        for (int d = 1; d < 3; d++)
            wrong += s[3 * k + d] != right[d][k];
    }
    CHECK(wrong == 0 && off <= most, "%s: %lld of %lld wrong, off by %.3g",
          what, (long long)wrong, (long long)n, off);
    free(s);
    return status;
}

static farsum_status check_route(struct work *x, const struct wanted *w)
{
    const struct gpu_route *found = &x->gpu_route;
    const struct route *right = &x->route;
    CHECK(found->n == right->n && found->n_own == right->n_own
              && found->first == right->first && found->n_all == right->n_all
              && memcmp(found->given, right->given,
                        sizeof *right->given * (size_t)x->comm->size)
                     == 0,
          "rank %d of %d: %lld points of %lld", x->comm->rank, x->comm->size,
          (long long)found->n_own, (long long)found->n_all);
    TRY(compare_sends(x, &found->sends, &right->sends, "route"));
    return compare_positions(&x->own, 0, w->n_own, w->s, 0, "own");
}

static farsum_status check_ghosts(struct work *x, const struct given *g,
                                  const struct domain *domain,
                                  const struct wanted *w)
{
    const struct gpu_ghosts *found = &x->gpu_ghosts;
    const struct ghosts *right = &x->ghosts;
    double *own0 = check_memory((size_t)w->n_own + 1, sizeof *own0);
    double *s[3] = {own0, w->s[1], w->s[2]};
    double planes = (double)domain_planes(domain, x->comm->rank);
    double most =
        exact(x) ? 0 : 1e-15 * fmax(1, (double)g->mesh0 / fmax(1, planes));
    farsum_status status = FARSUM_OK;
    CHECK(found->n == right->n, "rank %d of %d: %lld ghosts, not %lld",
          x->comm->rank, x->comm->size, (long long)found->n,
          (long long)right->n);
    for (int64_t k = 0; k < w->n_own; k++)
        own0[k] = domain_fraction(domain, x->comm->rank, w->s[0][k], 0);
    KEEP_ON(compare_sends(x, &found->sends, &right->sends, "ghosts"));
    KEEP_ON(compare_positions(&x->s, 0, w->n_own, s, most, "own cell"));
    if (found->n == right->n)
        KEEP_ON(compare_positions(&x->s, w->n_own, right->n, right->s, most,
                                  "ghosts"));
    free(own0);
    return status;
}

/* Sets on the device.  may_fail: 1: one rank may be made to fail. */
static farsum_status sets(struct work *x, const struct domain *domain,
                          const struct wanted *w, int may_fail)
{
    const struct trial *t = x->trial;
    int fails = may_fail && x->comm->rank == t->fail_rank;
    mem_fail_at(fails ? t->fail_at : 0);
    if (fails && t->fail_more > 0)
        x->of.device->limit = x->of.device->bytes + t->fail_more;
    farsum_status status = gpu_route_set(&x->gpu_route, x->comm, domain,
                                         w->n > 0 ? x->points : NULL, &x->own);
    if (status == FARSUM_OK)
        status = gpu_ghosts_set(&x->gpu_ghosts, x->comm, domain, x->points,
                                x->gpu_route.n_own, &x->own, &x->s);
    else
        CHECK(x->gpu_route.n_own == 0 && x->gpu_route.sends.n_sent == 0,
              "points after a failure");
    if (status != FARSUM_OK)
        CHECK(x->gpu_ghosts.n == 0 && x->gpu_ghosts.sends.n_sent == 0,
              "ghosts after a failure");
    mem_fail_at(0);
    x->of.device->limit = 0;
    return status;
}

static farsum_status turn(struct work *x, const struct given *g, int again)
{
    farsum_status status = FARSUM_OK, first = FARSUM_OK;
    struct wanted w = wanted_of(g, x->comm->rank);
    struct domain domain = {.rank = 0};
    int64_t held = 0;
    GO(domain_create(&domain, x->comm->rank, x->comm->size, g->mesh0, g->halo,
                     g->begin));
    GO(comm_agree(x->comm, give(x, &w)));
    held = x->of.device->bytes;
    first = sets(x, &domain, &w, 1);
    /* without memory all ranks fail, and the next sets succeed */
    if (first == FARSUM_ERR_MEMORY)
        GO(sets(x, &domain, &w, 0));
    else
        GO(first);
    CHECK(!again || x->of.device->bytes == held, "a smaller set allocates");
    GO(route_set(&x->route, x->comm, &domain, w.n, w.given_s));
    GO(ghosts_set(&x->ghosts, x->comm, &domain, w.n_own, w.s));
    if (!x->trial->disturbed) {
        KEEP_ON(check_route(x, &w));
        KEEP_ON(check_ghosts(x, g, &domain, &w));
    }
    status = comm_agree(x->comm, status);
done:
    CHECK(x->trial->disturbed || status == FARSUM_OK, "%s", farsum_message());
    domain_destroy(&domain);
    wanted_free(&w);
    return status == FARSUM_OK ? first : status;
}

static void clear(struct work *x)
{
    gpu_route_clear(&x->gpu_route);
    gpu_ghosts_clear(&x->gpu_ghosts);
    route_destroy(&x->route);
    ghosts_destroy(&x->ghosts);
    points_gpu_destroy(x->points);
    buf_clear(&x->own);
    buf_clear(&x->s);
    rank_device_close(&x->of);
}

static farsum_status make(struct work *x)
{
    struct comm *comm = x->comm;
    farsum_precision precision = x->trial->precision;
    TRY(points_gpu_create(x->of.device, &x->points));
    TRY(route_create(&x->route, comm, 8, 1));
    TRY(ghosts_create(&x->ghosts, comm, 8, 1));
    TRY(gpu_route_create(&x->gpu_route, comm, x->of.device, x->of.transport,
                         MOST, precision));
    return gpu_ghosts_create(&x->gpu_ghosts, comm, x->of.device,
                             x->of.transport, MOST, precision);
}

/* Sets points of one case, then of another, then of the first again. */
static farsum_status work(struct comm *comm, void *data)
{
    const struct trial *t = data;
    struct work x = {.trial = t, .comm = comm};
    farsum_status status = FARSUM_OK;
    GO(rank_device_open(&x.of, comm));
    GO(comm_agree(comm, make(&x)));
    for (int k = 0; k < 3 && t->given[k % 2]; k++)
        GO(turn(&x, t->given[k % 2], k == 2));
done:
    clear(&x);
    return status;
}

static void runs(int size, int64_t mesh0, int64_t halo, enum given_cut cut,
                 int64_t n, enum given_share share, enum given_places places)
{
    struct given g[2];
    given_make(&g[0], size, mesh0, halo, cut, n, share, places, 17);
    given_make(&g[1], size, mesh0 + 3, 2 * halo / 3, CUT_UNEVEN, n / 2,
               SHARE_EVEN, PLACES_UNIFORM, 18);
    struct trial trial = {.given = {&g[0], &g[1]},
                          .precision = n % 2 ? FARSUM_F32 : FARSUM_F64};
    int failed = ranks_run(size, NULL, work, &trial);
    CHECK(failed == 0, "%d of %d ranks failed: mesh %lld, halo %lld, cut %d",
          failed, size, (long long)mesh0, (long long)halo, cut);
    given_free(&g[0]);
    given_free(&g[1]);
}

/* Thin slabs: a halo may be wider than slabs and than the cell. */
static void shapes(void)
{
    static const int64_t mesh[] = {1, 5, 16, 48}, halo[] = {0, 60, 13, 1};
    int k = 0;
    for (const int *size = given_sizes; *size; size++)
        for (int m = 0; m < 4; m++)
            for (int cut = 0; cut < CUTS; cut++, k++)
                runs(*size, mesh[m], halo[(m + k) % 4], (enum given_cut)cut,
                     150 + k % 2, (enum given_share)(k % SHARES),
                     (enum given_places)(k / 3 % PLACES));
}

static void few_points(void)
{
    for (int64_t n = 0; n < 3; n++)
        for (const int *size = given_sizes; *size; size++)
            runs(*size, 16, 7, CUT_EVEN, n, SHARE_RANDOM, PLACES_UNIFORM);
}

static void many_points(void)
{
    runs(1, 24, 7, CUT_EVEN, 50000, SHARE_ALL, PLACES_UNIFORM);
    runs(3, 24, 13, CUT_UNEVEN, 60001, SHARE_RANDOM, PLACES_EDGES);
    runs(4, 64, 3, CUT_EVEN, 60000, SHARE_EVEN, PLACES_PLANE);
}

static int fails(struct trial *trial, const struct ranks_play *play)
{
    struct given g;
    given_make(&g, 3, 12, 4, CUT_EVEN, 90, SHARE_EVEN, PLACES_UNIFORM, 3);
    trial->given[0] = &g;
    trial->fail_rank = 1;
    int failed = ranks_run(3, play, work, trial);
    given_free(&g);
    return failed;
}

/* An allocation on the host or on the device fails on one rank: all ranks
 * report it, and no rank has points. */
static void failures(void)
{
    int failed = 3;
    for (int64_t at = 1; failed == 3; at++) {
        struct trial trial = {.fail_at = at};
        failed = fails(&trial, NULL);
        CHECK(failed == 3 || (failed == 0 && at > 3),
              "%d ranks failed, allocation %lld", failed, (long long)at);
    }
    failed = 3;
    for (int64_t more = 1; failed == 3; more += 400) {
        struct trial trial = {.fail_more = more};
        failed = fails(&trial, NULL);
        CHECK(failed == 3 || (failed == 0 && more > 2000),
              "%d ranks failed, %lld bytes", failed, (long long)more);
    }
}

/* A failed call of comm fails on all ranks, except in the last agreement. */
static void calls(void)
{
    int64_t most = 0;
    for (int64_t call = 0; call <= most; call++) {
        struct trial trial = {.disturbed = call > 0};
        struct ranks_play play = {.fail_rank = 1, .fail_call = call};
        int failed = fails(&trial, &play);
        most = call == 0 ? ranks_calls() : most;
        CHECK(failed == (call > 0 && call < most ? 3 : 0),
              "call %lld of %lld: %d ranks failed", (long long)call,
              (long long)most, failed);
    }
    CHECK(most >= 8, "%lld calls", (long long)most);
}

int main(void)
{
    RUN(shapes);
    RUN(few_points);
    RUN(many_points);
    RUN(failures);
    RUN(calls);
    return check_end();
}
