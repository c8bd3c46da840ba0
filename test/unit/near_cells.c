/* SPDX-License-Identifier: Apache-2.0 */
/* near_cells.c: tests that near variants on a device give the same sums for any
 * number of cells per cutoff, in boxes that are tilted or thinner than the
 * cutoff.  On FARSUM_TEST_DEVICE (default: opencl:0). */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/random.h"
#include "check.h"
#include "device/device.h"
#include "points/device/set.h"
#include "stage/near/device/device.h"

enum { N = 300, OUT = 4 * N };

static const double shapes[][9] = {
    {3.1, 0, 0, 0.4, 2.9, 0, -0.7, 0.5, 3.3}, /* units of the cutoff */
    {0.7, 0, 0, 0, 5, 0, 0.3, 0, 4},
};
enum { SHAPES = sizeof shapes / sizeof *shapes };
static const int named[] = {0, 1, 2, 3, 5, NEAR_CELLS};
/* FEW: for variants with one thread block per cell, which visit each cell
 * around. */
enum { NAMED = sizeof named / sizeof *named, FEW = 3 };

struct sums {
    struct near_args args;
    struct cell cell;
    struct split split;
    struct near_poly poly;
    double x[3 * N], q[N];
};

static void sums_make(struct sums *w, int shape, struct device *device)
{
    uint64_t seed = 5;
    memset(w, 0, sizeof *w);
    CHECK_OK(cell_set(&w->cell, shapes[shape], 1));
    CHECK_OK(split_set(&w->split, "gaussian", 14));
    CHECK_OK(pair_near_poly(pair_find("laplace"), &w->split, 1e-13, &w->poly));
    for (int i = 0; i < 3 * N; i++) /* some outside of the cell */
        w->x[i] = 9 * ((double)(random_next(&seed) >> 11) * 0x1p-53 - 0.3);
    for (int i = 0; i < N; i++)
        w->q[i] = (double)(random_next(&seed) >> 11) * 0x1p-53 - 0.4;
    w->args = (struct near_args){
        .precision = FARSUM_F64,
        .isa = isa_best(),
        .threads = 1,
        .outputs = FARSUM_POTENTIAL | FARSUM_FIELD,
        .cell = &w->cell,
        .poly = &w->poly,
        .n_sources = N,
        .neighbours = 4.2 * N / w->cell.volume,
        .device = device,
        .pair = pair_find("laplace"),
        .split = &w->split,
    };
}

/* Sets the points again and sums; out: potentials, then fields. */
static farsum_status sums_set_run(struct sums *w, const struct variant *v,
                                  void *state, double *out)
{
    struct device *device = w->args.device;
    struct points points = {0};
    struct buf q = {0}, potential = {0}, field = {0};
    farsum_status status = FARSUM_OK;
    memset(out, 0, OUT * sizeof *out);
    struct near_io io = {.q = w->q, .potential = out, .field = out + N};
    if (device) {
        points.n = N;
        GO(points_gpu_create(device, &points.gpu));
        GO(points_gpu_set(points.gpu, &w->cell, N, w->x, FARSUM_F64, "source"));
        GO(buf_alloc(&q, device, sizeof w->q));
        GO(buf_upload(&q, 0, w->q, sizeof w->q));
        GO(buf_alloc(&potential, device, 8 * N));
        GO(buf_alloc(&field, device, 24 * N));
        GO(buf_fill(&potential, 0));
        GO(buf_fill(&field, 0));
        io = (struct near_io){
            .q = &q, .potential = &potential, .field = &field};
    } else {
        GO(points_set(&points, &w->cell, N, w->x, FARSUM_F64, "source", 1));
    }
    GO(v->set(state, &points, &points));
    GO(v->run(state, &io));
    if (device) {
        GO(buf_download(&potential, 0, out, 8 * N));
        GO(buf_download(&field, 0, out + N, 24 * N));
    }
done:
    points_clear(&points);
    buf_clear(&q);
    buf_clear(&potential);
    buf_clear(&field);
    return status;
}

static int sums_run(struct sums *w, const struct variant *v, void *state,
                    double *out)
{
    farsum_status status = sums_set_run(w, v, state, out);
    return CHECK(status == FARSUM_OK, "%s: %s", farsum_status_text(status),
                 farsum_message());
}

static double gap(const double *a, const double *b)
{
    double sum = 0, norm = 0;
    for (int i = 0; i < OUT; i++) {
        sum += (a[i] - b[i]) * (a[i] - b[i]);
        norm += b[i] * b[i];
    }
    return sqrt(sum / norm);
}

/* The expected results of the variant, for each shape. */
static double want[SHAPES][OUT];

static void reference(void)
{
    static struct sums here;
    for (int s = 0; s < SHAPES; s++) {
        void *state = NULL;
        sums_make(&here, s, NULL);
        const struct variant *plain = near_stage.rows[0].variant;
        CHECK_OK(plain->create(&here.args, &state));
        sums_run(&here, plain, state, want[s]);
        plain->destroy(state);
    }
}

static int group_a_cell(const struct variant *v, struct near_args args)
{
    args.team[0] = 16;
    return v->fits(&args) == FARSUM_OK;
}

/* One variant with any cells.  Its kernel does not depend on them, so it is
 * compiled once.  A state begins with a struct near_gpu, whose args are read by
 * set. */
static void any_cells(const struct variant_row *row, struct device *device)
{
    static struct sums there;
    static double found[OUT];
    const struct variant *v = row->variant;
    void *state = NULL;
    sums_make(&there, 0, device);
    if (!CHECK(v->create(&there.args, &state) == FARSUM_OK, "%s: %s", row->name,
               farsum_message()))
        return;
    struct near_args *args = &((struct near_gpu *)state)->args;
    int ways = group_a_cell(v, there.args) ? FEW : NAMED;
    for (int s = 0; s < SHAPES; s++) {
        sums_make(&there, s, device);
        for (int k = 0; k < ways; k++) {
            there.args.cells = args->cells = named[k];
            CHECK(v->fits(&there.args) == FARSUM_OK && v->cost(&there.args) > 0
                      && v->bytes(&there.args) > 0,
                  "%s, %d cells: %s", row->name, named[k], farsum_message());
            if (!sums_run(&there, v, state, found))
                continue;
            double off = gap(found, want[s]);
            CHECK(off < 1e-12, "%s, shape %d, %d cells a cutoff: off by %.3g",
                  row->name, s, named[k], off);
        }
    }
    v->destroy(state);
}

/* The cells that a variant reports are those that were named. */
static void says(const struct variant_row *row, struct sums *w)
{
    char text[80];
    for (int k = 1; row->variant->says && k <= NEAR_CELLS; k++) {
        w->args.cells = k;
        row->variant->says(&w->args, text, sizeof text);
        CHECK(atoi(text) == k, "%s, %d: \"%s\"", row->name, k, text);
    }
    w->args.cells = 0;
    if (row->variant->says) {
        row->variant->says(&w->args, text, sizeof text);
        CHECK(atoi(text) >= 1 && atoi(text) <= NEAR_CELLS, "%s: \"%s\"",
              row->name, text);
    }
}

static void refused(const struct variant_row *row, struct sums *w)
{
    static const int bad[] = {-1, NEAR_CELLS + 1};
    for (int k = 0; k < 2; k++) {
        w->args.cells = bad[k];
        CHECK(row->variant->fits(&w->args) == FARSUM_ERR_UNSUPPORTED
                  && strstr(farsum_message(), "cells per cutoff"),
              "%s, %d cells: %s", row->name, bad[k], farsum_message());
    }
    w->args.cells = 0;
}

/* Fewer cells cost more if neighbours are many, more if they are few. */
static void costs_have_a_least(const struct variant_row *row, struct sums *w)
{
    double few[2], many[2];
    for (int k = 0; k < 2; k++) {
        w->args.cells = k ? 8 : 2;
        w->args.neighbours = 4;
        few[k] = row->variant->cost(&w->args);
        w->args.neighbours = 1e5;
        many[k] = row->variant->cost(&w->args);
    }
    w->args.cells = 0;
    CHECK(few[0] < few[1], "%s: %g and %g s", row->name, few[0], few[1]);
    CHECK(many[0] > many[1], "%s: %g and %g s", row->name, many[0], many[1]);
}

int main(void)
{
    static struct sums w;
    static const double wide[9] = {40, 0, 0, 0, 40, 0, 0, 0, 40};
    const char *name = getenv("FARSUM_TEST_DEVICE");
    struct device *device = NULL;
    int rows = 0;
    if (device_open(name ? name : "opencl:0", &device) != FARSUM_OK) {
        printf("no device: %s\n", farsum_message());
        return CHECK_SKIPPED;
    }
    reference();
    for (const struct variant_row *r = near_stage.rows; r->name; r++) {
        sums_make(&w, 0, device);
        if (r->variant->fits && r->variant->fits(&w.args) != FARSUM_OK)
            continue; /* a host variant */
        rows++;
        refused(r, &w);
        says(r, &w);
        any_cells(r, device);
        if (!r->variant->says)
            continue;
        CHECK_OK(cell_set(&w.cell, wide, 1));
        w.args.n_sources = 1000000;
        costs_have_a_least(r, &w);
    }
    CHECK(rows >= 4, "%d variants of near fit %s", rows, device->name);
    device_close(device);
    return check_end();
}
