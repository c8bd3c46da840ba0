/* SPDX-License-Identifier: Apache-2.0 */
/* law.c: the pairs within the cutoff by farsum_plan_near, and the far part,
 * are the whole sum. */
#include "parts/parts.h"

#include <string.h>

static const char *const kernels[] = {"laplace", "yukawa", "r6"};
enum { KERNELS = 3 };

/* Compares loop and far part with the whole.  near: the variant that sums the
 * whole. */
static void law(struct parts_case *c, const char *near, double most,
                const char *what)
{
    static struct parts_sums far, whole;
    c->options.spectral.near = near;
    farsum_plan *plan = parts_plan(c, FARSUM_FAR, NULL);
    farsum_plan *all = parts_plan(c, FARSUM_WHOLE, plan);
    parts_sum(c, plan, &far);
    parts_sum(c, all, &whole);
    parts_loop(c, plan, &far);
    parts_same(c, &far, &whole, most, what);
    farsum_plan_destroy(plan);
    farsum_plan_destroy(all);
}

/* Splits, cutoffs below and above half a cell, tolerances, vacuum. */
static void test_kernels(void)
{
    for (int k = 0; k < KERNELS; k++)
        for (int i = 0; i < 4; i++) {
            static struct parts_case c;
            parts_system(&c, kernels[k], 1 + i);
            c.options.spectral.split = i % 2 ? "gaussian" : "prolate";
            c.options.cutoff = i < 2 ? 0.6 : 1.1;
            c.problem.tolerance = i % 2 ? 1e-4 : 1e-9;
            if (k == 0 && i == 2)
                c.problem.surface = FARSUM_VACUUM;
            law(&c, "plain", 2e-13, kernels[k]);
        }
}

/* The fast variant omits what the tolerance hides. */
static void test_fast(void)
{
    static struct parts_case c;
    parts_system(&c, "laplace", 3);
    law(&c, NULL, 1e-3 * c.problem.tolerance, "fast");
}

static void test_targets(void)
{
    for (int k = 0; k < KERNELS; k++) {
        static struct parts_case c;
        parts_system(&c, kernels[k], 5);
        c.m = 40;
        /* a target on a source: no singular part */
        memcpy(c.y, c.x + 3 * 7, 3 * sizeof *c.y);
        law(&c, "plain", 2e-13, "targets");
    }
}

static void test_exclusions(void)
{
    for (int k = 0; k < KERNELS; k++)
        for (int i = 0; i < 2; i++) {
            static struct parts_case c;
            parts_system(&c, kernels[k], 7);
            parts_exclude(&c);
            c.options.cutoff = i ? 0.9 : 0.5;
            law(&c, "plain", 2e-13, "exclusions");
        }
}

/* Sources at one place, as an excluded pair and without one. */
static void test_coincident(void)
{
    for (int i = 0; i < 2; i++) {
        static struct parts_case c;
        parts_system(&c, "laplace", 8);
        if (i)
            parts_exclude(&c);
        memcpy(c.x, c.x + 3, 3 * sizeof *c.x); /* sources 0 and 1 */
        c.factor[0] = 0.5;
        c.problem.exclude_coincident = 1;
        law(&c, "plain", 2e-13, "coincident");
    }
}

static void test_precisions(void)
{
    static const farsum_precision all[] = {FARSUM_F32, FARSUM_MIXED};
    for (int i = 0; i < 2; i++) {
        static struct parts_case c;
        parts_system(&c, "laplace", 9);
        c.problem.precision = all[i];
        c.problem.arrays = FARSUM_F64;
        c.problem.tolerance = 1e-4;
        law(&c, "plain", 1e-5, "f32");
    }
}

/* Unlike units: lengths of 1e-10, C of 1e20. */
static void test_units(void)
{
    static struct parts_case c;
    parts_system(&c, "laplace", 4);
    for (int i = 0; i < 9; i++)
        c.problem.cell[i] *= 3e-10;
    for (int i = 0; i < 3 * PARTS_N; i++)
        c.x[i] *= 3e-10;
    c.problem.coulomb = 3e20;
    law(&c, "plain", 2e-13, "units");
}

/* A plan follows a cell that changes. */
static void test_cell(void)
{
    static struct parts_case c;
    static struct parts_sums far, whole;
    parts_system(&c, "laplace", 6);
    c.options.spectral.near = "plain";
    farsum_plan *plan = parts_plan(&c, FARSUM_FAR, NULL);
    farsum_plan *all = parts_plan(&c, FARSUM_WHOLE, plan);
    for (int i = 0; i < 9; i++)
        c.problem.cell[i] *= 0.9995;
    CHECK_OK(farsum_plan_set_cell(plan, c.problem.cell));
    CHECK_OK(farsum_plan_set_cell(all, c.problem.cell));
    parts_sum(&c, plan, &far);
    parts_sum(&c, all, &whole);
    parts_loop(&c, plan, &far);
    parts_same(&c, &far, &whole, 2e-13, "cell");
    farsum_plan_destroy(plan);
    farsum_plan_destroy(all);
}

/* du is the derivative of u, and both end at the cutoff. */
static void test_derivative(void)
{
    for (int k = 0; k < KERNELS; k++) {
        static struct parts_case c;
        double r2[3], u[3], du[3], h = 1e-5;
        farsum_plan_info info = FARSUM_PLAN_INFO_INIT;
        parts_system(&c, kernels[k], 2);
        c.problem.tolerance = 1e-8;
        farsum_plan *plan = parts_plan(&c, FARSUM_WHOLE, NULL);
        CHECK_OK(farsum_plan_get_info(plan, &info));
        for (double r = 0.3; r < 0.95; r += 0.1) {
            double at = r * r * info.cutoff * info.cutoff;
            for (int i = 0; i < 3; i++)
                r2[i] = at * (1 + h * (i - 1));
            CHECK_OK(farsum_plan_near(plan, 3, r2, u, du));
            double size = k == 2 ? 6 * pow(at, -4) : pow(at, -1.5);
            CHECK_NEAR((u[2] - u[0]) / (2 * h * at), du[1], 1e-6 * size);
        }
        r2[0] = info.cutoff * info.cutoff;
        r2[1] = 2 * r2[0];
        CHECK_OK(farsum_plan_near(plan, 2, r2, u, du));
        CHECK(u[0] == 0 && u[1] == 0 && du[0] == 0 && du[1] == 0,
              "beyond the cutoff: %g %g %g %g", u[0], u[1], du[0], du[1]);
        farsum_plan_destroy(plan);
    }
}

int main(void)
{
    RUN(test_kernels);
    RUN(test_fast);
    RUN(test_targets);
    RUN(test_exclusions);
    RUN(test_coincident);
    RUN(test_precisions);
    RUN(test_units);
    RUN(test_cell);
    RUN(test_derivative);
    return check_end();
}
