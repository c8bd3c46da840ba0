/* SPDX-License-Identifier: Apache-2.0 */
/* device.c: the far part on a device (FARSUM_TEST_DEVICE, default: opencl:0)
 * against the host, with the same parameters. */
#include <stdlib.h>
#include <string.h>

#include "parts/parts.h"

static const char *device;

static void compare(struct parts_case *c, int queues, double most,
                    const char *what)
{
    static struct parts_sums host, first, again;
    farsum_plan *tuned = parts_plan(c, FARSUM_FAR, NULL);
    parts_fix(c, tuned);
    farsum_plan_destroy(tuned);
    farsum_plan *plan = parts_plan(c, FARSUM_FAR, NULL);
    parts_sum(c, plan, &host);
    farsum_plan_destroy(plan);
    c->options.device.name = device;
    c->options.device.queues = queues;
    plan = parts_plan(c, FARSUM_FAR, NULL);
    parts_sum(c, plan, &first);
    parts_sum(c, plan, &again);
    parts_same(c, &first, &host, most, what);
    parts_same(c, &again, &host, most, what);
    farsum_plan_destroy(plan);
}

static void test_kernels(void)
{
    static const char *const kernels[] = {"laplace", "r6", "stokeslet"};
    for (int k = 0; k < 3; k++) {
        static struct parts_case c;
        parts_system(&c, kernels[k], 2 + k);
        c.problem.tolerance = 1e-8;
        compare(&c, 1 + k % 2, 1e-11, kernels[k]);
    }
}

static void test_precisions(void)
{
    static const farsum_precision all[] = {FARSUM_F32, FARSUM_MIXED};
    for (int i = 0; i < 2; i++) {
        static struct parts_case c;
        parts_system(&c, "laplace", 5);
        c.problem.precision = all[i];
        c.problem.arrays = FARSUM_F64;
        c.problem.tolerance = 1e-4;
        compare(&c, 2, i ? 1e-11 : 1e-5, "precision");
    }
}

static void test_targets(void)
{
    static struct parts_case c;
    parts_system(&c, "laplace", 6);
    c.m = 20;
    compare(&c, 2, 1e-11, "targets");
}

/* Pairs by the near function and the device's far part are the whole. */
static void test_law(void)
{
    static struct parts_case c;
    static struct parts_sums far, whole;
    parts_system(&c, "laplace", 7);
    farsum_plan *all = parts_plan(&c, FARSUM_WHOLE, NULL);
    parts_sum(&c, all, &whole);
    farsum_plan_destroy(all);
    c.options.device.name = device;
    farsum_plan *plan = parts_plan(&c, FARSUM_FAR, NULL);
    parts_sum(&c, plan, &far);
    parts_loop(&c, plan, &far);
    parts_same(&c, &far, &whole, 10 * c.problem.tolerance, "law");
    farsum_plan_destroy(plan);
}

/* Parts and pairs that devices do not have. */
static void test_refused(void)
{
    static struct parts_case c;
    farsum_plan *plan = NULL;
    const int64_t pair[2] = {0, 1};
    parts_system(&c, "laplace", 3);
    c.options.device.name = device;
    farsum_problem p = c.problem;
    p.part = FARSUM_NEAR;
    CHECK_FAILS(farsum_plan_create(&p, &c.options, &plan),
                FARSUM_ERR_UNSUPPORTED);
    CHECK_SAYS("part near");
    p.part = FARSUM_FAR;
    p.n_exclusions = 1;
    p.exclusions = pair;
    CHECK_FAILS(farsum_plan_create(&p, &c.options, &plan),
                FARSUM_ERR_UNSUPPORTED);
    CHECK_SAYS("exclusions");
    p.n_exclusions = 0;
    CHECK_OK(farsum_plan_create(&p, &c.options, &plan));
    CHECK_OK(farsum_plan_set_points(plan, PARTS_N, c.x, 0, NULL));
    CHECK_FAILS(farsum_plan_set_exclusions(plan, 1, pair, NULL),
                FARSUM_ERR_UNSUPPORTED);
    CHECK_SAYS("exclusions");
    farsum_plan_destroy(plan);
}

int main(void)
{
    device = getenv("FARSUM_TEST_DEVICE");
    device = device ? device : "opencl:0";
    RUN(test_kernels);
    RUN(test_precisions);
    RUN(test_targets);
    RUN(test_law);
    RUN(test_refused);
    return check_end();
}
