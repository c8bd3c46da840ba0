/* SPDX-License-Identifier: Apache-2.0 */
/* spectral.c: charges with dipoles by the method spectral, against ewald. */
#include "sums.h"

#include <string.h>

#define PI 3.14159265358979323846

static void test_tolerances(void)
{
    for (int seed = 1; seed <= 3; seed++)
        for (int k = 0; k < 4; k++) {
            int cube = k & 1, sample = k & 2;
            struct sums_case c = {.m = 0};
            struct sums_answer a, b;
            sums_tilted(&c);
            for (int d = 0; d < 9 && cube; d++)
                c.problem.cell[d] = d % 4 ? 0 : 2;
            sums_apart(&c, seed + 3 * cube);
            sums_get(&c, &b);
            c.method = "spectral";
            c.problem.sample_x = sample ? c.x : NULL;
            c.problem.sample_q = sample ? c.q : NULL;
            for (double t = 1e-2; t > (sample ? 3e-12 : 3e-11); t /= 10) {
                c.problem.tolerance = t;
                sums_get(&c, &a);
                double error =
                sums_forces(&c, &a, &b) / sums_forces(&c, &b, NULL);
                CHECK(error <= t, "tolerance %g: the error is %g", t, error);
            }
        }
}

/* The sums of ewald: without and with vacuum, net charge, targets. */
static void test_sums(void)
{
    for (int k = 0; k < 8; k++) {
        struct sums_case c = {.m = 0};
        struct sums_answer a, b;
        sums_tilted(&c);
        sums_apart(&c, 4 + k); /* odd: a net charge */
        c.problem.surface = k & 2 ? FARSUM_VACUUM : FARSUM_TINFOIL;
        c.m = k & 4 ? 12 : 0;
        for (int i = 0; i < 3 * c.m; i++)
            c.y[i] = 0.17 * (i % 19);
        sums_get(&c, &b);
        c.method = "spectral";
        c.problem.tolerance = 5e-11;
        sums_get(&c, &a);
        sums_within(&c, &a, &b, c.problem.tolerance, "spectral");
    }
}

/* Force, torque, virial and gradient are derivatives of energy and field. */
static void test_derivatives(void)
{
    struct sums_case c = {.m = 0};
    sums_tilted(&c);
    sums_random(&c, 10, 0, 1);
    c.method = "spectral";
    c.problem.tolerance = 5e-11;
    for (int vacuum = 0; vacuum < 2; vacuum++) {
        c.problem.surface = vacuum ? FARSUM_VACUUM : FARSUM_TINFOIL;
        check_forces(&c, 1e-7);
        check_torques(&c, 1e-7);
        check_virial(&c, 1e-7);
        check_gradient(&c, 1e-7);
    }
}

/* The background's density is -Q/V everywhere between the charges. */
static void test_trace(void)
{
    for (int net = 0; net < 2; net++) {
        struct sums_case c = {.m = 0};
        struct sums_answer a;
        sums_tilted(&c);
        sums_apart(&c, 6 + net);
        c.method = "spectral";
        c.problem.tolerance = 5e-11;
        sums_get(&c, &a);
        double limit = 0; /* three values, as in sums_within() */
        for (int i = 0; i < 6 * c.n; i++)
            limit = fmax(limit, 3 * c.problem.tolerance * fabs(a.gradient[i]));
        for (int i = 0; i < c.n; i++) {
            const double *g = a.gradient + 6 * i;
            double trace = g[0] + g[3] + g[5];
            CHECK_NEAR(trace, 4 * PI * net / sums_volume(&c), limit);
        }
    }
}

/* Excluded pairs with factors, and coincident sources. */
static void test_exclusions(void)
{
    static const int64_t pairs[6] = {0, 7, 9, 4, 1, 2};
    static const double factors[3] = {0.5, 0, 0.25};
    struct sums_case c = {.m = 0};
    struct sums_answer a, b;
    sums_tilted(&c);
    sums_apart(&c, 5);
    for (int d = 0; d < 3; d++) /* near each other through a face */
        c.x[21 + d] = c.x[d] + 0.1 * (d + 1) - c.problem.cell[d];
    c.problem.n_exclusions = 3;
    c.problem.exclusions = pairs;
    c.problem.exclusion_factors = factors;
    sums_get(&c, &b);
    c.method = "spectral";
    c.problem.tolerance = 1e-10;
    sums_get(&c, &a);
    sums_within(&c, &a, &b, c.problem.tolerance, "exclusions");
    c.problem.n_exclusions = 0;
    memcpy(c.x + 3, c.x, 3 * sizeof *c.x);
    CHECK_FAILS(sums_try(&c, &a), FARSUM_ERR_COINCIDENT);
    c.problem.exclude_coincident = 1;
    sums_get(&c, &a);
    c.method = "ewald";
    sums_get(&c, &b);
    sums_within(&c, &a, &b, c.problem.tolerance, "coincident sources");
}

/* f32 and mixed: near pairs, or everything, in f32. */
static void test_narrow(void)
{
    static const farsum_precision types[] = {FARSUM_F32, FARSUM_MIXED};
    for (int k = 0; k < 2; k++)
        for (double t = 1e-2; t > (k ? 9e-7 : 9e-6); t /= 10) {
            struct sums_case c = {.m = 0};
            struct sums_answer a, b;
            sums_tilted(&c);
            sums_apart(&c, 8);
            sums_get(&c, &b);
            c.method = "spectral";
            c.problem.precision = types[k];
            c.problem.arrays = FARSUM_F64;
            c.problem.tolerance = t;
            sums_get(&c, &a);
            double error =
                sums_forces(&c, &a, &b) / sums_forces(&c, &b, NULL);
            CHECK(error <= t, "tolerance %g: the error is %g", t, error);
        }
}

/* Two sets of strengths in one call; a plan with a sample, in another cell. */
static void test_strengths(void)
{
    enum { N = 30 };
    struct sums_case c = {.m = 0}, other;
    struct sums_answer b;
    static double q[8 * N], phi[2 * N], field[6 * N], gradient[12 * N];
    double energy[2], virial[18];
    farsum_options o = FARSUM_OPTIONS_INIT;
    farsum_result r = FARSUM_RESULT_INIT;
    farsum_plan *plan = NULL;
    sums_tilted(&c);
    sums_random(&c, N, 0, 1);
    other = c;
    for (int k = 0; k < 9; k++)
        other.problem.cell[k] *= 1.005;
    memcpy(q, c.q, 4 * N * sizeof *q);
    for (int i = 0; i < 4 * N; i++)
        q[4 * N + i] = 3 * c.q[4 * N - 1 - i];
    c.problem.kernel = "charge_dipole";
    c.problem.tolerance = 1e-10;
    c.problem.n_sources = N;
    c.problem.sample_x = c.x;
    c.problem.sample_q = c.q;
    c.problem.outputs = FARSUM_POTENTIAL | FARSUM_FIELD | FARSUM_GRADIENT
                        | FARSUM_ENERGY | FARSUM_VIRIAL;
    o.method = "spectral";
    r.potential = phi;
    r.field = field;
    r.gradient = gradient;
    r.energy = energy;
    r.virial = virial;
    CHECK_OK(farsum_plan_create(&c.problem, &o, &plan));
    CHECK_OK(farsum_plan_set_cell(plan, other.problem.cell));
    CHECK_OK(farsum_plan_set_points(plan, N, c.x, 0, NULL));
    CHECK_OK(farsum_plan_execute(plan, 2, q, &r));
    farsum_plan_destroy(plan);
    for (int k = 0; k < 2; k++) {
        struct sums_answer a = {.energy = energy[k]};
        memcpy(other.q, q + 4 * N * k, 4 * N * sizeof *q);
        memcpy(a.potential, phi + N * k, N * sizeof *phi);
        memcpy(a.field, field + 3 * N * k, 3 * N * sizeof *field);
        memcpy(a.gradient, gradient + 6 * N * k, 6 * N * sizeof *gradient);
        memcpy(a.virial, virial + 9 * k, 9 * sizeof *virial);
        sums_get(&other, &b);
        sums_within(&other, &a, &b, c.problem.tolerance, "strengths");
    }
}

/* Lists that are kept while particles move. */
static void test_skin(void)
{
    struct sums_case c = {.m = 0};
    struct sums_answer a = {.energy = 0}, b;
    farsum_options o = FARSUM_OPTIONS_INIT;
    farsum_result r = FARSUM_RESULT_INIT;
    farsum_plan_info info = FARSUM_PLAN_INFO_INIT;
    farsum_plan *plan = NULL;
    sums_tilted(&c);
    sums_apart(&c, 9);
    c.problem.kernel = "charge_dipole";
    c.problem.tolerance = 1e-10;
    c.problem.n_sources = c.n;
    c.problem.outputs = FARSUM_POTENTIAL | FARSUM_FIELD | FARSUM_GRADIENT
                        | FARSUM_ENERGY | FARSUM_VIRIAL;
    o.method = "spectral";
    o.spectral.near = "host_cluster";
    o.spectral.skin = 0.1;
    r.potential = a.potential;
    r.field = a.field;
    r.gradient = a.gradient;
    r.energy = &a.energy;
    r.virial = a.virial;
    CHECK_OK(farsum_plan_create(&c.problem, &o, &plan));
    for (int step = 0; step < 3; step++) {
        CHECK_OK(farsum_plan_set_points(plan, c.n, c.x, 0, NULL));
        CHECK_OK(farsum_plan_execute(plan, 1, c.q, &r));
        sums_get(&c, &b);
        sums_within(&c, &a, &b, c.problem.tolerance, "skin");
        for (int i = 0; i < 3 * c.n; i++)
            c.x[i] += 0.005 * (i % 5 - 2);
    }
    CHECK_OK(farsum_plan_get_info(plan, &info));
    farsum_plan_destroy(plan);
    CHECK(info.lists_made == 1 && info.lists_kept == 2,
          "lists made %lld times, kept %lld times", (long long)info.lists_made,
          (long long)info.lists_kept);
}

int main(void)
{
    RUN(test_tolerances);
    RUN(test_sums);
    RUN(test_derivatives);
    RUN(test_trace);
    RUN(test_exclusions);
    RUN(test_narrow);
    RUN(test_strengths);
    RUN(test_skin);
    return check_end();
}
