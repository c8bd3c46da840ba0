/* SPDX-License-Identifier: Apache-2.0 */
/* sums.c: near and far part of each kernel are together the whole sum, and the
 * estimated error of a part is that of the whole. */
#include "parts/parts.h"

#include <string.h>

static const char *const kernels[] = {"laplace",      "yukawa", "r6",
                                      "stokeslet",    "rotlet", "stresslet",
                                      "charge_dipole"};
enum { KERNELS = 7 };

static void together(struct parts_case *c, double most, const char *what)
{
    static struct parts_sums far, near, whole;
    farsum_plan *plan = parts_plan(c, FARSUM_FAR, NULL);
    farsum_plan *pairs = parts_plan(c, FARSUM_NEAR, plan);
    farsum_plan *all = parts_plan(c, FARSUM_WHOLE, plan);
    parts_sum(c, plan, &far);
    parts_sum(c, pairs, &near);
    parts_sum(c, all, &whole);
    parts_add(&far, &near);
    parts_same(c, &far, &whole, most, what);
    for (int d = 0; d < 3; d++) /* both parts are there */
        CHECK(near.potential[d] != 0 && far.potential[d] != near.potential[d],
              "%s: a part is the whole", what);
    farsum_plan_destroy(plan);
    farsum_plan_destroy(pairs);
    farsum_plan_destroy(all);
}

static void test_kernels(void)
{
    for (int k = 0; k < KERNELS; k++)
        for (int i = 0; i < 4; i++) {
            static struct parts_case c;
            parts_system(&c, kernels[k], 1 + i);
            c.options.spectral.split = i == 1 ? "gaussian" : "prolate";
            if (i == 2)
                parts_exclude(&c);
            c.m = i == 3 ? 30 : 0;
            /* a part excludes by the fitted e^(-kappa r), the whole sum by the
             * exact one; the fit's error is far below the tolerance */
            int fitted = i == 2 && strcmp(kernels[k], "yukawa") == 0;
            together(&c, fitted ? 1e-4 * c.problem.tolerance : 2e-13,
                     kernels[k]);
        }
}

/* Net charge and dipole moment. */
static void test_vacuum(void)
{
    for (int k = 0; k < KERNELS; k += KERNELS - 1) {
        static struct parts_case c;
        parts_system(&c, kernels[k], 5);
        c.problem.surface = FARSUM_VACUUM;
        together(&c, 2e-13, "vacuum");
    }
}

/* Repeated sums, other counts of right-hand sides and other outputs. */
static void test_again(void)
{
    static struct parts_case c;
    static struct parts_sums once, again;
    static double q[2 * PARTS_N], e[6 * PARTS_N];
    double energy[2];
    farsum_result r = FARSUM_RESULT_INIT;
    parts_system(&c, "laplace", 6);
    farsum_plan *plan = parts_plan(&c, FARSUM_FAR, NULL);
    parts_sum(&c, plan, &once);
    for (int i = 0; i < PARTS_N; i++) {
        q[i] = -c.q[i];
        q[PARTS_N + i] = c.q[i];
    }
    r.field = e;
    r.energy = energy;
    CHECK_OK(farsum_plan_execute(plan, 2, q, &r));
    CHECK_NEAR(energy[0], once.energy, 1e-14 * fabs(once.energy));
    CHECK_NEAR(energy[1], once.energy, 1e-14 * fabs(once.energy));
    parts_sum(&c, plan, &again);
    for (int i = 0; i < 3 * PARTS_N; i++) {
        CHECK_NEAR(e[i], -once.field[i], 1e-12);
        CHECK_NEAR(e[3 * PARTS_N + i], once.field[i], 1e-12);
    }
    CHECK(memcmp(&once, &again, sizeof once) == 0, "sums are not repeated");
    farsum_plan_destroy(plan);
}

/* The far part with pairs by the near function keeps the tolerance, against
 * ewald, and the estimate tells its error within a factor. */
static void test_error(void)
{
    static struct parts_case c, exact;
    static struct parts_sums right, far;
    parts_system(&c, "laplace", 7);
    exact = c;
    exact.options.method = "ewald";
    exact.problem.tolerance = 1e-13;
    farsum_plan *ewald = parts_plan(&exact, FARSUM_WHOLE, NULL);
    parts_sum(&exact, ewald, &right);
    farsum_plan_destroy(ewald);
    for (double t = 1e-3; t > 1e-11; t *= 1e-2)
        for (int check = 0; check < 2; check++) {
            farsum_plan_info info = FARSUM_PLAN_INFO_INIT;
            double off = 0, size = 0;
            c.problem.tolerance = t;
            c.options.verify = check ? 1 : FARSUM_VERIFY_OFF;
            farsum_plan *plan = parts_plan(&c, FARSUM_FAR, NULL);
            parts_sum(&c, plan, &far);
            parts_loop(&c, plan, &far);
            CHECK_OK(farsum_plan_get_info(plan, &info));
            for (int i = 0; i < 3 * PARTS_N; i++) {
                double f = c.q[i / 3] * (far.field[i] - right.field[i]);
                off += f * f;
                f = c.q[i / 3] * right.field[i];
                size += f * f;
            }
            double error = sqrt(off / size);
            CHECK(error <= t, "tolerance %g: the error is %g", t, error);
            CHECK(error <= 4 * info.estimated_error
                      && info.estimated_error <= 10 * fmax(error, 1e-14),
                  "tolerance %g: error %g, estimated %g", t, error,
                  info.estimated_error);
            CHECK((info.checked_error >= 0) == check, "checked: %g",
                  info.checked_error);
            farsum_plan_destroy(plan);
        }
}

int main(void)
{
    RUN(test_kernels);
    RUN(test_vacuum);
    RUN(test_again);
    RUN(test_error);
    return check_end();
}
