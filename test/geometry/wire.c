/* SPDX-License-Identifier: Apache-2.0 */
/* wire.c: wires by method `spectral` against `ewald` and known numbers. */
#include <string.h>

#include "check.h"
#include "geometry/sums.h"

enum { POINTS = 120, TARGETS = 40 };

struct wire {
    farsum_problem problem;
    farsum_options options;
    double x[3 * POINTS], q[POINTS], y[3 * TARGETS];
    int m;
};

/* Random charges, `net` in all, in a wire whose row `along` is periodic and
 * tilted.  The points lie around 7 and -5 across it, within thick and 1.4
 * thick. */
static void wire_make(struct wire *w, int along, double thick, double net,
                      double tolerance)
{
    uint64_t state = 5;
    int a = (along + 1) % 3, b = (along + 2) % 3;
    double sum = 0;
    *w = (struct wire){.problem = FARSUM_PROBLEM_INIT,
                       .options = FARSUM_OPTIONS_INIT};
    double *cell = w->problem.cell;
    cell[4 * along] = 6;
    cell[3 * along + a] = 1.5;
    cell[3 * along + b] = -0.8;
    cell[4 * a] = 1.3 * thick + 0.1; /* only parts across the wire count */
    cell[3 * a + along] = 0.7;
    cell[4 * b] = 1.8 * thick + 0.1;
    for (int i = 0; i < POINTS + TARGETS; i++) {
        double *x = i < POINTS ? w->x + 3 * i : w->y + 3 * (i - POINTS);
        double s = 3 * geometry_draw(&state); /* in several cells */
        for (int d = 0; d < 3; d++)
            x[d] = s * cell[3 * along + d];
        x[a] += 7 + thick * geometry_draw(&state);
        x[b] += -5 + 1.4 * thick * geometry_draw(&state);
        if (i < POINTS) {
            w->q[i] = 2 * geometry_draw(&state) - 1;
            sum += w->q[i];
        }
    }
    for (int i = 0; i < POINTS; i++)
        w->q[i] += (net - sum) / POINTS;
    w->problem.periodic[along] = 1;
    w->problem.tolerance = tolerance;
    w->problem.precision = FARSUM_F64;
    w->problem.n_sources = POINTS;
    w->problem.outputs =
        FARSUM_POTENTIAL | FARSUM_FIELD | FARSUM_ENERGY | FARSUM_VIRIAL;
    w->options.threads = 1;
    w->options.method = "spectral";
    w->options.verify = -1; /* checked here */
}

static farsum_status wire_sum(const struct wire *w, struct sums *to)
{
    return geometry_sums(&w->problem, &w->options, POINTS, w->x, w->q, w->m,
                         w->y, to);
}

/* The converged sum. */
static void reference(const struct wire *w, struct sums *to)
{
    struct wire t = *w;
    t.options = (farsum_options)FARSUM_OPTIONS_INIT;
    t.options.threads = 1;
    t.options.method = "ewald";
    t.problem.precision = FARSUM_F64;
    t.problem.arrays = FARSUM_F64;
    t.problem.tolerance = 1e-14;
    CHECK_OK(wire_sum(&t, to));
}

static void compare_with(const struct wire *w, const struct sums *exact,
                         const char *what)
{
    struct sums a;
    CHECK_OK(wire_sum(w, &a));
    geometry_compare(w->problem.tolerance, &a, exact, w->q, POINTS, w->m, 12,
                     what);
    if (!(w->problem.kappa > 0) && !w->m)
        CHECK_NEAR(a.virial[0] + a.virial[4] + a.virial[8], a.energy,
                   1e-12 * geometry_size(a.virial, 9));
}

static void compare(const struct wire *w, const char *what)
{
    struct sums exact;
    reference(w, &exact);
    compare_with(w, &exact, what);
}

/* Each tolerance, by the cell's extent and the sample's. */
static void ladder(void)
{
    for (int net = 0; net <= 20; net += 20) {
        struct wire w;
        struct sums exact;
        wire_make(&w, net ? 2 : 0, 3, net, 1);
        reference(&w, &exact);
        for (int digits = 2; digits <= 12; digits++) {
            w.problem.tolerance = pow(10, -digits);
            w.problem.sample_x = w.problem.sample_q = NULL;
            compare_with(&w, &exact, "without a sample");
            w.problem.sample_x = w.x;
            w.problem.sample_q = w.q;
            compare_with(&w, &exact, "with a sample");
        }
    }
}

/* Each axis, at sources and at separate targets, whatever the cutoff. */
static void axes(void)
{
    for (int along = 0; along < 3; along++) {
        struct wire w;
        wire_make(&w, along, 3, 4, 1e-9);
        w.problem.coulomb = -2.5;
        compare(&w, "an axis");
        w.m = TARGETS;
        compare(&w, "separate targets");
        w.m = 0;
        w.options.verify = along == 1 ? 0 : -1;
        w.options.cutoff = 1 + 2 * along;
        compare(&w, "another cutoff");
    }
}

static void screened(void)
{
    static const double kappas[] = {0.05, 0.4, 2};
    for (int k = 0; k < 3; k++) {
        struct wire w;
        wire_make(&w, k, 3, k, k == 1 ? 1e-11 : 1e-6);
        w.problem.kernel = "yukawa";
        w.problem.kappa = kappas[k];
        w.problem.sample_x = w.x;
        w.problem.sample_q = w.q;
        compare(&w, "yukawa");
        w.m = k == 1 ? TARGETS : 0;
        w.problem.sample_x = w.problem.sample_q = NULL;
        compare(&w, "yukawa without a sample");
    }
}

/* The mode 0 of charges that are hardly screened. */
static void weak(void)
{
    for (int digits = 6; digits <= 9; digits += 3) {
        struct wire w;
        struct sums a, b;
        wire_make(&w, 2, 3, 5, 1e-8);
        w.problem.kernel = "yukawa";
        w.problem.kappa = pow(10, -digits);
        w.problem.sample_x = w.x;
        w.problem.sample_q = w.q;
        CHECK_OK(wire_sum(&w, &a));
        reference(&w, &b);
        double off = geometry_off(a.potential, b.potential, NULL, POINTS, 1);
        CHECK(off < 1e-8, "kappa 1e-%d: potentials off by %g", digits, off);
    }
}

static void shapes(void)
{
    struct wire w;
    wire_make(&w, 1, 1e-3, 3, 1e-6);
    compare(&w, "a line");
    wire_make(&w, 1, 40, 3, 1e-4);
    compare(&w, "a thick wire");
}

/* Sums in f32, and with near pairs in f32. */
static void precisions(void)
{
    for (int k = 0; k < 4; k++) {
        struct wire w;
        wire_make(&w, k % 3, 3, k & 2 ? 10 : 0, k & 2 ? 1e-3 : 2e-5);
        w.problem.precision = k & 1 ? FARSUM_F32 : FARSUM_MIXED;
        w.problem.arrays = FARSUM_F64;
        compare(&w, k & 1 ? "f32" : "mixed");
    }
}

/* Excluded pairs, some of which are far apart. */
static void exclusions(void)
{
    int64_t pairs[2 * 20];
    double factors[20];
    struct wire w;
    wire_make(&w, 2, 9, 3, 1e-7);
    for (int k = 0; k < 20; k++) {
        int at = 100;
        for (int j = 101; j < POINTS; j++) /* the farthest */
            at = fabs(w.x[3 * j] - w.x[9 * k]) > fabs(w.x[3 * at] - w.x[9 * k])
                     ? j
                     : at;
        pairs[2 * k] = 3 * k;
        pairs[2 * k + 1] = k % 2 ? at : (3 * k + 50) % POINTS;
        factors[k] = k % 3 ? 0 : 0.5;
    }
    w.problem.n_exclusions = 20;
    w.problem.exclusions = pairs;
    w.problem.exclusion_factors = factors;
    w.problem.sample_x = w.x;
    w.problem.sample_q = w.q;
    compare(&w, "exclusions");
}

/* A plan that gets other cells, and several right-hand sides. */
static void cells(void)
{
    enum { ROWS = 2 };
    struct wire w;
    double q[ROWS * POINTS], phi[ROWS * POINTS], energy[ROWS], virial[9 * ROWS];
    farsum_plan *plan = NULL;
    farsum_result r = FARSUM_RESULT_INIT;
    wire_make(&w, 0, 3, 2, 1e-9);
    CHECK_OK(farsum_plan_create(&w.problem, &w.options, &plan));
    for (int step = 0; step < 2; step++) {
        for (int k = 0; k < 9; k++)
            w.problem.cell[k] *= k < 3 ? 0.999 : 1 + step;
        w.problem.cell[1] += 0.02;
        CHECK_OK(farsum_plan_set_cell(plan, w.problem.cell));
        CHECK_OK(farsum_plan_set_points(plan, POINTS, w.x, 0, NULL));
        for (int k = 0; k < ROWS * POINTS; k++)
            q[k] = w.q[k % POINTS] + (k < POINTS ? 0 : sin(k) + 0.1);
        r.potential = phi;
        r.energy = energy;
        r.virial = virial;
        CHECK_OK(farsum_plan_execute(plan, ROWS, q, &r));
        for (int k = 0; k < ROWS; k++) {
            struct wire t = w;
            struct sums b;
            memcpy(t.q, q + k * POINTS, sizeof t.q);
            reference(&t, &b);
            double off =
                geometry_off(phi + k * POINTS, b.potential, NULL, POINTS, 1);
            CHECK(off < 2e-9, "step %d, row %d: off by %g", step, k, off);
            CHECK_NEAR(energy[k], b.energy, 1e-8 * fabs(b.energy));
            for (int d = 0; d < 9; d++)
                CHECK_NEAR(virial[9 * k + d], b.virial[d],
                           1e-7 * geometry_size(b.virial, 9));
        }
    }
    farsum_plan_destroy(plan);
}

/* Ones in a row at distance L, in units of the period 20 L: their potential is
 * 2 (gamma_E - ln 2)/L and, of the gauge, 2 ln(20)/L more. */
static void row(void)
{
    enum { LONG = 20 };
    struct wire w;
    double phi[LONG];
    farsum_plan *plan = NULL;
    farsum_result r = FARSUM_RESULT_INIT;
    wire_make(&w, 1, 1, 0, 1e-12);
    memset(w.problem.cell, 0, sizeof w.problem.cell);
    w.problem.cell[4] = 0.5 * LONG;
    for (int i = 0; i < LONG; i++) {
        w.x[3 * i] = w.x[3 * i + 2] = 3;
        w.x[3 * i + 1] = 0.5 * i;
        w.q[i] = 1;
    }
    w.problem.n_sources = LONG;
    w.problem.error = FARSUM_ERROR_POTENTIAL;
    w.problem.outputs = FARSUM_POTENTIAL;
    w.problem.sample_x = w.x;
    w.problem.sample_q = w.q;
    r.potential = phi;
    CHECK_OK(farsum_plan_create(&w.problem, &w.options, &plan));
    CHECK_OK(farsum_plan_set_points(plan, LONG, w.x, 0, NULL));
    CHECK_OK(farsum_plan_execute(plan, 1, w.q, &r));
    double one = 2 * (0.57721566490153286 - log(2) + log(LONG)) / 0.5;
    for (int i = 0; i < LONG; i++)
        CHECK_NEAR(phi[i], one, 1e-12 * one);
    farsum_plan_destroy(plan);
}

/* The forces in a row of ones vanish.  Their norm is the force of two of them,
 * whatever the cell's open rows. */
static void norm(void)
{
    enum { LONG = 20 };
    for (int open = 0; open < 3; open++) {
        struct wire w;
        double field[3 * LONG];
        farsum_plan *plan = NULL;
        farsum_plan_info info = FARSUM_PLAN_INFO_INIT;
        farsum_result r = FARSUM_RESULT_INIT;
        wire_make(&w, 1, 1, 0, 1e-6);
        memset(w.problem.cell, 0, sizeof w.problem.cell);
        w.problem.cell[4] = 0.5 * LONG;
        w.problem.cell[0] = open;
        w.problem.cell[8] = 7 * open;
        for (int i = 0; i < LONG; i++) {
            w.x[3 * i] = w.x[3 * i + 2] = 3;
            w.x[3 * i + 1] = 0.5 * i;
            w.q[i] = 1;
        }
        w.problem.n_sources = LONG;
        w.problem.outputs = FARSUM_FIELD;
        w.problem.sample_x = w.x;
        w.problem.sample_q = w.q;
        r.field = field;
        CHECK_OK(farsum_plan_create(&w.problem, &w.options, &plan));
        CHECK_OK(farsum_plan_set_points(plan, LONG, w.x, 0, NULL));
        CHECK_OK(farsum_plan_execute(plan, 1, w.q, &r));
        CHECK_OK(farsum_plan_get_info(plan, &info));
        CHECK_NEAR(info.norm, 4, 1e-9);
        farsum_plan_destroy(plan);
    }
}

static void refused(void)
{
    struct wire w;
    struct sums a;
    farsum_plan *plan = NULL;
    wire_make(&w, 2, 3, 0, 1e-5);
    w.problem.kernel = "r6";
    CHECK_FAILS(wire_sum(&w, &a), FARSUM_ERR_UNSUPPORTED);
    CHECK_SAYS("kernel r6");
    wire_make(&w, 2, 3, 0, 1e-5);
    CHECK_OK(farsum_plan_create(&w.problem, &w.options, &plan));
    w.x[1] += 5e6;
    CHECK_FAILS(farsum_plan_set_points(plan, POINTS, w.x, 0, NULL),
                FARSUM_ERR_POSITION);
    CHECK_SAYS("open axis b");
    w.x[1] -= 5e6;
    CHECK_OK(farsum_plan_set_points(plan, POINTS, w.x, 0, NULL));
    farsum_plan_destroy(plan);
}

int main(void)
{
    RUN(ladder);
    RUN(axes);
    RUN(screened);
    RUN(weak);
    RUN(shapes);
    RUN(precisions);
    RUN(exclusions);
    RUN(cells);
    RUN(row);
    RUN(norm);
    RUN(refused);
    return check_end();
}
