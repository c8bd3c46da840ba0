/* SPDX-License-Identifier: Apache-2.0 */
/* measure_variants.c: timing of variants on synthetic points. */
#include "tune/measured_choice.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/mem.h"
#include "base/progress.h"
#include "base/random.h"
#include "base/arrays.h"
#include "points/device/set.h"

enum { SETS = 2, RUNS = 4 };

/* Inputs of the variants; arrays hold zeros, except the strengths. */
struct trial {
    int interp; /* 1: stage interp, 0: stage spread */
    struct device *device;
    farsum_precision precision;
    int64_t n, values, mesh; /* reals per point; reals of the mesh */
    int threads;
    struct cell cell;
    struct points points;
    double *x;      /* [n][3] */
    void *q, *grid; /* host arrays: values of the points, and of the mesh */
    void *field;    /* interp only; NULL: no field requested */
    struct buf q_there, grid_there, field_there;
    struct stopwatch watch;
};

/* Places half of the points in a cube of volume v.  A point then sees, on
 * average, 1/4 / v + 3/4 of the mean density. */
static void trial_place(double *x, int64_t n, double clustering)
{
    uint64_t seed = 1;
    double edge = clustering > 1.5 ? cbrt(0.25 / (clustering - 0.75)) : 1;
    for (int64_t i = 0; i < n; i++)
        for (int d = 0; d < 3; d++) {
            double u = (double)(random_next(&seed) >> 11) * 0x1p-53;
            x[3 * i + d] = i % 2 ? u : 0.5 + edge * (u - 0.5);
        }
}

static void trial_clear(struct trial *t)
{
    buf_clear(&t->q_there);
    buf_clear(&t->grid_there);
    buf_clear(&t->field_there);
    stopwatch_clear(&t->watch);
    points_clear(&t->points);
    mem_free(t->x);
    mem_free(t->q);
    mem_free(t->grid);
    mem_free(t->field);
}

static farsum_status trial_on_device(struct trial *t, int field)
{
    int64_t size = array_size(t->precision);
    TRY(buf_alloc(&t->q_there, t->device, size * t->n * t->values));
    TRY(buf_alloc(&t->grid_there, t->device, size * t->mesh));
    TRY(buf_fill(&t->q_there, 0));
    TRY(buf_fill(&t->grid_there, 0));
    if (field) {
        TRY(buf_alloc(&t->field_there, t->device, 3 * size * t->n * t->values));
        TRY(buf_fill(&t->field_there, 0));
    }
    TRY(stopwatch_create(&t->watch, t->device));
    return points_gpu_create(t->device, &t->points.gpu);
}

static farsum_status trial_on_host(struct trial *t, int field)
{
    size_t size = (size_t)array_size(t->precision);
    TRY(mem_alloc(&t->q, t->n * t->values, size, 1));
    TRY(mem_alloc(&t->grid, t->mesh, size, 1));
    if (field)
        TRY(mem_alloc(&t->field, 3 * t->n * t->values, size, 1));
    return FARSUM_OK;
}

/* Sets new positions, as a plan does. */
static farsum_status trial_set(struct trial *t, const struct spread_args *args)
{
    int32_t tiles[3];
    if (t->device) {
        TRY(points_gpu_set(t->points.gpu, &t->cell, t->n, t->x, FARSUM_F64,
                           "point"));
        t->points.n = t->n;
        return FARSUM_OK;
    }
    TRY(points_set(&t->points, &t->cell, t->n, t->x, FARSUM_F64, "point",
                   t->threads));
    spread_tiles(args, tiles);
    return bins_build(&t->points, tiles, t->threads);
}

/* The spread args whose tiles the points of either stage are sorted into. */
static farsum_status trial_make(struct trial *t, const struct stage *stage,
                                const void *args, struct spread_args *spread)
{
    static const double cube[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    const struct interp_args *interp = args;
    double clustering;
    int field = 0;
    t->interp = stage == &interp_stage;
    if (t->interp) {
        *spread = planner_spread(interp);
        field = (interp->outputs & FARSUM_FIELD) != 0;
    } else
        *spread = *(const struct spread_args *)args;
    clustering = spread_clustering(spread);
    t->device = spread->device;
    t->precision = spread->precision;
    t->threads = spread->threads;
    t->n = spread->n;
    t->values = spread_channels(spread) * spread_parts(spread);
    t->mesh = t->values * spread->mesh[0] * spread->mesh[1] * spread->ldz;
    TRY(cell_set(&t->cell, cube, 1));
    TRY(MEM_RAW(t->x, 3 * t->n));
    trial_place(t->x, t->n, clustering);
    if (t->device)
        TRY(trial_on_device(t, field));
    else
        TRY(trial_on_host(t, field));
    return trial_set(t, spread);
}

static farsum_status trial_run(struct trial *t, const struct variant *variant,
                               void *state)
{
    const void *q = t->device ? (void *)&t->q_there : t->q;
    const void *grid = t->device ? (void *)&t->grid_there : t->grid;
    void *field = t->field_there.device ? (void *)&t->field_there : t->field;
    struct spread_io spread = {.q = q, .mesh = (void *)(uintptr_t)grid};
    struct interp_io interp = {
        .mesh = grid, .potential = (void *)(uintptr_t)q, .field = field};
    return variant->run(state, t->interp ? (void *)&interp : (void *)&spread);
}

static farsum_status trial_start(struct trial *t, double *at)
{
    *at = clock_seconds();
    return t->device ? stopwatch_start(&t->watch) : FARSUM_OK;
}

/* Lowers *least to the time since `at`, if shorter.  Queues without events are
 * timed on the host. */
static farsum_status trial_stop(struct trial *t, double at, double *least)
{
    double seconds = 0;
    if (t->device) {
        TRY(stopwatch_stop(&t->watch));
        TRY(device_finish(t->device));
        TRY(stopwatch_seconds(&t->watch, &seconds));
    }
    if (!(seconds > 0))
        seconds = clock_seconds() - at;
    *least = fmin(*least, seconds);
    return FARSUM_OK;
}

static farsum_status trial_row(struct trial *t, const struct variant_row *row,
                               const void *args,
                               const struct spread_args *spread,
                               struct choose_time *time)
{
    const struct variant *v = row->variant;
    farsum_status status = FARSUM_OK;
    void *state = NULL;
    double at, set = INFINITY, run = INFINITY;
    TRY(progress_step(0, 0, "timing %s", row->name));
    TRY(v->create(args, &state));
    for (int k = 0; k < SETS && v->set; k++) { /* the first one allocates
                                                  memory */
        GO(trial_set(t, spread));
        GO(trial_start(t, &at));
        GO(v->set(state, &t->points, NULL));
        GO(trial_stop(t, at, &set));
    }
    for (int k = 0; k < RUNS; k++) {
        GO(trial_start(t, &at));
        GO(trial_run(t, v, state));
        GO(trial_stop(t, at, &run));
    }
    snprintf(time->row, sizeof time->row, "%s", row->name);
    time->set = isfinite(set) ? set : 0;
    time->run = run;
done:
    v->destroy(state);
    return status;
}

farsum_status planner_measure_rows(const struct stage *stage,
                                   const struct variant_row *const *rows, int n,
                                   const void *args, struct choose_time *times,
                                   int *n_times)
{
    farsum_status status = FARSUM_OK;
    struct trial t = {.n = 0};
    struct spread_args spread;
    *n_times = 0;
    GO(trial_make(&t, stage, args, &spread));
    for (int i = 0; i < n && t.n > 0; i++)
        if (trial_row(&t, rows[i], args, &spread, &times[*n_times])
            == FARSUM_OK)
            ++*n_times;
    GO(progress_step(0, 0, "timing"));
done:
    trial_clear(&t);
    return status;
}
