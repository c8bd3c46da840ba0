/* SPDX-License-Identifier: Apache-2.0 */
/* batch.c: time of a batch of equal counts in different cells, against a loop
 * over plans; one CSV line per count.
 *
 *     batch SYSTEMS TOLERANCE REPEATS [threads=T] N...
 *
 *     batch 64 1e-4 40 threads=1 20 100 300
 *
 * Both get new positions each time and compute energies and fields.  The loop
 * has a plan per system, made before, with T threads.  Both are timed in turn,
 * and the minimum counts.  Columns: microseconds per system of the batch, its
 * set and its execute, and of the loop; the ratio; sums by waves; sums in f32;
 * the largest estimate. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "farsum/batch.h"

static void need(farsum_status status)
{
    if (status == FARSUM_OK)
        return;
    fprintf(stderr, "batch: %s\n", farsum_message());
    exit(1);
}

static double uniform(void)
{
    static uint64_t state = 1;
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (double)(state >> 11) * 0x1p-53;
}

struct rows {
    int64_t systems, n;
    int threads;
    double tolerance;
    int64_t *offsets; /* owned, as the arrays below */
    double *cells, *x, *q, *field, *energy;
};

static void *memory(int64_t count)
{
    void *p = calloc((size_t)count + 1, 8);
    if (!p)
        exit(1);
    return p;
}

/* A cube grid of charges, moved at random. */
static void make(struct rows *r)
{
    int64_t all = r->systems * r->n, side = 1;
    while (side * side * side < r->n)
        side++;
    r->offsets = memory(r->systems + 1);
    r->cells = memory(9 * r->systems);
    r->x = memory(3 * all);
    r->q = memory(all);
    r->field = memory(3 * all);
    r->energy = memory(r->systems);
    for (int64_t s = 0; s < r->systems; s++) {
        double l = cbrt((double)r->n) * (0.95 + 0.1 * uniform());
        double h = l / (double)side;
        r->offsets[s + 1] = (s + 1) * r->n;
        for (int d = 0; d < 3; d++)
            r->cells[9 * s + 4 * d] = l;
        r->cells[9 * s + 3] = 0.1 * l;
        for (int64_t i = 0; i < r->n; i++) {
            double *x = r->x + 3 * (s * r->n + i);
            x[0] = h * ((double)(i % side) + 0.5 * uniform());
            x[1] = h * ((double)(i / side % side) + 0.5 * uniform());
            x[2] = h * ((double)(i / side / side) + 0.5 * uniform());
            r->q[s * r->n + i] = i % 2 ? -1 : 1;
        }
    }
}

static void row(struct rows *r, int repeats)
{
    farsum_problem problem = FARSUM_PROBLEM_INIT;
    farsum_options how = FARSUM_OPTIONS_INIT;
    farsum_batch *batch = NULL;
    farsum_plan **plan = memory(r->systems);
    double least[3] = {INFINITY, INFINITY, INFINITY}, worst = 0;
    int64_t waves = 0, narrow = 0;
    make(r);
    problem.periodic[0] = problem.periodic[1] = problem.periodic[2] = 1;
    problem.tolerance = r->tolerance;
    problem.outputs = FARSUM_FIELD | FARSUM_ENERGY;
    how.threads = r->threads;
    need(farsum_batch_create(&problem, &how, &batch));
    problem.n_sources = r->n;
    for (int64_t s = 0; s < r->systems; s++) {
        memcpy(problem.cell, r->cells + 9 * s, sizeof problem.cell);
        need(farsum_plan_create(&problem, &how, &plan[s]));
    }
    for (int k = 0; k < repeats; k++) {
        farsum_result out = FARSUM_RESULT_INIT;
        out.field = r->field;
        out.energy = r->energy;
        double start = clock_seconds(), set;
        need(farsum_batch_set(batch, r->systems, r->offsets, r->cells, r->x));
        set = clock_seconds() - start;
        need(farsum_batch_execute(batch, 1, r->q, &out));
        double both = clock_seconds() - start;
        least[0] = fmin(least[0], set);
        least[1] = fmin(least[1], both);
        start = clock_seconds();
        for (int64_t s = 0; s < r->systems; s++) {
            out.field = r->field + 3 * s * r->n;
            out.energy = r->energy + s;
            need(farsum_plan_set_points(plan[s], r->n, r->x + 3 * s * r->n, 0,
                                        NULL));
            need(farsum_plan_execute(plan[s], 1, r->q + s * r->n, &out));
        }
        least[2] = fmin(least[2], clock_seconds() - start);
    }
    for (int64_t s = 0; s < r->systems; s++) {
        farsum_batch_system info = FARSUM_BATCH_SYSTEM_INIT;
        need(farsum_batch_get_system(batch, s, &info));
        waves += info.waves > 0;
        narrow += info.f32_pairs;
        worst = fmax(worst, info.estimated_error);
        farsum_plan_destroy(plan[s]);
    }
    double each = 1e6 / (double)r->systems;
    printf("%lld,%lld,%g,%.4g,%.4g,%.4g,%.4g,%.3g,%lld,%lld,%.2g\n",
           (long long)r->systems, (long long)r->n, r->tolerance,
           each * least[1], each * least[0], each * (least[1] - least[0]),
           each * least[2], least[1] / least[2], (long long)waves,
           (long long)narrow, worst);
    fflush(stdout);
    farsum_batch_destroy(batch);
    free(plan);
    free(r->offsets);
    free(r->cells);
    free(r->x);
    free(r->q);
    free(r->field);
    free(r->energy);
}

int main(int argc, char **argv)
{
    struct rows r = {.threads = 1};
    if (argc < 5 || atoll(argv[1]) < 1 || atof(argv[2]) <= 0
        || atoi(argv[3]) < 1) {
        fprintf(stderr, "batch SYSTEMS TOLERANCE REPEATS [threads=T] N...\n");
        return 2;
    }
    r.systems = atoll(argv[1]);
    r.tolerance = atof(argv[2]);
    printf("systems,n,tolerance,batch,set,execute,loop,ratio,waves,f32,"
           "estimate\n");
    for (int i = 4; i < argc; i++)
        if (strncmp(argv[i], "threads=", 8) == 0)
            r.threads = atoi(argv[i] + 8);
        else if ((r.n = atoll(argv[i])) > 0)
            row(&r, atoi(argv[3]));
    return 0;
}
