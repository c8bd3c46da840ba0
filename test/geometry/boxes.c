/* SPDX-License-Identifier: Apache-2.0 */
/* boxes.c: slabs and wires by method `fmm` against `ewald` and known
 * numbers. */
#include <string.h>

#include "check.h"
#include "geometry/slab_case.h"
#include "geometry/sums.h"

enum { POINTS = 120, TARGETS = SLAB_TARGETS };

static int full; /* 1: all tolerances, axes and shapes */

/* A slab (axes 2) whose open axis, or a wire (1) whose periodic one, is `axis`,
 * of right angles. */
static void make(struct slab *s, int axes, int axis, double thick, double net,
                 double tolerance)
{
    int a = (axis + 1) % 3, b = (axis + 2) % 3;
    double sum = 0;
    slab_make(s, axis, thick, net, tolerance);
    for (int i = 0; i < POINTS; i++)
        sum += s->q[i];
    for (int i = 0; i < POINTS; i++)
        s->q[i] += (net - sum) / POINTS;
    s->problem.n_sources = POINTS;
    s->problem.cell[3 * b + a] = s->problem.cell[3 * axis + a] = 0;
    if (axes == 1) {
        for (int i = 0; i < POINTS + TARGETS; i++) {
            double *x = i < POINTS ? s->x + 3 * i : s->y + 3 * (i - POINTS);
            x[axis] = 5 * (x[axis] - 7) / thick; /* several periods */
            x[a] *= thick / 9;
            x[b] *= thick / 9;
        }
        s->problem.cell[4 * axis] = 3;
        s->problem.periodic[a] = s->problem.periodic[b] = 0;
        s->problem.periodic[axis] = 1;
    }
    s->options.method = "fmm";
    s->options.verify = -1; /* checked here */
}

static farsum_status sum(const struct slab *s, struct sums *to)
{
    farsum_status status = geometry_sums(&s->problem, &s->options, POINTS, s->x,
                                         s->q, s->m, s->y, to);
    to->cutoff = 2; /* an error of a potential over that of its field */
    return status;
}

/* The converged sum. */
static void reference(const struct slab *s, struct sums *to)
{
    struct slab t = *s;
    t.options = (farsum_options)FARSUM_OPTIONS_INIT;
    t.options.threads = 1;
    t.options.method = "ewald";
    t.problem.precision = t.problem.arrays = FARSUM_F64;
    t.problem.tolerance = 1e-14;
    t.problem.outputs =
        FARSUM_POTENTIAL | FARSUM_FIELD | FARSUM_ENERGY | FARSUM_VIRIAL;
    t.problem.sample_x = t.problem.sample_q = NULL;
    CHECK_OK(sum(&t, to));
}

static void compare_with(const struct slab *s, const struct sums *exact,
                         const char *what)
{
    struct sums a;
    farsum_status status = sum(s, &a);
    CHECK_OK(status);
    if (status != FARSUM_OK)
        return;
    geometry_compare(s->problem.tolerance, &a, exact, s->q, POINTS, s->m, 30,
                     what);
}

static void compare(const struct slab *s, const char *what)
{
    struct sums exact;
    reference(s, &exact);
    compare_with(s, &exact, what);
}

static void boxes(struct slab *s, int64_t x, int64_t y, int64_t z, int levels)
{
    farsum_fmm_options *o = &s->options.fmm;
    o->boxes[0] = x;
    o->boxes[1] = y;
    o->boxes[2] = z;
    o->levels = levels;
}

/* Each tolerance, with chosen boxes and with many. */
static void ladder(void)
{
    for (int axes = 1; axes <= 2; axes++) {
        struct slab s;
        struct sums exact;
        make(&s, axes, axes, 4, axes == 1 ? 20 : 0, 1);
        reference(&s, &exact);
        for (int digits = 2; digits <= 10; digits += full ? 2 : 4) {
            s.problem.tolerance = pow(10, -digits);
            s.problem.sample_x = digits % 3 ? s.x : NULL;
            s.problem.sample_q = digits % 3 ? s.q : NULL;
            boxes(&s, 0, 0, 0, 0);
            compare_with(&s, &exact, "chosen boxes");
            if (digits % 3 == 1)
                boxes(&s, 3, 2, 3, 1);
            else
                boxes(&s, 2, 1, 2, 2);
            compare_with(&s, &exact, "more boxes");
        }
    }
}

/* Each axis, at sources and at separate targets. */
static void axes(void)
{
    for (int k = 0; k < 6; k += full ? 1 : 4) {
        struct slab s;
        make(&s, 1 + k / 3, k % 3, 3, 4, 1e-7);
        s.problem.coulomb = -2.5;
        s.options.verify = k % 3 == 1 ? 0 : -1;
        s.options.fmm.levels = 1 + k % 2;
        s.m = k < 2 ? TARGETS : 0;
        compare(&s, s.m ? "separate targets" : "an axis");
    }
}

static void shapes(void)
{
    static const double thick[] = {0, 0.1, 9};
    for (int k = 0; k < 3; k++)
        for (int n = 1; n <= 2; n++) {
            struct slab s;
            if (n == 1 && thick[k] == 0)
                continue;
            make(&s, n, 2, thick[k], 3, 1e-6);
            compare(&s, thick[k] > 1 ? "thick" : "thin");
        }
}

/* All points are in neighbouring root boxes: the farthest sources that count
 * are their images. */
static void compact(void)
{
    for (int axes = 1; axes <= 2; axes++)
        for (int digits = 5; digits <= 8; digits += 3) {
            struct slab s;
            make(&s, axes, axes, 4, 0, pow(10, -digits));
            for (int i = 0; i < 3 * POINTS; i++)
                s.x[i] *= 0.1;
            compare(&s, "a cluster");
        }
}

static void variants(void)
{
    static const char *const lattices[] = {"plain", "fft"};
    for (int k = 0; k < 6; k += full ? 1 : 2) {
        struct slab s;
        make(&s, 1 + k / 3, 0, 5, 2, 1e-4);
        s.options.fmm.lattice = lattices[k % 3 == 1];
        s.options.fmm.tree = k % 3 == 2 ? "sparse" : "dense";
        compare(&s, s.options.fmm.tree);
    }
}

/* One root box along periodic axes, and many of them: a thick wire, a tall slab
 * and a flat one.  Both lattices. */
static void one_box(void)
{
    for (int k = 0; k < 6; k += full ? 1 : 2) {
        struct slab s;
        struct sums exact;
        make(&s, k % 3 == 0 ? 1 : 2, 2, k % 3 == 1 ? 60 : 5, 2, 1e-7);
        if (k % 3 == 0) /* 3 along the wire */
            for (int i = 0; i < POINTS; i++)
                for (int d = 0; d < 2; d++)
                    s.x[3 * i + d] *= 4;
        reference(&s, &exact);
        if (k % 3 == 1)
            boxes(&s, 1, 1, 9, 1);
        else if (k % 3 == 0)
            boxes(&s, 9, 7, 1, 1);
        else
            boxes(&s, 1, 1, 1, 1);
        for (int fft = 0; fft < 2; fft++) {
            s.options.fmm.lattice = fft ? "fft" : "plain";
            compare_with(&s, &exact, s.options.fmm.lattice);
        }
    }
}

static void precisions(void)
{
    for (int axes = 1; axes <= 2; axes++) {
        struct slab s;
        make(&s, axes, 2, 3, axes == 1 ? 0 : 10, 2e-5);
        s.problem.precision = FARSUM_F32;
        s.problem.arrays = FARSUM_F64;
        compare(&s, "f32");
    }
}

/* Softened pairs within a radius, (3.11). */
static void softened(void)
{
    for (int axes = 1; axes <= 2; axes++) {
        struct slab s;
        make(&s, axes, 0, 4, 3, 1e-6);
        s.problem.softening = 0.4;
        if (axes == 1) {
            struct sums a;
            CHECK_FAILS(sum(&s, &a), FARSUM_ERR_UNSUPPORTED);
            CHECK_SAYS("virial of softened charges");
            s.m = TARGETS;
            s.problem.outputs = FARSUM_POTENTIAL | FARSUM_FIELD;
        }
        compare(&s, "softened");
    }
}

/* Excluded pairs, some of which are far apart. */
static void exclusions(void)
{
    int64_t pairs[2 * 20];
    double factors[20];
    for (int axes = 1; axes <= 2; axes++) {
        struct slab s;
        make(&s, axes, 2, 9, 3, 1e-7);
        for (int k = 0; k < 20; k++) {
            pairs[2 * k] = 3 * k;
            pairs[2 * k + 1] = 3 * k + 1 + 7 * (k % 5);
            factors[k] = k % 3 ? 0 : 0.5;
        }
        s.problem.n_exclusions = 20;
        s.problem.exclusions = pairs;
        s.problem.exclusion_factors = factors;
        compare(&s, "exclusions");
    }
}

/* A plan that gets other cells, points that reach farther, and several
 * right-hand sides. */
static void steps(void)
{
    enum { ROWS = 2 };
    for (int axes = 1; axes <= 2; axes++) {
        struct slab s;
        double q[ROWS * POINTS], phi[ROWS * POINTS], energy[ROWS];
        farsum_plan *plan = NULL;
        farsum_result r = FARSUM_RESULT_INIT;
        make(&s, axes, 1, 2, 2, 1e-8);
        s.problem.outputs = FARSUM_POTENTIAL | FARSUM_ENERGY;
        CHECK_OK(farsum_plan_create(&s.problem, &s.options, &plan));
        for (int step = 0; step < (full ? 3 : 1); step++) {
            for (int k = 0; k < 9; k++)
                s.problem.cell[k] *= 1.01;
            for (int i = 0; i < 3 * POINTS; i++)
                s.x[i] *= 1.3;
            CHECK_OK(farsum_plan_set_cell(plan, s.problem.cell));
            CHECK_OK(farsum_plan_set_points(plan, POINTS, s.x, 0, NULL));
            for (int k = 0; k < ROWS * POINTS; k++)
                q[k] = s.q[k % POINTS] + (k < POINTS ? 0 : sin(k) + 0.1);
            r.potential = phi;
            r.energy = energy;
            CHECK_OK(farsum_plan_execute(plan, ROWS, q, &r));
            for (int k = 0; k < ROWS; k++) {
                struct slab t = s;
                struct sums b;
                memcpy(t.q, q + k * POINTS, sizeof t.q);
                reference(&t, &b);
                double off = geometry_off(phi + k * POINTS, b.potential, NULL,
                                          POINTS, 1);
                CHECK(off < 2e-8, "step %d, row %d: off by %g", step, k, off);
                CHECK_NEAR(energy[k], b.energy, 1e-7 * fabs(b.energy));
            }
        }
        farsum_plan_destroy(plan);
    }
}

/* Charges +-1 at distance 1 in a square layer, and in a row. */
static void crystals(void)
{
    enum { SIDE = 16 };
    for (int axes = 1; axes <= 2; axes++) {
        struct slab s;
        double phi[SIDE * SIDE];
        farsum_result r = FARSUM_RESULT_INIT;
        int n = axes == 1 ? SIDE : SIDE * SIDE;
        double one = axes == 1 ? -2 * log(2) : -1.6155426267128;
        make(&s, axes, 2, 1, 0, 1e-11);
        memset(s.problem.cell, 0, sizeof s.problem.cell);
        for (int d = 0; d < 3; d++)
            s.problem.cell[4 * d] = SIDE;
        for (int i = 0; i < n; i++) {
            s.x[3 * i] = axes == 1 ? 0.3 : i / SIDE;
            s.x[3 * i + 1] = axes == 1 ? -2 : i % SIDE;
            s.x[3 * i + 2] = axes == 1 ? i : 5;
            s.q[i] = (i ^ i / SIDE) & 1 ? -1 : 1;
        }
        s.problem.n_sources = n;
        r.potential = phi;
        s.problem.error = FARSUM_ERROR_POTENTIAL;
        s.problem.outputs = FARSUM_POTENTIAL;
        s.problem.sample_x = s.x;
        s.problem.sample_q = s.q;
        CHECK_OK(geometry_sum(&s.problem, &s.options, n, s.x, s.q, 0, NULL, r,
                              NULL));
        for (int i = 0; i < n; i++)
            CHECK_NEAR(phi[i], s.q[i] * one, 2e-11);
    }
}

static void refused(void)
{
    struct slab s;
    struct sums a;
    slab_make(&s, 2, 3, 0, 1e-5);
    s.options.method = "fmm";
    CHECK_FAILS(sum(&s, &a), FARSUM_ERR_UNSUPPORTED);
    CHECK_SAYS("not at right angles");
    make(&s, 2, 2, 3, 0, 1e-5);
    s.options.strict = 1;
    CHECK_FAILS(sum(&s, &a), FARSUM_ERR_UNSUPPORTED);
    CHECK_SAYS("2 periodic axes");
    make(&s, 1, 2, 3, 0, 1e-5);
    s.problem.kernel = "stokeslet";
    s.problem.outputs = FARSUM_VELOCITY;
    CHECK_FAILS(sum(&s, &a), FARSUM_ERR_UNSUPPORTED);
    CHECK_SAYS("open space only");
    make(&s, 1, 2, 3, 0, 1e-5);
    s.x[0] = 1e300;
    CHECK_FAILS(sum(&s, &a), FARSUM_ERR_POSITION);
}

static int stop(int64_t done, int64_t all, const char *what, void *data)
{
    (void)done, (void)all;
    *(int *)data += strstr(what, "images") != NULL;
    return *(int *)data > 0;
}

/* The caller may stop the sums over images. */
static void stopped(void)
{
    struct slab s;
    struct sums a;
    int seen = 0;
    make(&s, 2, 1, 6, 0, 1e-9);
    boxes(&s, 33, 40, 35, 1); /* no other case has made these */
    s.options.progress = stop;
    s.options.progress_data = &seen;
    CHECK_FAILS(sum(&s, &a), FARSUM_ERR_STATE);
    CHECK_SAYS("stopped");
    CHECK(seen > 0, "the sums over images reported nothing");
}

int main(int argc, char **argv)
{
    full = argc > 1 && strcmp(argv[1], "--full") == 0;
    RUN(ladder);
    RUN(axes);
    if (full)
        RUN(shapes);
    RUN(compact);
    RUN(variants);
    RUN(one_box);
    RUN(stopped);
    RUN(precisions);
    RUN(softened);
    RUN(exclusions);
    RUN(steps);
    RUN(crystals);
    RUN(refused);
    return check_end();
}
