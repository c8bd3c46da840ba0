/* SPDX-License-Identifier: Apache-2.0 */
/* best_cuts.c: tests of the best cuts against a search of all cuts, and of the
 * work estimated from bins. */
#include "ranks/best_cuts.h"

#include <string.h>

#include "base/mem.h"
#include "base/random.h"
#include "check.h"
#include "ranks/load.h"

enum { MOST_PLANES = 24, MOST_RANKS = 13 };

static double unit(uint64_t *random)
{
    return ldexp((double)(random_next(random) >> 11), -53);
}

/* The least largest work of `size` slabs, from those of fewer slabs. */
static double least_of(const struct cuts_work *work, int size, int64_t most)
{
    double least[MOST_PLANES + 1];
    int64_t n = work->mesh0;
    for (int64_t k = 0; k <= n; k++)
        least[k] = k == 0 ? 0 : INFINITY;
    for (int r = 0; r < size; r++)
        for (int64_t end = n; end > 0; end--) {
            double sum = work->slab;
            for (int64_t k = end - 1; k >= 0 && end - k <= most; k--) {
                sum += work->plane[k];
                least[end] = fmin(least[end], fmax(least[k], sum));
            }
        }
    return least[n];
}

/* kind 0: even work; 1: random; 2: planes without work; 3: one heavy plane. */
static double plane_work(int kind, int64_t plane, uint64_t *random)
{
    double u = unit(random);
    return kind == 0   ? 1
           : kind == 1 ? u
           : kind == 2 ? (u < 0.6 ? 0 : u)
                       : (plane == 3 ? 100 : u);
}

static void best(void)
{
    static const int64_t meshes[] = {1, 2, 7, 16, 24};
    uint64_t random = 5;
    for (int size = 1; size <= MOST_RANKS; size++)
        for (int m = 0; m < 5; m++)
            for (int kind = 0; kind < 4; kind++)
                for (int wide = 0; wide < 3; wide++) {
                    double plane[MOST_PLANES];
                    int64_t begin[MOST_RANKS + 1], mesh0 = meshes[m];
                    int64_t even = (mesh0 + size - 1) / size;
                    int64_t most = wide == 0 ? even : wide * even + wide;
                    struct cuts_work work = {mesh0, plane, wide * 0.3};
                    for (int64_t k = 0; k < mesh0; k++)
                        plane[k] = plane_work(kind, k, &random);
                    CHECK_OK(cuts_best(&work, size, most, begin));
                    int right = begin[0] == 0 && begin[size] == mesh0;
                    for (int r = 0; r < size; r++)
                        right = right && begin[r + 1] >= begin[r]
                                && begin[r + 1] - begin[r] <= most;
                    CHECK(right, "%d ranks, %lld planes: not such cuts", size,
                          (long long)mesh0);
                    double found = cuts_most(&work, size, begin);
                    double least = least_of(&work, size, most);
                    CHECK(fabs(found - least) <= 1e-12 * least,
                          "%d ranks, %lld planes, work %d, at most %lld: %.15g "
                          "instead of %.15g",
                          size, (long long)mesh0, kind, (long long)most, found,
                          least);
                }
}

/* With even work, slabs differ by a plane. */
static void even(void)
{
    double plane[MOST_PLANES];
    int64_t begin[MOST_RANKS + 1];
    for (int k = 0; k < MOST_PLANES; k++)
        plane[k] = 2;
    for (int size = 1; size <= MOST_RANKS; size++)
        for (int64_t mesh0 = size; mesh0 <= MOST_PLANES; mesh0++) {
            struct cuts_work work = {mesh0, plane, 1};
            CHECK_OK(cuts_best(&work, size, mesh0, begin));
            for (int r = 0; r < size; r++) {
                int64_t n = begin[r + 1] - begin[r];
                CHECK(n >= mesh0 / size && n <= (mesh0 + size - 1) / size,
                      "%d ranks, %lld planes: %lld for rank %d", size,
                      (long long)mesh0, (long long)n, r);
            }
        }
}

static void no_memory(void)
{
    double plane[2] = {1, 1};
    int64_t begin[3], before = mem_bytes();
    struct cuts_work work = {2, plane, 0};
    for (int k = 1; k <= 2; k++) {
        mem_fail_at(k);
        CHECK_FAILS(cuts_best(&work, 2, 2, begin), FARSUM_ERR_MEMORY);
        CHECK(mem_bytes() == before, "memory is lost");
    }
}

/* --- load --- */

enum { POINTS = 3000 };

/* Pairs within the cutoff 1 in a cube of edge 4, by a search of all. */
static double pairs_of(double *const s[3], int64_t n)
{
    double pairs = 0;
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < n; j++) {
            double square = 0;
            for (int d = 0; d < 3; d++) {
                double off = s[d][i] - s[d][j];
                off = 4 * (off - nearbyint(off));
                square += off * off;
            }
            pairs += i != j && square < 1;
        }
    return pairs;
}

/* spread: of a Gaussian cluster in cutoffs; 0: even points. */
static void pairs(double spread, double low, double high)
{
    static double x[3][POINTS];
    static const double rows[9] = {4, 0, 0, 0, 4, 0, 0, 0, 4};
    static const struct load_costs costs = {.pair = 1};
    double *const s[3] = {x[0], x[1], x[2]};
    const int64_t mesh[3] = {32, 32, 32};
    double seconds[32], sum = 0;
    struct load_plane plane[32];
    uint64_t random = 11;
    struct domain domain;
    struct cell cell;
    struct load load;
    for (int i = 0; i < POINTS; i++)
        for (int d = 0; d < 3; d++) {
            double g = 0;
            for (int k = 0; k < 12; k++)
                g += unit(&random) - 0.5;
            s[d][i] = spread > 0 ? 0.5 + spread / 4 * g : unit(&random);
            s[d][i] -= floor(s[d][i]);
        }
    CHECK_OK(cell_set(&cell, rows, 1));
    CHECK_OK(domain_create(&domain, 0, 1, 32, 3, NULL));
    CHECK_OK(load_create(&load, &domain, &cell, mesh, 0));
    CHECK(load.nb[0] == 4 && load.nb[1] == 4 && load.window == 8,
          "%d x %d bins, a window of %lld", load.nb[0], load.nb[1],
          (long long)load.window);
    for (int threads = 1; threads <= 2; threads++) {
        load_count(&load, &domain, POINTS, s, threads, load.sources);
        load_planes(&load, 0, plane);
        load_seconds(&load, &costs, plane, seconds);
    }
    for (int k = 0; k < 32; k++)
        sum += seconds[k];
    double right = pairs_of(s, POINTS);
    printf("  spread %g: %.4g pairs of %.4g\n", spread, sum, right);
    CHECK(sum >= low * right && sum <= high * right, "%g of %g pairs", sum,
          right);
    load_clear(&load);
    domain_destroy(&domain);
}

static void densities(void)
{
    pairs(0, 0.95, 1.05);
    pairs(0.5, 0.5, 1.5);
    pairs(0.25, 0.5, 3);
}

/* Planes, points and separate targets count too, each in its plane, and a
 * window crosses the cell's ends. */
static void counts(void)
{
    static const double rows[9] = {2, 0, 0, 0, 2, 0, 0, 0, 2};
    static const int64_t begin[] = {0, 2, 6, 8}, mesh[3] = {8, 8, 8};
    static const struct load_costs costs = {1, 0, 10, 100, 0};
    static const struct load_costs near = {.pair = 1};
    double x[3][3] = {{0.25, 0.5, 0.51}, {0, 0.5, 0.99}, {0.3, 0, 0.99}};
    double *const s[3] = {x[0], x[1], x[2]};
    struct load_plane plane[8] = {{0}};
    double seconds[8];
    struct domain domain;
    struct cell cell;
    struct load load;
    CHECK_OK(cell_set(&cell, rows, 1));
    CHECK_OK(domain_create(&domain, 1, 3, 8, 0, begin));
    CHECK_OK(load_create(&load, &domain, &cell, mesh, 1));
    load_count(&load, &domain, 3, s, 1, load.sources);
    load_count(&load, &domain, 1, s, 1, load.targets);
    load_planes(&load, 1, plane + 2);
    load_seconds(&load, &costs, plane, seconds);
    CHECK(seconds[0] == 1 && seconds[2] == 111 && seconds[3] == 1
              && seconds[4] == 21 && seconds[5] == 1,
          "%g %g %g %g", seconds[2], seconds[3], seconds[4], seconds[5]);
    load_planes(&load, 0, plane + 2);
    load_seconds(&load, &costs, plane, seconds);
    CHECK(seconds[2] == 111 && seconds[4] == 221, "%g %g", seconds[2],
          seconds[4]);
    /* a window of planes -2 .. 1: the target's plane has no sources */
    memset(plane, 0, sizeof plane);
    plane[0].targets = 1;
    plane[6].sources = 4;
    load_seconds(&load, &near, plane, seconds);
    CHECK(seconds[0] == load.neighbours / 4 && seconds[1] == 0, "%g of %g",
          seconds[0], load.neighbours);
    load_clear(&load);
    domain_destroy(&domain);
}

int main(void)
{
    RUN(best);
    RUN(even);
    RUN(no_memory);
    RUN(densities);
    RUN(counts);
    return check_end();
}
