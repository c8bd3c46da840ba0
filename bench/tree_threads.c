/* SPDX-License-Identifier: Apache-2.0 */
/* tree_threads.c: set_points time of a plan of fmm in open space on the host,
 * and the tree's part of it, by the number of threads, for a Plummer sphere;
 * minimum over some repeats.
 *
 *     tree_threads [particles [most threads]] >tree_threads.csv */
#include <farsum/farsum.h>

#include "base/clock.h"
#include "base/mem.h"
#include "base/random.h"
#include "points/tree/tree_set.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { REPEATS = 5, LEAF = 64 };

static void need(farsum_status status)
{
    if (status == FARSUM_OK)
        return;
    fprintf(stderr, "tree_threads: %s\n", farsum_message());
    exit(1);
}

static double uniform(uint64_t *seed)
{
    return ((double)(random_next(seed) >> 11) + 0.5) * 0x1p-53;
}

/* Radius from the inverse of the mass within it, at most 20. */
static void plummer(double *x, double *q, int64_t n)
{
    uint64_t seed = 1;
    for (int64_t i = 0; i < n; i++) {
        double r = 1 / sqrt(pow(uniform(&seed), -2.0 / 3) - 1);
        double z = 2 * uniform(&seed) - 1, phi = 2 * M_PI * uniform(&seed);
        r = fmin(r, 20);
        x[3 * i] = r * sqrt(1 - z * z) * cos(phi);
        x[3 * i + 1] = r * sqrt(1 - z * z) * sin(phi);
        x[3 * i + 2] = r * z;
        q[i] = 1.0 / (double)n;
    }
}

static double of_tree(const double *x, int64_t n, int threads)
{
    struct tree_given given = {n, {x, x + 1, x + 2}, 3, 0};
    struct tree_args args = {.depth = 16,
                             .ws = 1,
                             .leaf = LEAF,
                             .root = {1, 1, 1},
                             .precision = FARSUM_F64,
                             .threads = threads};
    struct tree tree = {0};
    double least = INFINITY;
    for (int k = 0; k < REPEATS; k++) {
        double start = clock_seconds();
        need(tree_region(&args, &given, NULL));
        need(tree_set(&tree, &args, &given, NULL));
        least = fmin(least, clock_seconds() - start);
    }
    tree_clear(&tree);
    return least;
}

static double of_points(const double *x, const double *q, int64_t n,
                        int threads)
{
    farsum_problem problem = FARSUM_PROBLEM_INIT;
    farsum_options options = FARSUM_OPTIONS_INIT;
    farsum_plan_info info = FARSUM_PLAN_INFO_INIT;
    farsum_plan *plan;
    double least = INFINITY;
    problem.tolerance = 1e-3;
    problem.n_sources = n;
    problem.sample_x = x;
    problem.sample_q = q;
    options.method = "fmm";
    options.threads = threads;
    need(farsum_plan_create(&problem, &options, &plan));
    for (int k = 0; k < REPEATS; k++) {
        need(farsum_plan_set_points(plan, n, x, 0, NULL));
        need(farsum_plan_get_info(plan, &info));
        least = fmin(least, info.seconds_set_points);
    }
    farsum_plan_destroy(plan);
    return least;
}

int main(int argc, char **argv)
{
    int64_t n = argc > 1 ? atoll(argv[1]) : 1000000;
    int most = argc > 2 ? atoi(argv[2]) : 16;
    double *x, *q;
    need(MEM_RAW(x, 3 * n));
    need(MEM_RAW(q, n));
    plummer(x, q, n);
    printf("particles,threads,tree_seconds,set_points_seconds\n");
    for (int threads = 1; threads <= most; threads *= 2)
        printf("%lld,%d,%.4f,%.4f\n", (long long)n, threads,
               of_tree(x, n, threads), of_points(x, q, n, threads));
    mem_free(x);
    mem_free(q);
    return 0;
}
