/* SPDX-License-Identifier: Apache-2.0 */
/* batch.c: time of a batch of equal counts in different cells, against a loop
 * over plans; one CSV line per count.
 *
 *     batch SYSTEMS TOLERANCE REPEATS [threads=T] [device=NAME] N...
 *
 *     batch 64 1e-4 40 threads=1 20 100 300
 *     batch 64 1e-4 40 device=cuda:0 100 1000
 *
 * Both get new positions each time and compute energies and fields.  The loop
 * has a plan per system, made before, with T threads.  Both are timed in turn,
 * and the minimum counts.  With a device all arrays but cells and offsets are
 * there, and plans share its queue.  Columns: milliseconds of the batch;
 * microseconds per system of the batch, its set and its execute, and of the
 * loop; the ratio; sums by waves; sums in f32; the largest estimate; the
 * largest relative RMS error of a system's fields, against a batch on the host
 * at a tolerance of 1e-9. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "device/buf.h"
#include "farsum/batch.h"
#include "farsum/device.h"

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
    farsum_device *device; /* NULL: the host */
};

/* The arrays that are timed: on the device, or those of the host.  Plans of a
 * loop need arrays of their own, because not all devices have pointers. */
struct timed {
    void *x, *q, *field, *energy; /* owned, if on a device */
};

static void timed_make(const struct rows *r, int64_t systems, int64_t first,
                       struct timed *t)
{
    int64_t at = first * r->n, n = systems * r->n;
    *t = (struct timed){r->x + 3 * at, r->q + at, r->field + 3 * at,
                        r->energy + first};
    if (!r->device)
        return;
    need(farsum_device_alloc(r->device, 24 * n, t->x, &t->x));
    need(farsum_device_alloc(r->device, 8 * n, t->q, &t->q));
    need(farsum_device_alloc(r->device, 24 * n, NULL, &t->field));
    need(farsum_device_alloc(r->device, 8 * systems, NULL, &t->energy));
}

static void timed_free(const struct rows *r, struct timed *t)
{
    void *const all[] = {t->x, t->q, t->field, t->energy};
    for (int i = 0; i < 4 && r->device; i++)
        farsum_device_free(r->device, all[i]);
}

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

/* The largest relative error of a system's fields. */
static double error_of(const struct rows *r, const struct timed *t)
{
    farsum_problem problem = FARSUM_PROBLEM_INIT;
    farsum_batch *batch = NULL;
    double *wanted = memory(3 * r->systems * r->n), worst = 0;
    farsum_result out = FARSUM_RESULT_INIT;
    int64_t each = 3 * r->n;
    problem.periodic[0] = problem.periodic[1] = problem.periodic[2] = 1;
    problem.tolerance = 1e-9;
    problem.outputs = FARSUM_FIELD;
    if (r->device) {
        struct buf field;
        buf_borrow(&field, r->device->device, t->field, 8 * each * r->systems);
        need(buf_download(&field, 0, r->field, 8 * each * r->systems));
    }
    need(farsum_batch_create(&problem, NULL, &batch));
    need(farsum_batch_set(batch, r->systems, r->offsets, r->cells, r->x));
    out.field = wanted;
    need(farsum_batch_execute(batch, 1, r->q, &out));
    for (int64_t s = 0; s < r->systems; s++) {
        double e2 = 0, all = 0;
        for (int64_t k = s * each; k < (s + 1) * each; k++) {
            e2 += (r->field[k] - wanted[k]) * (r->field[k] - wanted[k]);
            all += wanted[k] * wanted[k];
        }
        worst = fmax(worst, sqrt(e2 / all));
    }
    farsum_batch_destroy(batch);
    free(wanted);
    return worst;
}

static void time_batch(const struct rows *r, farsum_batch *batch,
                       const struct timed *t, double least[2])
{
    farsum_result out = FARSUM_RESULT_INIT;
    out.field = t->field;
    out.energy = t->energy;
    double start = clock_seconds();
    need(farsum_batch_set(batch, r->systems, r->offsets, r->cells, t->x));
    double set = clock_seconds() - start;
    need(farsum_batch_execute(batch, 1, t->q, &out));
    least[0] = fmin(least[0], set);
    least[1] = fmin(least[1], clock_seconds() - start);
}

static double time_loop(const struct rows *r, farsum_plan *const *plan,
                        const struct timed *one)
{
    double start = clock_seconds();
    for (int64_t s = 0; s < r->systems; s++) {
        farsum_result out = FARSUM_RESULT_INIT;
        out.field = one[s].field;
        out.energy = one[s].energy;
        need(farsum_plan_set_points(plan[s], r->n, one[s].x, 0, NULL));
        need(farsum_plan_execute(plan[s], 1, one[s].q, &out));
    }
    for (int64_t s = 0; s < r->systems; s++)
        need(farsum_plan_finish(plan[s]));
    return clock_seconds() - start;
}

static void row(struct rows *r, int repeats)
{
    farsum_problem problem = FARSUM_PROBLEM_INIT;
    farsum_options how = FARSUM_OPTIONS_INIT;
    farsum_batch *batch = NULL;
    farsum_plan **plan = memory(r->systems);
    struct timed all, *one = calloc((size_t)r->systems, sizeof *one);
    double least[3] = {INFINITY, INFINITY, INFINITY}, worst = 0;
    int64_t waves = 0, narrow = 0;
    make(r);
    problem.periodic[0] = problem.periodic[1] = problem.periodic[2] = 1;
    problem.tolerance = r->tolerance;
    problem.outputs = FARSUM_FIELD | FARSUM_ENERGY;
    problem.memory = r->device ? FARSUM_DEVICE : FARSUM_HOST;
    how.threads = r->threads;
    how.device.handle = r->device;
    need(farsum_batch_create(&problem, &how, &batch));
    problem.n_sources = r->n;
    timed_make(r, r->systems, 0, &all);
    for (int64_t s = 0; s < r->systems; s++) {
        memcpy(problem.cell, r->cells + 9 * s, sizeof problem.cell);
        need(farsum_plan_create(&problem, &how, &plan[s]));
        timed_make(r, 1, s, &one[s]);
    }
    for (int k = 0; k < repeats; k++) {
        least[2] = fmin(least[2], time_loop(r, plan, one));
        time_batch(r, batch, &all, least);
    }
    for (int64_t s = 0; s < r->systems; s++) {
        farsum_batch_system info = FARSUM_BATCH_SYSTEM_INIT;
        need(farsum_batch_get_system(batch, s, &info));
        waves += info.waves > 0;
        narrow += info.f32_pairs;
        worst = fmax(worst, info.estimated_error);
        farsum_plan_destroy(plan[s]);
        timed_free(r, &one[s]);
    }
    double each = 1e6 / (double)r->systems, error = error_of(r, &all);
    printf("%lld,%lld,%g,%.4g,%.4g,%.4g,%.4g,%.4g,%.3g,%lld,%lld,%.2g,%.2g\n",
           (long long)r->systems, (long long)r->n, r->tolerance, 1e3 * least[1],
           each * least[1], each * least[0], each * (least[1] - least[0]),
           each * least[2], least[1] / least[2], (long long)waves,
           (long long)narrow, worst, error);
    fflush(stdout);
    timed_free(r, &all);
    farsum_batch_destroy(batch);
    free(one);
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
        fprintf(stderr, "batch SYSTEMS TOLERANCE REPEATS [threads=T] "
                        "[device=NAME] N...\n");
        return 2;
    }
    r.systems = atoll(argv[1]);
    r.tolerance = atof(argv[2]);
    printf("systems,n,tolerance,ms,batch,set,execute,loop,ratio,waves,f32,"
           "estimate,error\n");
    for (int i = 4; i < argc; i++)
        if (strncmp(argv[i], "threads=", 8) == 0)
            r.threads = atoi(argv[i] + 8);
        else if (strncmp(argv[i], "device=", 7) == 0)
            need(farsum_device_open(argv[i] + 7, &r.device));
        else if ((r.n = atoll(argv[i])) > 0)
            row(&r, atoi(argv[3]));
    farsum_device_close(r.device);
    return 0;
}
