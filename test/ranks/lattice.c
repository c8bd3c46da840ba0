/* SPDX-License-Identifier: Apache-2.0 */
/* lattice.c: the stage lattice over ranks against its variants in one
 * process. */
#include <math.h>
#include <stdlib.h>

#include "check.h"
#include "ranks/comm_threads.h"
#include "ranks/lattice_case.h"

static void one(const struct lattice_case *wanted, const double *right,
                int size, int kind, farsum_precision precision)
{
    struct lattice_case s = *wanted;
    const struct lattice_grid *g = s.grid;
    struct ranks_play play = {.delay = kind == 1 ? 20 : 0,
                              .seed = (uint64_t)size};
    s.precision = precision;
    s.threads = size < 4 && kind % 2 ? 3 : 1;
    cut(s.begin, g->root[0], size, kind);
    for (int64_t i = 0; i < lattice_numbers(g); i++)
        s.local[i] = NAN;
    CHECK(ranks_run(size, &play, lattice_work, &s) == 0, "a rank failed");
    lattice_check(&s, right, size, kind);
}

static void grids_cut(void)
{
    static const struct lattice_grid grids[] = {
        {{4, 4, 4}, {1, 1, 1}, 1, 6, 1},
        {{5, 4, 3}, {1, 0.8, 0.9}, 1, 4, 1},
        {{2, 2, 2}, {1, 1, 1}, 1, 3, 1},
        {{6, 2, 7}, {0.7, 1, 1}, 1, 2, 2},
        {{5, 4, 3}, {1, 0.8, 0.9}, 0, 5, 1},
        {{3, 7, 2}, {1, 1, 1}, 0, 3, 2},
        {{3, 3, 3}, {1, 1, 1}, 1, 8, 1},
        {{4, 3, 5}, {1, 1, 0.9}, 1, 0, 1},
        {{2, 9, 4}, {1, 1, 1}, 1, 1, 1},
        {{9, 2, 4}, {1, 1, 1}, 0, 2, 1},
        {{1, 4, 3}, {1, 1, 1}, 1, 2, 1},
        {{4, 1, 2}, {1, 1, 1}, 0, 2, 1},
        {{5, 3, 1}, {1, 1, 1}, 1, 2, 1},
        {{1, 1, 1}, {1, 1, 1}, 1, 4, 1},
        {{6, 1, 1}, {1, 1, 1}, 0, 2, 1}};
    static const int sizes[] = {1, 2, 3, 4, 7, 13};
    for (size_t g = 0; g < sizeof grids / sizeof *grids; g++) {
        struct lattice_case s = {.grid = &grids[g]};
        lattice_arrays(&s);
        double *right = lattice_reference(&s, "plain");
        for (int k = 0; k < 6; k++)
            for (int kind = 0; kind < CUTS; kind++)
                for (int f32 = 0; f32 < 2; f32++)
                    one(&s, right, sizes[k], kind,
                        f32 ? FARSUM_F32 : FARSUM_F64);
        free(right);
        lattice_free(&s);
    }
}

/* So many numbers that the coefficients need two exchanges. */
static void exchanges(void)
{
    static const struct lattice_grid grid = {{16, 16, 18}, {1, 1, 1}, 1, 10, 1};
    struct lattice_case s = {.grid = &grid};
    lattice_arrays(&s);
    double *right = lattice_reference(&s, "fft");
    for (int size = 1; size < 3; size++)
        one(&s, right, size, 2, FARSUM_F64);
    free(right);
    lattice_free(&s);
}

static const struct lattice_grid grid_failing = {{4, 3, 2}, {1, 1, 1}, 1, 2, 1};

/* An allocation fails on one rank: all ranks report it. */
static void failures(void)
{
    for (int64_t n = 1, failed = 3; failed == 3; n++) {
        struct lattice_case s = {.grid = &grid_failing,
                                 .precision = FARSUM_F64,
                                 .threads = 2,
                                 .fail_rank = 1,
                                 .fail_at = n};
        cut(s.begin, s.grid->root[0], 3, 0);
        lattice_arrays(&s);
        failed = ranks_run(3, NULL, lattice_work, &s);
        CHECK(failed == 3 || (failed == 0 && n > 8),
              "%lld ranks failed, allocation %lld", (long long)failed,
              (long long)n);
        lattice_free(&s);
    }
}

/* A failed call of comm fails on all ranks, except in the last agreement: the
 * next one would tell it. */
static void calls(void)
{
    int64_t most = 0;
    for (int64_t call = 0; call <= most; call++) {
        struct lattice_case s = {
            .grid = &grid_failing, .precision = FARSUM_F64, .threads = 1};
        struct ranks_play play = {.fail_rank = 1, .fail_call = call};
        cut(s.begin, s.grid->root[0], 3, 0);
        lattice_arrays(&s);
        int failed = ranks_run(3, &play, lattice_work, &s);
        most = call == 0 ? ranks_calls() : most;
        CHECK(failed == (call > 0 && call < most ? 3 : 0),
              "call %lld of %lld: %d ranks failed", (long long)call,
              (long long)most, failed);
        lattice_free(&s);
    }
    CHECK(most >= 4, "%lld calls", (long long)most);
}

int main(void)
{
    RUN(grids_cut);
    RUN(exchanges);
    RUN(failures);
    RUN(calls);
    return check_end();
}
