/* SPDX-License-Identifier: Apache-2.0 */
/* screened.c: screened charges with dipoles, by `direct` in open space, and in
 * periodic cells by `ewald`, and by `spectral` against it. */
#include "sums.h"

#include <string.h>

#define KAPPA 1.3

/* axes: 0 or 3.  net: 1: with a net charge. */
static struct sums_case screened(int axes, int n, double kappa, int net)
{
    struct sums_case c = {.problem = FARSUM_PROBLEM_INIT, .method = "direct"};
    if (axes > 0)
        sums_tilted(&c);
    sums_random(&c, n, axes > 0 ? 0 : 3, net);
    c.problem.kappa = kappa;
    return c;
}

/* Without dipoles: the sums of yukawa. */
static void test_charges(void)
{
    for (int axes = 0; axes < 4; axes += 3) {
        struct sums_case c = screened(axes, 30, KAPPA, 1);
        sums_charges_only(&c, 4e-14);
    }
}

static void test_pairs(void)
{
    for (int axes = 0; axes < 4; axes += 3) {
        struct sums_case c = screened(axes, 12, KAPPA, 1);
        c.m = 4;
        for (int k = 0; k < 12; k++)
            c.y[k] = 0.5 * (c.x[k] + c.x[3 + (k + 5) % 30]);
        double wide = sums_pairs_differ(&c, 0.004);
        double near = sums_pairs_differ(&c, 0.002);
        CHECK(near < 1e-2 && fabs(wide / near - 4) < 0.05,
              "pairs of charges differ by %g and %g", wide, near);
    }
}

/* Any cutoff gives the same sums, also where little is left at the cutoff. */
static void test_split(void)
{
    static const double cutoffs[] = {0, 0.7, 1.1, 1.9, 2.6};
    static const double kappas[] = {0.01, KAPPA, 6};
    struct sums_answer a, b;
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 5; k++) {
            struct sums_case c = screened(3, 24, kappas[i], 1);
            c.cutoff = cutoffs[k];
            sums_get(&c, k ? &a : &b);
            if (k)
                sums_same(&c, &a, &b, 1e-13, "another split");
        }
}

/* Coarser tolerances are kept, by fields and gradients. */
static void test_tolerances(void)
{
    struct sums_case c = screened(3, 60, KAPPA, 0);
    struct sums_answer a, b;
    sums_get(&c, &b);
    for (double tolerance = 1e-3; tolerance > 1e-12; tolerance /= 100) {
        c.problem.tolerance = tolerance;
        sums_get(&c, &a);
        sums_same(&c, &a, &b, tolerance, "a coarser tolerance");
    }
}

/* Force, torque, virial and gradient are derivatives of energy and field. */
static void test_derivatives(void)
{
    struct sums_case c = screened(0, 10, KAPPA, 1);
    check_forces(&c, 1e-7);
    check_torques(&c, 1e-7);
    check_gradient(&c, 1e-7);
    c = screened(3, 10, KAPPA, 1);
    check_forces(&c, 1e-7);
    check_torques(&c, 1e-7);
    check_virial(&c, 1e-7);
    check_gradient(&c, 1e-7);
}

/* Between the sources the potential's Laplacian is kappa^2 phi. */
static void test_trace(void)
{
    for (int axes = 0; axes < 4; axes += 3) {
        struct sums_case c = screened(axes, 30, KAPPA, 1);
        struct sums_answer a;
        double trace[SUMS_MOST], most = 0;
        sums_get(&c, &a);
        for (int i = 0; i < c.n; i++) {
            const double *g = a.gradient + 6 * i;
            trace[i] = g[0] + g[3] + g[5];
            for (int k = 0; k < 6; k++)
                most = fmax(most, fabs(g[k]));
        }
        for (int i = 0; i < c.n; i++)
            CHECK_NEAR(trace[i], KAPPA * KAPPA * a.potential[i], 1e-13 * most);
    }
}

/* kappa -> 0: 1/r.  Without a net charge the potential at a charge lacks -kappa
 * times the charge itself, and all else differs by kappa^2. */
static void test_limit(void)
{
    const double kappa = 1e-4; /* less: rounding of the net charge */
    for (int axes = 0; axes < 4; axes += 3) {
        struct sums_case c = screened(axes, 30, kappa, 0);
        struct sums_answer a, b;
        sums_get(&c, &a);
        for (int i = 0; i < c.n; i++) {
            a.potential[i] -= kappa * c.q[4 * i];
            a.energy -= kappa * c.q[4 * i] * c.q[4 * i] / 2;
        }
        c.problem.kappa = 0;
        sums_get(&c, &b);
        sums_same(&c, &a, &b, 3e-8, "the limit of no screening");
    }
}

/* Excluded pairs with factors. */
static void test_exclusions(void)
{
    static const int64_t pairs[4] = {0, 7, 9, 4};
    static const double factors[2] = {0.5, 0};
    for (int axes = 0; axes < 4; axes += 3) {
        struct sums_case c = screened(axes, 20, KAPPA, 1);
        struct sums_answer a, b, alone;
        sums_get(&c, &a);
        for (int k = 0; k < 2; k++) {
            struct sums_case two = c;
            two.n = 2;
            two.method = "direct"; /* the pair itself */
            for (int d = 0; d < 3 && axes > 0; d++)
                two.problem.periodic[d] = 0;
            for (int i = 0; i < 2; i++) {
                memcpy(two.x + 3 * i, c.x + 3 * pairs[2 * k + i],
                       3 * sizeof *c.x);
                memcpy(two.q + 4 * i, c.q + 4 * pairs[2 * k + i],
                       4 * sizeof *c.q);
            }
            sums_get(&two, &alone);
            sums_less(&a, &alone, pairs + 2 * k, 1 - factors[k]);
        }
        c.problem.n_exclusions = 2;
        c.problem.exclusions = pairs;
        c.problem.exclusion_factors = factors;
        sums_get(&c, &b);
        if (axes == 0)
            sums_same(&c, &b, &a, 1e-13, "exclusions");
    }
}

/* spectral keeps its tolerance, with weak and strong screening. */
static void test_spectral(void)
{
    static const double kappas[] = {0.02, KAPPA, 8};
    for (int k = 0; k < 6; k++) {
        struct sums_case c = {.m = 0};
        struct sums_answer a, b;
        sums_tilted(&c);
        sums_apart(&c, 2 + k);
        c.problem.kappa = kappas[k % 3];
        sums_get(&c, &b);
        c.method = "spectral";
        c.problem.sample_x = k < 3 ? c.x : NULL;
        c.problem.sample_q = k < 3 ? c.q : NULL;
        for (double t = 1e-2; t > 3e-11; t /= 100) {
            c.problem.tolerance = t;
            sums_get(&c, &a);
            double error = sums_forces(&c, &a, &b) / sums_forces(&c, &b, NULL);
            CHECK(error <= t, "kappa %g, tolerance %g: the error is %g",
                  c.problem.kappa, t, error);
        }
        sums_within(&c, &a, &b, c.problem.tolerance, "spectral");
    }
}

/* The same derivatives; separate targets and excluded pairs. */
static void test_spectral_sums(void)
{
    static const int64_t pairs[4] = {0, 7, 9, 4};
    static const double factors[2] = {0.5, 0};
    struct sums_case c = screened(3, 10, KAPPA, 1);
    struct sums_answer a, b;
    c.method = "spectral";
    c.problem.tolerance = 5e-11;
    check_forces(&c, 1e-7);
    for (int k = 0; k < 2; k++) {
        c = (struct sums_case){.m = 0};
        sums_tilted(&c);
        sums_apart(&c, 5);
        c.problem.kappa = KAPPA;
        c.m = k ? 12 : 0;
        for (int i = 0; i < 3 * c.m; i++)
            c.y[i] = 0.17 * (i % 19);
        c.problem.n_exclusions = 2;
        c.problem.exclusions = pairs;
        c.problem.exclusion_factors = factors;
        sums_get(&c, &b);
        c.method = "spectral";
        c.problem.tolerance = 5e-11;
        sums_get(&c, &a);
        sums_within(&c, &a, &b, c.problem.tolerance, "spectral");
    }
}

/* f32 and mixed: near pairs, or everything, in f32. */
static void test_narrow(void)
{
    for (int k = 0; k < 2; k++) {
        struct sums_case c = {.m = 0};
        struct sums_answer a, b;
        sums_tilted(&c);
        sums_apart(&c, 8);
        c.problem.kappa = KAPPA;
        sums_get(&c, &b);
        c.method = "spectral";
        c.problem.precision = k ? FARSUM_MIXED : FARSUM_F32;
        c.problem.arrays = FARSUM_F64;
        c.problem.tolerance = 1e-5;
        sums_get(&c, &a);
        double error = sums_forces(&c, &a, &b) / sums_forces(&c, &b, NULL);
        CHECK(error <= 1e-5, "the error is %g", error);
    }
}

/* Methods that do not sum it say so. */
static void test_refused(void)
{
    struct sums_case c = screened(3, 20, KAPPA, 0);
    struct sums_answer a;
    c.method = "fmm";
    c.problem.tolerance = 1e-4;
    CHECK_FAILS(sums_try(&c, &a), FARSUM_ERR_UNSUPPORTED);
    CHECK_SAYS("kernel yukawa_dipole");
}

int main(void)
{
    RUN(test_charges);
    RUN(test_pairs);
    RUN(test_split);
    RUN(test_tolerances);
    RUN(test_derivatives);
    RUN(test_trace);
    RUN(test_limit);
    RUN(test_exclusions);
    RUN(test_spectral);
    RUN(test_spectral_sums);
    RUN(test_narrow);
    RUN(test_refused);
    return check_end();
}
