/* SPDX-License-Identifier: Apache-2.0 */
/* descend.c: by the tuner's own costs, no plan with a next mesh or support is
 * cheaper by more than 5 % than the plan that the tuner makes. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "farsum/expert.h"
#include "farsum/farsum.h"
#include "farsum/model.h"

struct asked {
    const char *kernel;
    int64_t n;
    double tolerance, edge[3];
};

/* The seconds of a sum that the tuner expects; infinite if the options do not
 * meet the tolerance with a margin like the tuner's own. */
static double planned(const struct asked *asked, int64_t mesh, int support,
                      farsum_plan_info *info)
{
    farsum_problem problem = FARSUM_PROBLEM_INIT;
    farsum_options how = FARSUM_OPTIONS_INIT;
    farsum_model model = FARSUM_MODEL_INIT;
    farsum_plan *plan = NULL;
    double longest = fmax(asked->edge[0], fmax(asked->edge[1], asked->edge[2]));
    problem.kernel = asked->kernel;
    problem.n_sources = asked->n;
    problem.tolerance = asked->tolerance;
    problem.outputs = strcmp(asked->kernel, "stokeslet") == 0 ? FARSUM_VELOCITY
                                                              : FARSUM_FIELD;
    for (int d = 0; d < 3; d++) {
        problem.cell[4 * d] = asked->edge[d];
        problem.periodic[d] = 1;
        how.spectral.mesh[d] =
            mesh
                ? (int64_t)ceil((double)mesh * asked->edge[d] / longest / 2) * 2
                : 0;
    }
    how.method = "spectral";
    how.threads = 1;
    how.spectral.support = support;
    if (farsum_plan_tune(&problem, &how, &plan) != FARSUM_OK)
        return INFINITY;
    assert_int_equal(farsum_plan_get_model(plan, 0, &model), FARSUM_OK);
    assert_int_equal(farsum_plan_get_info(plan, info), FARSUM_OK);
    double seconds = model.planned;
    if (info->estimated_error > 0.62 * asked->tolerance)
        seconds = INFINITY;
    farsum_plan_destroy(plan);
    return seconds;
}

static void test_neighbours(void **state)
{
    static const struct asked cases[] = {
        {"laplace", 100000, 1e-5, {46, 46, 46}},
        {"laplace", 30000, 1e-9, {31, 31, 31}},
        {"laplace", 100000, 1e-12, {46, 46, 46}},
        {"laplace", 1000000, 1e-3, {100, 100, 100}},
        {"laplace", 200000, 1e-5, {30, 60, 111}},
        {"stokeslet", 100000, 1e-9, {46, 46, 46}},
    };
    (void)state;
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        farsum_plan_info info = FARSUM_PLAN_INFO_INIT,
                         other = FARSUM_PLAN_INFO_INIT;
        double own = planned(&cases[k], 0, 0, &info), least = own;
        int64_t m = info.mesh[0] > info.mesh[1] ? info.mesh[0] : info.mesh[1];
        m = m > info.mesh[2] ? m : info.mesh[2];
        assert_true(isfinite(own));
        for (int side = -1; side <= 1; side++)
            for (int step = -2; step <= 2; step++) {
                int64_t near = (int64_t)((double)m * (1 + 0.06 * step));
                double s = planned(&cases[k], near / 2 * 2, info.support + side,
                                   &other);
                least = fmin(least, s);
            }
        if (least < 0.95 * own)
            fail_msg("%s n=%lld tol=%g: a neighbour takes %.3g of %.3g s",
                     cases[k].kernel, (long long)cases[k].n, cases[k].tolerance,
                     least, own);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_neighbours)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
