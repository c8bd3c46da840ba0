/* SPDX-License-Identifier: Apache-2.0 */
/* edges.c: tests of the method fmm with few points, unusual positions, bad
 * input and refused options. */
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "check.h"
#include "fmm/fmm.h"

/* A system with these points. */
static void system_of(struct system *s, const char *name, int64_t n,
                      int periodic)
{
    memset(s, 0, sizeof *s);
    snprintf(s->name, sizeof s->name, "%s", name);
    s->p.strengths = 1;
    s->p.n = n;
    s->p.x = check_memory(3 * (size_t)n, sizeof *s->p.x);
    s->p.q = check_memory((size_t)n, sizeof *s->p.q);
    for (int d = 0; d < 3; d++) {
        s->p.cell[4 * d] = 2;
        s->p.periodic[d] = periodic;
    }
    for (int64_t i = 0; i < n; i++)
        s->p.q[i] = i % 3 ? 1 : -1.5;
}

/* Compares with the reference, at the tolerance. */
static void right(const char *what, const struct system *s,
                  const farsum_options *options)
{
    struct fmm_sums a, b;
    farsum_problem p = fmm_problem(s, 1e-6);
    farsum_options o = FARSUM_OPTIONS_INIT;
    p.error = FARSUM_ERROR_POTENTIAL; /* one alone has no force */
    p.exclude_coincident = 1;
    farsum_status status = fmm_try(s, &p, options, &a);
    if (CHECK(status == FARSUM_OK, "%s, %s: %s", s->name, what,
              farsum_message())) {
        o.method = s->p.periodic[0] ? "ewald" : "direct";
        p.tolerance = 1e-13;
        if (fmm_do(s, &p, &o, &b)) {
            double size = 1e-300, most = 0, off = 0;
            for (int64_t i = 0; i < s->p.n; i++) {
                off = fmax(off, fabs(a.potential[i] - b.potential[i]));
                size = fmax(size, fabs(b.potential[i]));
                for (int d = 0; d < 3; d++)
                    most = fmax(most, fabs(a.field[3 * i + d]
                                           - b.field[3 * i + d]));
            }
            CHECK(off <= 1e-5 * size || (size < 1e-200 && off < 1e-12),
                  "%s, %s: potentials off by %.3g of %.3g", s->name, what, off,
                  size);
            double f = fmm_force_gap(s, a.field, b.field);
            CHECK(s->p.n < 2 || f <= 1e-4, "%s, %s: fields off by %.3g",
                  s->name, what, f);
            CHECK(s->p.n > 1 || most < 1e-4, "%s, %s: one particle has a field "
                  "of %.3g", s->name, what, most);
        }
        fmm_free(&b);
    }
    fmm_free(&a);
}

/* Boxes chosen by the plan, one level, two and `deepest` levels, and a sparse
 * tree. */
static void any_boxes(const char *what, const struct system *s, int order,
                      int deepest)
{
    farsum_options o = fmm_options();
    char text[100];
    o.fmm.order = order;
    right(what, s, &o);
    for (int k = 1; k <= 3; k++) {
        const int levels = k < 3 ? k : deepest;
        snprintf(text, sizeof text, "%s, %d levels", what, levels);
        o = fmm_options();
        o.fmm.order = order;
        o.fmm.levels = levels;
        o.fmm.tree = "dense";
        o.fmm.boxes[0] = o.fmm.boxes[1] = o.fmm.boxes[2] = 1;
        right(text, s, &o);
    }
    o = fmm_options();
    o.fmm.order = order;
    o.fmm.tree = "sparse";
    o.fmm.leaf = 4; /* more than coincide */
    snprintf(text, sizeof text, "%s, sparse", what);
    right(text, s, &o);
    /* a cell's are bricks */
    int cell = s->p.periodic[0];
    o.fmm.boxes[0] = 5;
    o.fmm.boxes[1] = cell ? 4 : 1;
    o.fmm.boxes[2] = cell ? 5 : 3;
    snprintf(text, sizeof text, "%s, sparse, 5 x %d x %d root boxes", what,
             (int)o.fmm.boxes[1], (int)o.fmm.boxes[2]);
    right(text, s, &o);
}

static void places_by(int step, int deepest)
{
    for (int periodic = 0; periodic < 2; periodic++)
        for (int kind = 0; kind < 7; kind += step) {
            static const char *const names[] = {
                "one", "two", "one box", "a line", "faces and corners",
                "coincident", "far apart"};
            static const int counts[] = {1, 2, 20, 30, 64, 12, 16};
            struct system s;
            system_of(&s, periodic ? "periodic" : "open", counts[kind],
                      periodic);
            for (int i = 0; i < counts[kind]; i++) {
                double *x = s.p.x + 3 * i, t = (i + 0.5) / counts[kind];
                x[0] = x[1] = x[2] = 0.3;
                if (kind < 2) {
                    x[0] += 0.9 * i;
                } else if (kind == 2) { /* all but one */
                    x[0] += 1e-3 * sin(7 * i) + (i == 5);
                    x[1] += 1e-3 * cos(11 * i);
                } else if (kind == 3) {
                    x[0] = 2 * t;
                } else if (kind == 4) {
                    x[0] = i % 4 * 0.5;
                    x[1] = i / 4 % 4 * 0.5;
                    x[2] = i / 16 * 0.5;
                    if (!periodic && i % 5 == 0)
                        x[i % 3] += 2;
                } else if (kind == 5) {
                    x[0] += 0.25 * (i / 3);
                } else {
                    x[0] += periodic ? 2.0 * i + 0.1 * i : pow(2, i);
                    x[1] += 0.05 * i;
                }
            }
            /* points on corners correlate all errors: the order is set by
             * hand */
            any_boxes(names[kind], &s, kind == 4 ? 30 : 0, deepest);
            system_free(&s);
        }
}

static void places(void)
{
    places_by(1, 4);
}

static void some_places(void)
{
    places_by(3, 3);
}

static void coincident_is_an_error(void)
{
    for (int periodic = 0; periodic < 2; periodic++) {
        struct system s;
        struct fmm_sums a;
        system_of(&s, "coincident", 20, periodic);
        for (int i = 0; i < 60; i++)
            s.p.x[i] = fmod(0.37 * (i + 1) * (i % 3 + 1), 2);
        memcpy(s.p.x + 3 * 13, s.p.x + 3 * 4, 24);
        farsum_problem p = fmm_problem(&s, 1e-5);
        farsum_options o = fmm_options();
        CHECK_FAILS(fmm_try(&s, &p, &o, &a), FARSUM_ERR_COINCIDENT);
        CHECK_SAYS("exclude_coincident");
        fmm_free(&a);
        s.p.x[7] = NAN;
        p.sample_x = p.sample_q = NULL;
        CHECK_FAILS(fmm_try(&s, &p, &o, &a), FARSUM_ERR_POSITION);
        fmm_free(&a);
        system_free(&s);
    }
}

static void nothing_to_sum(void)
{
    struct system s;
    farsum_plan *plan = NULL;
    system_of(&s, "none", 4, 1);
    for (int i = 0; i < 12; i++)
        s.p.x[i] = fmod(0.37 * (i + 1), 2);
    farsum_problem p = fmm_problem(&s, 1e-5);
    farsum_options o = fmm_options();
    p.n_sources = 0;
    CHECK_FAILS(farsum_plan_create(&p, &o, &plan), FARSUM_ERR_ARGUMENT);
    CHECK_SAYS("n_sources is 0");
    p.n_sources = 4;
    CHECK_OK(farsum_plan_create(&p, &o, &plan));
    farsum_result out = FARSUM_RESULT_INIT;
    double energy = 0;
    out.energy = &energy;
    CHECK_FAILS(farsum_plan_execute(plan, 1, s.p.q, &out), FARSUM_ERR_STATE);
    CHECK_FAILS(farsum_plan_set_points(plan, 0, s.p.x, 0, NULL),
                FARSUM_ERR_ARGUMENT);
    CHECK_OK(farsum_plan_set_points(plan, 4, s.p.x, 0, NULL));
    memset(s.p.q, 0, 32);
    CHECK_OK(farsum_plan_execute(plan, 1, s.p.q, &out));
    CHECK(energy == 0, "no charges have an energy of %g", energy);
    s.p.q[2] = INFINITY;
    CHECK_FAILS(farsum_plan_execute(plan, 1, s.p.q, &out),
                FARSUM_ERR_STRENGTH);
    farsum_plan_destroy(plan);
    system_free(&s);
}

/* Unsupported requests are refused with the reason. */
static void refusals(void)
{
    static const char *const kernels[] = {"yukawa", "r6", "stokeslet",
                                          "rotlet", "stresslet"};
    struct system s;
    farsum_plan *plan = NULL;
    system_of(&s, "refused", 4, 1);
    for (int i = 0; i < 12; i++)
        s.p.x[i] = fmod(0.37 * (i + 1), 2);
    const farsum_problem p = fmm_problem(&s, 1e-5);
    farsum_options o = fmm_options();
    farsum_problem bad = p;
    for (int k = 0; k < 5; k++) {
        bad = p;
        bad.kernel = kernels[k];
        bad.kappa = k ? 0 : 1;
        bad.outputs = 0;
        bad.sample_x = bad.sample_q = NULL;
        CHECK_FAILS(farsum_plan_create(&bad, &o, &plan),
                    FARSUM_ERR_UNSUPPORTED);
        CHECK_SAYS(kernels[k]);
    }
    bad = p;
    bad.cell[3] = 0.2;
    CHECK_FAILS(farsum_plan_create(&bad, &o, &plan), FARSUM_ERR_UNSUPPORTED);
    CHECK_SAYS("right angles");
    CHECK_SAYS("spectral");
    for (int axes = 1; axes < 3; axes++) {
        bad = p;
        for (int d = axes; d < 3; d++)
            bad.periodic[d] = 0;
        o.strict = 1;
        CHECK_FAILS(farsum_plan_create(&bad, &o, &plan),
                    FARSUM_ERR_UNSUPPORTED);
        CHECK_SAYS("axes");
        o.strict = 0;
    }
    bad = p;
    bad.tolerance = 1e-15;
    CHECK_FAILS(farsum_plan_create(&bad, &o, &plan), FARSUM_ERR_TOLERANCE);
    CHECK_SAYS("reaches");
    bad.precision = FARSUM_F32;
    bad.tolerance = 1e-8;
    CHECK_FAILS(farsum_plan_create(&bad, &o, &plan), FARSUM_ERR_TOLERANCE);
    CHECK_SAYS("f32");
    o.fmm.m2l = "nonesuch";
    CHECK_FAILS(farsum_plan_create(&p, &o, &plan), FARSUM_ERR_UNKNOWN);
    o = fmm_options();
    o.fmm.boxes[0] = 3;
    CHECK_FAILS(farsum_plan_create(&p, &o, &plan), FARSUM_ERR_ARGUMENT);
    o = fmm_options();
    o.fmm.leaf = 10;
    CHECK_FAILS(farsum_plan_create(&p, &o, &plan), FARSUM_ERR_ARGUMENT);
    CHECK(!plan, "a plan after a refusal");
    system_free(&s);
}

/* The largest difference of potentials at m targets over the RMS of b. */
static double worst(int64_t m, const double *a, const double *b)
{
    double most = 0, sum = 0;
    for (int64_t i = 0; i < m; i++) {
        most = fmax(most, fabs(a[i] - b[i]));
        sum += b[i] * b[i];
    }
    return most / sqrt(sum / (double)m);
}

/* A few targets in one of many boxes: the estimate describes them, wherever the
 * box is, with and without images. */
static void few_targets(void)
{
    enum { N = 8000, M = 20, PLACES = 3 };
    if (fmm_device()) /* kernels are compiled for each order; test_unit_tree_gpu
                         compares the estimates' parts */
        return;
    double *x = check_memory(3 * N, sizeof *x), y[3 * M], phi[2][M];
    double *q = check_memory(N, sizeof *q);
    uint64_t seed = 3;
    for (int i = 0; i < 3 * N; i++)
        x[i] = (double)(random_next(&seed) >> 11) * 0x1p-53;
    for (int i = 0; i < N; i++)
        q[i] = i % 2 ? 1 : -1;
    for (int k = 0; k < 4 * PLACES; k++) {
        int axes = k % 4;
        if (axes % 3 && k > 4) /* images of many root boxes take long */
            continue;
        double centre[3], gap, estimate = 0;
        farsum_problem p = FARSUM_PROBLEM_INIT;
        for (int d = 0; d < 3; d++) {
            p.cell[4 * d] = 1;
            p.periodic[d] = d < axes;
            centre[d] = (double)(random_next(&seed) >> 11) * 0x1p-53;
            for (int i = 0; i < M; i++)
                y[3 * i + d] =
                    fmin(1, centre[d]
                                + 0.01 * (double)(random_next(&seed) >> 11)
                                      * 0x1p-53);
        }
        p.tolerance = 0.9;
        p.error = FARSUM_ERROR_POTENTIAL;
        p.outputs = FARSUM_POTENTIAL;
        p.n_sources = N;
        p.n_targets = M;
        p.sample_x = x;
        p.sample_q = q;
        for (int turn = 0; turn < 2; turn++) {
            farsum_options o = fmm_options();
            farsum_result r = FARSUM_RESULT_INIT;
            farsum_plan_info info = FARSUM_PLAN_INFO_INIT;
            r.potential = phi[turn];
            o.fmm.order = turn ? 10 : 4;
            o.fmm.tree = "dense";
            /* without images deep boxes, else root boxes */
            o.fmm.levels = axes ? 0 : 4;
            for (int d = 0; d < 3; d++)
                o.fmm.boxes[d] = axes ? 11 : 1;
            CHECK_OK(sum_once(&p, &o, N, x, M, y, q, &r, &info));
            if (!turn)
                estimate = info.estimated_error;
        }
        gap = worst(M, phi[0], phi[1]);
        CHECK(gap > 1e-7 && gap <= 6 * estimate && estimate <= 30 * gap,
              "%d periodic axes, place %d: an error of %.3g, not about %.3g",
              axes, k / 4, gap, estimate);
    }
    free(x);
    free(q);
}

void fmm_edges(void)
{
    RUN(places);
    RUN(coincident_is_an_error);
    RUN(nothing_to_sum);
    RUN(few_targets);
    RUN(refusals);
}

/* The part that is fast enough under the sanitizers. */
void fmm_few(void)
{
    RUN(some_places);
    RUN(coincident_is_an_error);
    RUN(nothing_to_sum);
    RUN(refusals);
}
