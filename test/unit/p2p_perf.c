/* SPDX-License-Identifier: Apache-2.0 */
/* p2p_perf.c: test_unit_p2p perf [n [depth [threads [rhs]]]]: pairs per second
 * of every supported variant of p2p, on the host and on FARSUM_TEST_DEVICE if
 * it is set, for uniform points in a periodic dense tree. */
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "points/cell.h"
#include "points/tree/tree_device_set.h"
#include "stage/p2p/p2p.h"
#include "unit/p2p_perf.h"
#include "unit/tree_case.h"

enum { RUNS = 7 };

struct perf {
    struct p2p_args args;
    struct tree tree;
    struct p2p_io io;
    double pairs;
    struct device *device; /* NULL: the host */
};

/* The minimum of several runs. */
static double perf_seconds(const struct perf *perf, const struct variant *row)
{
    void *state = NULL;
    double best = 1e30;
    if (!CHECK_OK(row->create(&perf->args, &state)))
        return best;
    for (int r = 0; r < RUNS; r++) {
        double from = clock_seconds();
        CHECK_OK(row->run(state, &perf->io));
        if (perf->device)
            CHECK_OK(device_finish(perf->device));
        best = fmin(best, clock_seconds() - from);
    }
    row->destroy(state);
    return best;
}

static void perf_rows(const struct perf *perf)
{
    for (const struct variant_row *row = p2p_stage.rows; row->name; row++) {
        if (row->variant->fits(&perf->args) != FARSUM_OK
            || strcmp(row->name, "plain") == 0)
            continue;
        double s = perf_seconds(perf, row->variant);
        printf("%-10s %s %s: %.3f ms, %.3g pairs/s\n", row->name,
               perf->args.precision == FARSUM_F32 ? "f32" : "f64",
               perf->args.outputs & FARSUM_FIELD ? "both     " : "potential",
               1e3 * s, perf->pairs / s);
    }
}

/* Number of near pairs, from the host's tree. */
static double perf_pairs(const struct tree *tree)
{
    struct tree_near *near =
        check_memory((size_t)tree_near_most(tree), sizeof *near);
    const int64_t *begin = tree->source.begin;
    double pairs = 0;
    for (int64_t leaf = 0; leaf < tree->n_leaves; leaf++) {
        int64_t n = tree_near(tree, leaf, near), sources = 0;
        for (int64_t e = 0; e < n; e++)
            sources += begin[near[e].leaf + 1] - begin[near[e].leaf];
        pairs += (double)sources * (double)(begin[leaf + 1] - begin[leaf]);
    }
    free(near);
    return pairs;
}

/* Builds the host's tree again on the device, from positions there, and times
 * it. */
static void perf_build(struct perf *perf, const struct tree_args *shape,
                       const double *x)
{
    struct points_gpu *points = NULL;
    struct cell cell;
    const double rows[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    int64_t n = perf->args.n_sources;
    double best = 1e30;
    CHECK_OK(cell_set(&cell, rows, 1));
    CHECK_OK(points_gpu_create(perf->device, &points));
    CHECK_OK(points_gpu_set(points, &cell, n, x, FARSUM_F64, "source"));
    for (int r = 0; r < RUNS; r++) {
        CHECK_OK(device_finish(perf->device));
        double from = clock_seconds();
        CHECK_OK(tree_gpu_set(&perf->tree, shape, points, NULL));
        CHECK_OK(device_finish(perf->device));
        best = fmin(best, clock_seconds() - from);
    }
    printf("tree on the device: %.3f ms\n", 1e3 * best);
    points_gpu_destroy(points);
}

static void perf_on(struct perf *perf, const struct tree_args *shape,
                    const double *x)
{
    struct buf q = {0}, potential = {0}, field = {0};
    int64_t n = perf->args.n_sources * perf->args.rhs;
    int64_t real = perf->args.precision == FARSUM_F32 ? 4 : 8;
    struct p2p_io host = perf->io;
    perf->args.device = perf->device;
    perf_build(perf, shape, x);
    CHECK_OK(buf_alloc(&q, perf->device, n * real));
    CHECK_OK(buf_alloc(&potential, perf->device, n * real));
    CHECK_OK(buf_alloc(&field, perf->device, 3 * n * real));
    CHECK_OK(buf_upload(&q, 0, host.q, n * real));
    CHECK_OK(buf_fill(&potential, 0));
    CHECK_OK(buf_fill(&field, 0));
    perf->io.q = &q;
    perf->io.potential = &potential;
    perf->io.field = host.field ? &field : NULL;
    perf_rows(perf);
    buf_clear(&q);
    buf_clear(&potential);
    buf_clear(&field);
    perf->args.device = NULL;
    perf->io = host;
}

static void perf_one(struct perf *perf, const struct tree_args *shape,
                     double *x, void *q, void *out)
{
    int64_t n = perf->args.n_sources;
    double from = clock_seconds();
    struct tree_given given = {.n = n, .x = {x, x + 1, x + 2}, .step = 3};
    if (!CHECK_OK(tree_set(&perf->tree, shape, &given, NULL)))
        return;
    double seconds = clock_seconds() - from;
    int64_t real = shape->precision == FARSUM_F32 ? 4 : 8;
    perf->pairs = perf_pairs(&perf->tree);
    perf->args.neighbours = perf->pairs / (double)n;
    perf->args.filling = (double)n / (double)perf->tree.n_leaves;
    perf->io = (struct p2p_io){
        .tree = &perf->tree,
        .q = q,
        .potential = out,
        .field = perf->args.outputs & FARSUM_FIELD
                     ? (char *)out + real * n * perf->args.rhs
                     : NULL,
    };
    printf("n %lld, %.1f a leaf, %.3g pairs; tree %.3f ms\n", (long long)n,
           perf->args.filling, perf->pairs, 1e3 * seconds);
    perf_rows(perf);
    if (perf->device)
        perf_on(perf, shape, x);
    tree_clear(&perf->tree);
}

void p2p_perf(int64_t n, int depth, int threads, int rhs)
{
    const char *name = getenv("FARSUM_TEST_DEVICE");
    struct perf perf = {.args = {.isa = isa_best(),
                                 .threads = threads,
                                 .rhs = rhs,
                                 .n_sources = n,
                                 .dense = 1,
                                 .ws = 1}};
    struct tree_args shape = {
        .dense = 1,
        .depth = depth,
        .ws = 1,
        .periodic = {1, 1, 1},
        .root = {1, 1, 1},
        .edge = {1, 1, 1},
        .threads = threads,
    };
    size_t count = (size_t)(n * rhs) + 1;
    double *x = check_memory((size_t)(3 * n) + 1, sizeof *x);
    double *q = check_memory(count, sizeof *q);
    double *out = check_memory(4 * count, sizeof *out);
    if (name && strcmp(name, "host") != 0
        && !CHECK_OK(device_open(name, &perf.device)))
        check_stop("%s is not available", name);
    tree_fractions(TREE_UNIFORM, n, 1, x);
    for (int f32 = 0; f32 < 2; f32++)
        for (int field = 0; field < 2; field++) {
            shape.precision = f32 ? FARSUM_F32 : FARSUM_F64;
            perf.args.precision = shape.precision;
            perf.args.outputs = FARSUM_POTENTIAL | (field ? FARSUM_FIELD : 0);
            for (size_t k = 0; k < count; k++) {
                float one = k % 2 ? 1 : -1;
                if (f32)
                    memcpy((char *)q + 4 * k, &one, 4);
                else
                    q[k] = (double)one;
            }
            memset(out, 0, 4 * count * sizeof *out);
            perf_one(&perf, &shape, x, q, out);
        }
    device_close(perf.device);
    free(x);
    free(q);
    free(out);
}
