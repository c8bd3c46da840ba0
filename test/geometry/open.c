/* SPDX-License-Identifier: Apache-2.0 */
/* open.c: open space by method `spectral` against `direct`. */
#include <string.h>

#include "base/mem.h"
#include "check.h"
#include "geometry/sums.h"

enum { POINTS = 300, TARGETS = 40 };

struct open {
    farsum_problem problem;
    farsum_options options;
    double x[3 * POINTS], q[POINTS], y[3 * TARGETS];
    int m;
};

/* Charges, `net` in all, in a brick of edges 20, 16 and 12 times `scale`. */
static void open_make(struct open *o, double kappa, double scale, double net,
                      double tolerance)
{
    uint64_t state = 5;
    double sum = 0;
    *o = (struct open){.problem = FARSUM_PROBLEM_INIT,
                       .options = FARSUM_OPTIONS_INIT};
    for (int i = 0; i < POINTS + TARGETS; i++) {
        double *x = i < POINTS ? o->x + 3 * i : o->y + 3 * (i - POINTS);
        for (int d = 0; d < 3; d++)
            x[d] = scale * ((20 - 4 * d) * geometry_draw(&state) + 30 * d);
        if (i < POINTS) {
            o->q[i] = 2 * geometry_draw(&state) - 1;
            sum += o->q[i];
        }
    }
    for (int i = 0; i < POINTS; i++)
        o->q[i] += (net - sum) / POINTS;
    o->problem.kernel = kappa > 0 ? "yukawa" : "laplace";
    o->problem.kappa = kappa / scale;
    o->problem.tolerance = tolerance;
    o->problem.precision = FARSUM_F64;
    o->problem.n_sources = POINTS;
    o->problem.outputs =
        FARSUM_POTENTIAL | FARSUM_FIELD | FARSUM_ENERGY | FARSUM_VIRIAL;
    o->options.threads = 1;
    o->options.method = "spectral";
    o->options.verify = -1; /* checked here */
}

static farsum_status open_sum(const struct open *o, struct sums *to)
{
    struct open at = *o;
    at.problem.sample_x = o->x;
    at.problem.sample_q = o->q;
    return geometry_sums(&at.problem, &o->options, POINTS, o->x, o->q, o->m,
                         o->y, to);
}

static void compare(const struct open *o, const char *what)
{
    struct open t = *o;
    struct sums a, b;
    t.options.method = "direct";
    t.problem.tolerance = 1e-14;
    CHECK_OK(open_sum(o, &a));
    CHECK_OK(open_sum(&t, &b));
    geometry_compare(o->problem.tolerance, &a, &b, o->q, POINTS, o->m, 60,
                     what);
}

static void ladder(void)
{
    for (int digits = 2; digits <= 12; digits++) {
        struct open o;
        open_make(&o, 0, 1, digits % 3, pow(10, -digits));
        compare(&o, "laplace");
        open_make(&o, digits % 2 ? 0.05 : 0.6, 1e-3, digits % 3,
                  pow(10, -digits));
        compare(&o, "yukawa");
        o.m = digits % 4 ? 0 : TARGETS;
        if (o.m)
            compare(&o, "separate targets");
    }
}

/* The check by a second sum, and another norm. */
static void checked(void)
{
    struct open o;
    open_make(&o, 0.3, 1, 0, 1e-6);
    o.options.verify = 0;
    compare(&o, "checked");
    o.problem.error = FARSUM_ERROR_POTENTIAL;
    compare(&o, "potentials");
}

/* auto selects spectral where direct takes longer. */
static void choice(void)
{
    struct open o;
    static double x[3 * 4000], q[4000];
    uint64_t state = 3;
    farsum_plan_info info = FARSUM_PLAN_INFO_INIT;
    farsum_plan *plan = NULL;
    open_make(&o, 0.3, 1, 0, 1e-4);
    for (int k = 0; k < 12000; k++)
        x[k] = 20 * geometry_draw(&state);
    for (int i = 0; i < 4000; i++)
        q[i] = i % 2 ? 1 : -1;
    o.options.method = NULL;
    o.problem.sample_x = x;
    o.problem.sample_q = q;
    for (int many = 0; many < 2; many++) {
        o.problem.n_sources = many ? 4000 : 20;
        CHECK_OK(farsum_plan_create(&o.problem, &o.options, &plan));
        CHECK_OK(farsum_plan_get_info(plan, &info));
        CHECK(strcmp(info.method, many ? "spectral" : "direct") == 0,
              "%d points by %s", many ? 4000 : 20, info.method);
        farsum_plan_destroy(plan);
    }
}

static void exclusions(void)
{
    int64_t pairs[2 * 20];
    struct open o;
    open_make(&o, 0.3, 1, 0, 1e-7);
    for (int k = 0; k < 20; k++) {
        pairs[2 * k] = 3 * k;
        pairs[2 * k + 1] = 3 * k + 60;
    }
    o.problem.n_exclusions = 20;
    o.problem.exclusions = pairs;
    compare(&o, "exclusions");
    o.problem.kernel = "laplace";
    o.problem.kappa = 0;
    compare(&o, "exclusions");
}

/* Points that spread beyond the cell. */
static void growth(void)
{
    struct open o;
    struct sums b;
    double phi[POINTS];
    farsum_plan *plan = NULL;
    farsum_result r = FARSUM_RESULT_INIT;
    open_make(&o, 0.2, 1, 1, 1e-8);
    o.problem.sample_x = o.x;
    o.problem.sample_q = o.q;
    CHECK_OK(farsum_plan_create(&o.problem, &o.options, &plan));
    r.potential = phi;
    for (int step = 0; step < 3; step++) {
        for (int k = 0; k < 3 * POINTS; k++)
            o.x[k] *= k % 3 == step ? 1.5 : 1.02;
        struct open t = o;
        t.options.method = "direct";
        CHECK_OK(open_sum(&t, &b));
        for (int k = 1; step == 0 && k < 200; k++) {
            mem_fail_at(k);
            farsum_status status =
                farsum_plan_set_points(plan, POINTS, o.x, 0, NULL);
            mem_fail_at(0);
            if (status == FARSUM_OK)
                break;
            CHECK(status == FARSUM_ERR_MEMORY, "allocation %d: status %d", k,
                  (int)status);
        }
        CHECK_OK(farsum_plan_set_points(plan, POINTS, o.x, 0, NULL));
        CHECK_OK(farsum_plan_execute(plan, 1, o.q, &r));
        double off = geometry_off(phi, b.potential, NULL, POINTS, 1);
        CHECK(off < 1e-8, "step %d: off by %g", step, off);
    }
    o.x[7] = 5e6;
    CHECK_FAILS(farsum_plan_set_points(plan, POINTS, o.x, 0, NULL),
                FARSUM_ERR_POSITION);
    CHECK_SAYS("open axis b");
    farsum_plan_destroy(plan);
}

/* Strong charges at opposite corners, which move apart without making the mesh
 * larger, or with it. */
static void corners(void)
{
    for (int step = 0; step < 8; step++) {
        struct open o;
        struct sums a, b;
        farsum_plan *plan = NULL;
        farsum_result r = FARSUM_RESULT_INIT;
        open_make(&o, 0, 1, 0, 1e-6);
        o.options.verify = 0;
        for (int k = 0; k < 12; k++)
            o.x[k] = k % 3 * 30 + (k / 3 >> k % 3 & 1) * (20 - 4 * (k % 3));
        for (int i = 0; i < 4; i++)
            o.q[i] = i % 2 ? -100 : 100;
        o.problem.sample_x = o.x;
        o.problem.sample_q = o.q;
        CHECK_OK(farsum_plan_create(&o.problem, &o.options, &plan));
        for (int k = 0; k < 3 * POINTS; k++)
            o.x[k] *= 1.06 + 0.04 * step;
        r.potential = a.potential;
        r.field = a.field;
        r.energy = &a.energy;
        r.virial = a.virial;
        CHECK_OK(farsum_plan_set_points(plan, POINTS, o.x, 0, NULL));
        CHECK_OK(farsum_plan_execute(plan, 1, o.q, &r));
        farsum_plan_destroy(plan);
        o.options.method = "direct";
        CHECK_OK(open_sum(&o, &b));
        double off = geometry_off(a.field, b.field, o.q, POINTS, 3);
        CHECK(off < 3e-6, "step %d: forces off by %g", step, off);
    }
}

/* The mode 0 of charges that are hardly screened. */
static void weak(void)
{
    for (int digits = 5; digits <= 9; digits++) {
        struct open o;
        struct sums a, b;
        open_make(&o, pow(10, -digits), 1, 3, 1e-8);
        CHECK_OK(open_sum(&o, &a));
        o.options.method = "direct";
        CHECK_OK(open_sum(&o, &b));
        double off = geometry_off(a.potential, b.potential, NULL, POINTS, 1);
        CHECK(off < 1e-8, "kappa 1e-%d: potentials off by %g", digits, off);
    }
}

static void refused(void)
{
    struct open o;
    farsum_plan *plan = NULL;
    open_make(&o, 0.2, 1, 1, 1e-5);
    CHECK_FAILS(farsum_plan_create(&o.problem, &o.options, &plan),
                FARSUM_ERR_UNSUPPORTED);
    CHECK_SAYS("sample");
    o.problem.kernel = "r6";
    o.problem.kappa = 0;
    CHECK_FAILS(farsum_plan_create(&o.problem, &o.options, &plan),
                FARSUM_ERR_UNSUPPORTED);
    CHECK_SAYS("kernel r6");
}

int main(void)
{
    RUN(ladder);
    RUN(checked);
    RUN(choice);
    RUN(exclusions);
    RUN(growth);
    RUN(corners);
    RUN(weak);
    RUN(refused);
    return check_end();
}
