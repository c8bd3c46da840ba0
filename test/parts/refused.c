/* SPDX-License-Identifier: Apache-2.0 */
/* refused.c: parts and near functions that do not exist. */
#include "parts/parts.h"

#include <string.h>

#include "farsum/batch.h"

static farsum_status make(const struct parts_case *c, farsum_part part)
{
    farsum_plan *plan = NULL;
    farsum_problem p = c->problem;
    p.part = part;
    farsum_status status = farsum_plan_create(&p, &c->options, &plan);
    farsum_plan_destroy(plan);
    return status;
}

static void test_plans(void)
{
    static const char *const methods[] = {"direct", "ewald", "fmm"};
    static struct parts_case c;
    parts_system(&c, "laplace", 1);
    CHECK_FAILS(make(&c, (farsum_part)4), FARSUM_ERR_ARGUMENT);
    CHECK_SAYS("part is 4");
    CHECK_FAILS(make(&c, (farsum_part)-1), FARSUM_ERR_ARGUMENT);
    for (int i = 0; i < 3; i++) {
        c.options.method = methods[i];
        CHECK_FAILS(make(&c, FARSUM_FAR), FARSUM_ERR_UNSUPPORTED);
        CHECK_SAYS("part far requires method spectral");
    }
    c.options.method = "spectral";
    c.problem.periodic[1] = 0;
    CHECK_FAILS(make(&c, FARSUM_FAR), FARSUM_ERR_UNSUPPORTED);
    CHECK_SAYS("three periodic axes");
    c.options.method = NULL;
    c.problem.periodic[0] = c.problem.periodic[2] = 0;
    CHECK_FAILS(make(&c, FARSUM_NEAR), FARSUM_ERR_UNSUPPORTED);
    CHECK_SAYS("part near");
}

/* Without a sample nothing can be checked. */
static void test_check(void)
{
    static struct parts_case c;
    parts_system(&c, "laplace", 1);
    CHECK_OK(make(&c, FARSUM_FAR));
    c.options.verify = 1;
    CHECK_FAILS(make(&c, FARSUM_FAR), FARSUM_ERR_UNSUPPORTED);
    CHECK_SAYS("sample");
}

static void test_batch(void)
{
    static struct parts_case c;
    farsum_batch *batch = NULL;
    parts_system(&c, "laplace", 1);
    c.problem.part = FARSUM_FAR;
    CHECK_FAILS(farsum_batch_create(&c.problem, NULL, &batch),
                FARSUM_ERR_UNSUPPORTED);
    CHECK_SAYS("part");
}

static void test_near(void)
{
    static const char *const none[] = {"stokeslet", "rotlet", "stresslet",
                                       "charge_dipole"};
    static struct parts_case c;
    double r2[3] = {0.1, 0, -1}, u[3] = {7, 7, 7}, du[3] = {7, 7, 7};
    for (int i = 0; i < 4; i++) {
        parts_system(&c, none[i], 2);
        c.problem.tolerance = 1e-3;
        farsum_plan *plan = parts_plan(&c, FARSUM_FAR, NULL);
        CHECK_FAILS(farsum_plan_near(plan, 1, r2, u, du),
                    FARSUM_ERR_UNSUPPORTED);
        CHECK_SAYS(none[i]);
        farsum_plan_destroy(plan);
    }
    parts_system(&c, "laplace", 2);
    farsum_plan *plan = parts_plan(&c, FARSUM_FAR, NULL);
    CHECK_FAILS(farsum_plan_near(plan, 3, r2, u, du), FARSUM_ERR_ARGUMENT);
    CHECK_SAYS("r2[2]");
    r2[1] = NAN;
    CHECK_FAILS(farsum_plan_near(plan, 2, r2, u, du), FARSUM_ERR_ARGUMENT);
    CHECK_FAILS(farsum_plan_near(plan, -1, r2, u, du), FARSUM_ERR_ARGUMENT);
    CHECK_FAILS(farsum_plan_near(plan, 1, NULL, u, du), FARSUM_ERR_ARGUMENT);
    CHECK_FAILS(farsum_plan_near(NULL, 1, r2, u, du), FARSUM_ERR_ARGUMENT);
    CHECK(u[0] == 7 && du[0] == 7, "a failed call has written");
    CHECK_OK(farsum_plan_near(plan, 0, NULL, NULL, NULL));
    CHECK_OK(farsum_plan_near(plan, 1, r2, NULL, du));
    CHECK_OK(farsum_plan_near(plan, 1, r2, u, NULL));
    CHECK(u[0] != 7 && du[0] != 7 && u[1] == 7, "%g %g %g", u[0], du[0], u[1]);
    farsum_plan_destroy(plan);
    c.options.method = "ewald";
    plan = parts_plan(&c, FARSUM_WHOLE, NULL);
    CHECK_FAILS(farsum_plan_near(plan, 1, r2, u, du), FARSUM_ERR_UNSUPPORTED);
    CHECK_SAYS("method ewald");
    farsum_plan_destroy(plan);
}

int main(void)
{
    RUN(test_plans);
    RUN(test_check);
    RUN(test_batch);
    RUN(test_near);
    return check_end();
}
