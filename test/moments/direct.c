/* SPDX-License-Identifier: Apache-2.0 */
/* direct.c: tests of charges with dipoles in open space. */
#include "sums.h"

#include <string.h>

static struct sums_case open_case(int n)
{
    struct sums_case c = {.problem = FARSUM_PROBLEM_INIT, .method = "direct"};
    sums_random(&c, n, 3, 1);
    return c;
}

/* Without dipoles: the sums of laplace. */
static void test_charges(void)
{
    struct sums_case c = open_case(30);
    sums_charges_only(&c, 1e-14);
}

static void test_pairs(void)
{
    struct sums_case c = open_case(12);
    c.m = 3;
    for (int k = 0; k < 9; k++)
        c.y[k] = 4 + 0.1 * k;
    double wide = sums_pairs_differ(&c, 0.02);
    double close = sums_pairs_differ(&c, 0.01);
    CHECK(close < 1e-4 && fabs(wide / close - 4) < 0.05,
          "pairs of charges differ by %g and %g", wide, close);
}

static void test_derivatives(void)
{
    struct sums_case c = open_case(14);
    for (int soft = 0; soft < 2; soft++) {
        c.problem.softening = 0.3 * soft;
        check_forces(&c, 1e-7);
        check_torques(&c, 1e-7);
        check_virial(&c, 1e-7);
        check_gradient(&c, 2e-8);
    }
}

/* The gradient's trace is 0 away from charges, on sources too. */
static void test_trace(void)
{
    struct sums_case c = open_case(40);
    struct sums_answer a;
    for (int m = 0; m <= 20; m += 20) {
        c.m = m;
        for (int k = 0; k < 3 * m; k++)
            c.y[k] = 0.15 * (k % 23);
        sums_get(&c, &a);
        for (int i = 0; i < (m ? m : c.n); i++) {
            const double *g = a.gradient + 6 * i;
            double size = fabs(g[0]) + fabs(g[3]) + fabs(g[5]);
            CHECK(fabs(g[0] + g[3] + g[5]) <= 1e-12 * size,
                  "%d of %d: trace %g of %g", i, m, g[0] + g[3] + g[5], size);
        }
    }
}

/* A pair with a factor counts so much: without it less the share of a sum of
 * these two alone. */
static void test_exclusions(void)
{
    static const int64_t pairs[4] = {0, 3, 5, 2};
    static const double factors[2] = {0, 0.25};
    struct sums_case c = open_case(16), two;
    struct sums_answer a, b, one;
    for (int soft = 0; soft < 2; soft++) {
        c.problem.softening = 0.2 * soft;
        c.problem.n_exclusions = 0;
        sums_get(&c, &b);
        for (int k = 0; k < 2; k++) {
            two = c;
            two.n = 2;
            for (int i = 0; i < 2; i++) {
                int64_t from = pairs[2 * k + i];
                memcpy(two.x + 3 * i, c.x + 3 * from, 3 * sizeof *c.x);
                memcpy(two.q + 4 * i, c.q + 4 * from, 4 * sizeof *c.q);
            }
            sums_get(&two, &one);
            sums_less(&b, &one, pairs + 2 * k, 1 - factors[k]);
        }
        c.problem.n_exclusions = 2;
        c.problem.exclusions = pairs;
        c.problem.exclusion_factors = factors;
        sums_get(&c, &a);
        sums_same(&c, &a, &b, 1e-13, "exclusions");
    }
    check_forces(&c, 1e-7);
    check_virial(&c, 1e-7);
}

/* Coincident sources skip each other; a target on a source skips it. */
static void test_coincident(void)
{
    struct sums_case c = open_case(20), less;
    struct sums_answer a, b;
    memcpy(c.x + 3, c.x, 3 * sizeof *c.x);
    CHECK_FAILS(sums_try(&c, &a), FARSUM_ERR_COINCIDENT);
    c.problem.exclude_coincident = 1;
    sums_get(&c, &a);
    less = c;
    memset(less.q + 4, 0, 4 * sizeof *c.q);
    sums_get(&less, &b);
    CHECK_NEAR(a.potential[0], b.potential[0], 1e-13 * fabs(b.potential[0]));
    sums_equal(a.gradient, b.gradient, 6, 1e-13, "gradient at coincident");
    c = open_case(20);
    sums_get(&c, &b);
    c.m = c.n;
    memcpy(c.y, c.x, sizeof c.y);
    sums_get(&c, &a);
    sums_same(&c, &a, &b, 0, "targets on sources");
}

/* The unit of lengths scales potentials, fields and gradients by powers, also
 * far from 1; dipoles scale as charge times length. */
static void test_units(void)
{
    static const int lengths[] = {1, -40, 200, -250};
    static const int charges[] = {3, 70, 100, -200};
    const struct sums_case c = open_case(20);
    struct sums_answer a, b;
    sums_get(&c, &b);
    for (int k = 0; k < 4; k++) {
        struct sums_case other = c;
        int l = lengths[k], q = charges[k];
        for (int i = 0; i < 3 * c.n; i++)
            other.x[i] = ldexp(c.x[i], l);
        for (int i = 0; i < 4 * c.n; i++)
            other.q[i] = ldexp(c.q[i], q + (i % 4 ? l : 0));
        sums_get(&other, &a);
        for (int i = 0; i < c.n; i++)
            a.potential[i] = ldexp(a.potential[i], l - q);
        for (int i = 0; i < 3 * c.n; i++)
            a.field[i] = ldexp(a.field[i], 2 * l - q);
        for (int i = 0; i < 6 * c.n; i++)
            a.gradient[i] = ldexp(a.gradient[i], 3 * l - q);
        a.energy = ldexp(a.energy, l - 2 * q);
        for (int i = 0; i < 9; i++)
            a.virial[i] = ldexp(a.virial[i], l - 2 * q);
        sums_same(&c, &a, &b, 0, "other units");
    }
}

/* f32 arrays, with two right-hand sides in one call. */
static void test_arrays(void)
{
    enum { N = 10, R = 2 };
    struct sums_case c = open_case(N);
    struct sums_answer want;
    float x[3 * N], q[R][4 * N], phi[R * N], e[R * 3 * N], g[R * 6 * N];
    double energy[R], virial[R * 9];
    farsum_result r = FARSUM_RESULT_INIT;
    farsum_plan *plan = NULL;
    c.problem.kernel = "charge_dipole";
    c.problem.precision = FARSUM_F32;
    c.problem.n_sources = N;
    c.problem.outputs = FARSUM_POTENTIAL | FARSUM_FIELD | FARSUM_GRADIENT
                        | FARSUM_ENERGY | FARSUM_VIRIAL;
    for (int i = 0; i < 3 * N; i++) { /* numbers that f32 has */
        c.x[i] = floor(1024 * c.x[i]) / 1024;
        x[i] = (float)c.x[i];
    }
    for (int i = 0; i < 4 * N; i++) {
        c.q[i] = floor(1024 * c.q[i]) / 1024;
        q[1][i] = (float)c.q[i];
        q[0][i] = -2 * q[1][i];
    }
    r.potential = phi;
    r.field = e;
    r.gradient = g;
    r.energy = energy;
    r.virial = virial;
    CHECK_OK(farsum_plan_create(&c.problem, NULL, &plan));
    CHECK_OK(farsum_plan_set_points(plan, N, x, 0, NULL));
    CHECK_OK(farsum_plan_execute(plan, R, q, &r));
    farsum_plan_destroy(plan);
    c.problem.precision = FARSUM_F64;
    sums_get(&c, &want);
    for (int k = 0; k < R; k++) {
        double by = k ? 1 : -2;
        CHECK_NEAR(energy[k], by * by * want.energy, 1e-13);
        for (int i = 0; i < N; i++)
            CHECK_NEAR(phi[k * N + i], by * want.potential[i], 1e-5);
        for (int i = 0; i < 6 * N; i++)
            CHECK_NEAR(g[6 * k * N + i], by * want.gradient[i],
                       1e-6 * fabs(by * want.gradient[i]) + 1e-5);
        for (int i = 0; i < 9; i++)
            CHECK_NEAR(virial[9 * k + i], by * by * want.virial[i], 1e-12);
    }
}

/* A caller with the result of an older header has no gradient. */
static void test_older(void)
{
    struct sums_case c = open_case(5);
    double e[15], phi[5];
    farsum_plan *plan = NULL;
    farsum_result r = FARSUM_RESULT_INIT;
    r.size = offsetof(farsum_result, gradient);
    r.potential = phi;
    r.field = e;
    r.gradient = e; /* beyond what this caller knows: not read */
    c.problem.kernel = "charge_dipole";
    c.problem.n_sources = 5;
    CHECK_OK(farsum_plan_create(&c.problem, NULL, &plan));
    CHECK_OK(farsum_plan_set_points(plan, 5, c.x, 0, NULL));
    CHECK_OK(farsum_plan_execute(plan, 1, c.q, &r));
    r.size = sizeof r;
    r.gradient = NULL;
    CHECK_OK(farsum_plan_execute(plan, 1, c.q, &r));
    r.gradient = e;
    CHECK_FAILS(farsum_plan_execute(plan, 1, c.q, &r), FARSUM_ERR_ARGUMENT);
    CHECK_SAYS("gradient is not among the problem's outputs");
    farsum_plan_destroy(plan);
}

static void refused(const farsum_problem *p, const char *method, int strict,
                    farsum_status wanted, const char *says)
{
    farsum_options o = FARSUM_OPTIONS_INIT;
    farsum_plan *plan = NULL;
    o.method = method;
    o.strict = strict;
    CHECK_FAILS(farsum_plan_create(p, &o, &plan), wanted);
    CHECK_SAYS(says);
    farsum_plan_destroy(plan);
}

static void test_refused(void)
{
    farsum_problem p = open_case(5).problem;
    p.n_sources = 5;
    p.outputs = FARSUM_GRADIENT;
    refused(&p, NULL, 0, FARSUM_ERR_ARGUMENT, "charge_dipole has a gradient");
    p.kernel = "charge_dipole";
    refused(&p, "fmm", 1, FARSUM_ERR_UNSUPPORTED, "no error bound (strict)");
    refused(&p, "direct", 1, FARSUM_ERR_UNSUPPORTED, "leave out strict");
    p.outputs = FARSUM_VELOCITY;
    refused(&p, NULL, 0, FARSUM_ERR_ARGUMENT, "no velocity");
    p.outputs = 0;
    p.kappa = 1;
    refused(&p, NULL, 0, FARSUM_ERR_ARGUMENT, "kappa");
}

int main(void)
{
    RUN(test_charges);
    RUN(test_pairs);
    RUN(test_derivatives);
    RUN(test_trace);
    RUN(test_exclusions);
    RUN(test_coincident);
    RUN(test_units);
    RUN(test_arrays);
    RUN(test_older);
    RUN(test_refused);
    return check_end();
}
