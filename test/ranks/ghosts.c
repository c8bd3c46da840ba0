/* SPDX-License-Identifier: Apache-2.0 */
/* ghosts.c: tests of ghosts against a search of all images of all points. */
#include "ranks/ghosts.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "check.h"
#include "ranks/comm_threads.h"
#include "ranks/wanted.h"

enum { BYTES_MOST = 40 };

/* Values of several sizes; a set may not allocate any more. */
static farsum_status values_arrive(struct ghosts *ghosts,
                                   struct counted *counted,
                                   const struct wanted *w, int64_t bytes)
{
    char *own = wanted_values(w->own, w->n_own, bytes);
    char *right = wanted_values(w->ghost, w->n_ghosts, bytes);
    char *values = check_memory((size_t)w->n_ghosts + 1, (size_t)bytes);
    counted->trades = counted->bytes_others = counted->bytes_self = 0;
    mem_fail_at(1);
    farsum_status status =
        ghosts_send(ghosts, &counted->comm, own, bytes, values);
    mem_fail_at(0);
    int64_t sent = counted->bytes_others + counted->bytes_self;
    CHECK(counted->trades == 1 && sent == bytes * w->n_sent,
          "%lld bytes sent, not %lld x %lld", (long long)sent, (long long)bytes,
          (long long)w->n_sent);
    CHECK(status != FARSUM_OK
              || memcmp(values, right, (size_t)(bytes * w->n_ghosts)) == 0,
          "values of %lld bytes are wrong", (long long)bytes);
    free(own);
    free(right);
    free(values);
    return status;
}

static farsum_status all_arrive(struct ghosts *ghosts, struct counted *counted,
                                const struct wanted *w)
{
    static const int64_t sizes[] = {1, 4, 8, 12, 24, BYTES_MOST};
    for (int k = 0; k < 6; k++)
        TRY(values_arrive(ghosts, counted, w, sizes[k]));
    return FARSUM_OK;
}

struct trial {
    const struct given *given[2];
    int threads;
};

/* Sets ghosts of one case, then of another, then of the first again. */
static farsum_status work(struct comm *inner, void *data)
{
    const struct trial *trial = data;
    int64_t before = mem_bytes();
    farsum_status status = FARSUM_OK;
    struct counted counted;
    struct comm *comm = counted_make(&counted, inner);
    struct ghosts ghosts = {.n = 0};
    GO(comm_agree(comm,
                  ghosts_create(&ghosts, comm, BYTES_MOST, trial->threads)));
    for (int turn = 0; turn < 3; turn++) {
        const struct given *g = trial->given[turn % 2];
        struct domain domain;
        struct wanted w = wanted_of(g, comm->rank);
        GO(comm_agree(comm, domain_create(&domain, comm->rank, comm->size,
                                          g->mesh0, g->halo, g->begin)));
        counted.bytes_others = counted.bytes_self = 0;
        mem_fail_at(turn == 2); /* both sets fit by now */
        status = ghosts_set(&ghosts, comm, &domain, w.n_own, w.s);
        mem_fail_at(0);
        if (status == FARSUM_OK) {
            CHECK(counted.bytes_others + counted.bytes_self == 24 * w.n_sent,
                  "%lld bytes of positions, not 24 x %lld",
                  (long long)(counted.bytes_others + counted.bytes_self),
                  (long long)w.n_sent);
            wanted_ghosts(&w, g, comm->rank, &ghosts);
            status = all_arrive(&ghosts, &counted, &w);
        }
        wanted_free(&w);
        domain_destroy(&domain);
        GO(status);
    }
done:
    ghosts_destroy(&ghosts);
    CHECK(mem_bytes() == before, "ghosts keep %lld bytes",
          (long long)(mem_bytes() - before));
    return status;
}

static void runs(const struct ranks_play *play, int size, int64_t mesh0,
                 int64_t halo, enum given_cut cut, int64_t n,
                 enum given_places places, int threads)
{
    struct given g[2];
    given_make(&g[0], size, mesh0, halo, cut, n, SHARE_EVEN, places, 17);
    given_make(&g[1], size, mesh0 + 3, 2 * halo / 3, CUT_UNEVEN, n / 2,
               SHARE_EVEN, PLACES_UNIFORM, 18);
    struct trial trial = {{&g[0], &g[1]}, threads};
    int failed = ranks_run(size, play, work, &trial);
    CHECK(failed == 0, "%d of %d ranks failed: mesh %lld, halo %lld, cut %d",
          failed, size, (long long)mesh0, (long long)halo, cut);
    given_free(&g[0]);
    given_free(&g[1]);
}

static void all_shapes(void)
{
    static const int64_t mesh[] = {1, 5, 16, 48}, halo[] = {0, 1, 4, 13, 60};
    for (const int *size = given_sizes; *size; size++)
        for (int m = 0; m < 4; m++)
            for (int h = 0; h < 5; h++)
                for (int cut = 0; cut < CUTS; cut++)
                    for (int places = 0; places < PLACES; places++)
                        runs(NULL, *size, mesh[m], halo[h], (enum given_cut)cut,
                             40, (enum given_places)places, 1);
}

static void few_points(void)
{
    for (const int *size = given_sizes; *size; size++)
        for (int64_t n = 0; n < 4; n++)
            runs(NULL, *size, 16, 7, CUT_EVEN, n, PLACES_UNIFORM, 1);
}

static void many_points(void)
{
    for (int threads = 1; threads < 8; threads += 3) {
        runs(NULL, 1, 24, 7, CUT_EVEN, 50000, PLACES_UNIFORM, threads);
        runs(NULL, 3, 24, 13, CUT_UNEVEN, 100000, PLACES_EDGES, threads);
    }
}

/* Results are compared with one order, so late messages must not change it. */
static void delays(void)
{
    for (uint64_t seed = 1; seed <= 5; seed++) {
        struct ranks_play play = {.delay = 300, .seed = seed};
        runs(&play, 4, 16, 5, CUT_UNEVEN, 300, PLACES_UNIFORM, 1);
        runs(&play, 7, 16, 20, CUT_EVEN, 100, PLACES_UNIFORM, 1);
    }
}

/* Sums 1/r over pairs within a cutoff, from own points and ghosts in the own
 * cell, and over all images in the whole cell.  Axes 1 and 2 are periodic in
 * both. */
struct pair_case {
    struct given given;
    struct cell whole;
    double cutoff;
};

static double pairs_with(const struct cell *cell, const double s[3],
                         double *const t[3], int64_t n, int reach0,
                         double cutoff)
{
    double sum = 0;
    for (int64_t j = 0; j < n; j++)
        for (int k = 0; k < (2 * reach0 + 1) * 25; k++) {
            double d[3] = {t[0][j] - s[0] + k / 25 - reach0,
                           t[1][j] - s[1] + k % 5 - 2,
                           t[2][j] - s[2] + k / 5 % 5 - 2};
            double r2 = 0;
            for (int x = 0; x < 3; x++) {
                double dx = d[0] * cell->a[x] + d[1] * cell->a[3 + x]
                            + d[2] * cell->a[6 + x];
                r2 += dx * dx;
            }
            if (r2 < cutoff * cutoff && r2 > 1e-20)
                sum += 1 / sqrt(r2);
        }
    return sum;
}

static farsum_status work_pairs(struct comm *comm, void *data)
{
    const struct pair_case *c = data;
    const struct given *g = &c->given;
    farsum_status status = FARSUM_OK;
    struct wanted w = wanted_of(g, comm->rank);
    struct domain domain = {.rank = 0};
    struct ghosts ghosts = {.n = 0};
    struct cell own;
    double *own0 = check_memory((size_t)w.n_own + 1, sizeof *own0);
    double *s[3] = {own0, w.s[1], w.s[2]};
    GO(domain_create(&domain, comm->rank, comm->size, g->mesh0, g->halo,
                     g->begin));
    GO(ghosts_create(&ghosts, comm, 8, 1));
    GO(ghosts_set(&ghosts, comm, &domain, w.n_own, w.s));
    domain_cell(&domain, &c->whole, &own);
    for (int64_t k = 0; k < w.n_own; k++)
        own0[k] = domain_fraction(&domain, comm->rank, w.s[0][k], 0);
    for (int64_t k = 0; k < w.n_own; k++) {
        double at[3] = {s[0][k], s[1][k], s[2][k]};
        double in[3] = {w.s[0][k], w.s[1][k], w.s[2][k]};
        double found = pairs_with(&own, at, s, w.n_own, 0, c->cutoff)
                       + pairs_with(&own, at, ghosts.s, ghosts.n, 0, c->cutoff);
        double wanted = pairs_with(&c->whole, in, g->s, g->n, 3, c->cutoff);
        CHECK_NEAR(found, wanted, 1e-11 * (1 + wanted));
    }
done:
    ghosts_destroy(&ghosts);
    domain_destroy(&domain);
    wanted_free(&w);
    free(own0);
    return status;
}

/* The cutoff is up to 1.7 heights of the cell. */
static void pairs_of_own_cells(void)
{
    static const double rows[9] = {1, 0.1, 0.3, 0.2, 1.1, -0.2, 0.1, -0.3, 0.9};
    static const double cutoffs[] = {0.1, 0.4, 1.5};
    for (const int *size = given_sizes; *size; size++)
        for (int k = 0; k < 3; k++) {
            struct pair_case c = {.cutoff = cutoffs[k]};
            CHECK_OK(cell_set(&c.whole, rows, 1));
            int64_t halo = (int64_t)ceil(16 * c.cutoff / c.whole.height[0]);
            given_make(&c.given, *size, 16, halo, CUT_UNEVEN, 40, SHARE_EVEN,
                       PLACES_UNIFORM, 5);
            CHECK(ranks_run(*size, NULL, work_pairs, &c) == 0, "pairs");
            given_free(&c.given);
        }
}

int main(void)
{
    RUN(all_shapes);
    RUN(few_points);
    RUN(many_points);
    RUN(delays);
    RUN(pairs_of_own_cells);
    return check_end();
}
