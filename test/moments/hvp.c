/* SPDX-License-Identifier: Apache-2.0 */
/* hvp.c: products of the Hessian with a vector, against differences of forces
 * and against ewald. */
#include "sums.h"

#include "farsum/expert.h"

#include <string.h>

#define STEP 1e-3
enum { POINTS = 4 };
static const double at[POINTS] = {-2, -1, 1, 2};
static const double weight[POINTS] = {1, -8, 8, -1};

/* A plan of the case, with its points. */
static farsum_plan *plan_of(const struct sums_case *c, const char *kernel,
                            unsigned outputs)
{
    farsum_problem p = c->problem;
    farsum_options o = FARSUM_OPTIONS_INIT;
    farsum_plan *plan = NULL;
    p.kernel = kernel;
    p.n_sources = c->n;
    p.n_targets = c->m;
    p.outputs = outputs;
    o.method = c->method;
    o.threads = 1;
    CHECK_OK(farsum_plan_create(&p, &o, &plan));
    CHECK_OK(
        farsum_plan_set_points(plan, c->n, c->x, c->m, c->m ? c->y : NULL));
    return plan;
}

static void charges_of(const struct sums_case *c, double *q)
{
    for (int i = 0; i < c->n; i++)
        q[i] = c->q[4 * i];
}

static void product_of(const struct sums_case *c, const double *v,
                       double *product)
{
    double q[SUMS_MOST];
    farsum_plan *plan =
        plan_of(c, "charge_dipole", FARSUM_FIELD | FARSUM_GRADIENT);
    charges_of(c, q);
    CHECK_OK(farsum_plan_hvp(plan, q, v, product));
    farsum_plan_destroy(plan);
}

/* Minus the forces' derivative along v, by five-point differences of the
 * method ewald with charges only. */
static void differences(const struct sums_case *c, const double *v,
                        double *product)
{
    double q[SUMS_MOST], field[3 * SUMS_MOST];
    struct sums_case moved = *c;
    farsum_result r = FARSUM_RESULT_INIT;
    r.field = field;
    charges_of(c, q);
    moved.method = "ewald";
    moved.problem.tolerance = 1e-13;
    memset(product, 0, 3 * (size_t)c->n * sizeof *product);
    for (int p = 0; p < POINTS; p++) {
        for (int k = 0; k < 3 * c->n; k++)
            moved.x[k] = c->x[k] + at[p] * STEP * v[k];
        farsum_plan *plan = plan_of(&moved, "laplace", FARSUM_FIELD);
        CHECK_OK(farsum_plan_execute(plan, 1, q, &r));
        farsum_plan_destroy(plan);
        for (int k = 0; k < 3 * c->n; k++)
            product[k] -= weight[p] * q[k / 3] * field[k] / (12 * STEP);
    }
}

static void make(struct sums_case *c, double *v, int net)
{
    sums_tilted(c);
    sums_apart(c, 4 + net);
    for (int k = 0; k < 3 * c->n; k++)
        v[k] = 0.1 * ((k * 7) % 11 - 5);
}

static void test_methods(void)
{
    static const char *const methods[] = {"ewald", "spectral"};
    for (int k = 0; k < 4; k++) {
        struct sums_case c = {.m = 0};
        double v[3 * SUMS_MOST], got[3 * SUMS_MOST], wanted[3 * SUMS_MOST];
        make(&c, v, k & 1);
        c.problem.surface = k & 2 ? FARSUM_VACUUM : FARSUM_TINFOIL;
        differences(&c, v, wanted);
        for (int m = 0; m < 2; m++) {
            c.method = methods[m];
            c.problem.tolerance = m ? 5e-11 : 1e-13;
            product_of(&c, v, got);
            sums_equal(got, wanted, 3 * c.n, 1e-7, methods[m]);
        }
    }
}

/* Excluded pairs have no Hessian; all particles that move together neither. */
static void test_exclusions(void)
{
    static const int64_t pairs[4] = {0, 1, 9, 4};
    static const double factors[2] = {0, 0.5};
    struct sums_case c = {.m = 0};
    double v[3 * SUMS_MOST], got[3 * SUMS_MOST], wanted[3 * SUMS_MOST];
    make(&c, v, 0);
    c.problem.n_exclusions = 2;
    c.problem.exclusions = pairs;
    c.problem.exclusion_factors = factors;
    differences(&c, v, wanted);
    c.method = "spectral";
    c.problem.tolerance = 5e-11;
    product_of(&c, v, got);
    sums_equal(got, wanted, 3 * c.n, 1e-7, "exclusions");
    for (int k = 0; k < 3 * c.n; k++)
        v[k] = k % 3 + 1;
    product_of(&c, v, wanted);
    for (int k = 0; k < 3 * c.n; k++)
        CHECK_NEAR(wanted[k], 0, 1e-7);
}

static void test_refused(void)
{
    struct sums_case c = {.m = 0};
    double v[3 * SUMS_MOST], q[SUMS_MOST], got[3 * SUMS_MOST];
    make(&c, v, 0);
    charges_of(&c, q);
    farsum_plan *plan = plan_of(&c, "laplace", FARSUM_FIELD);
    CHECK_FAILS(farsum_plan_hvp(plan, q, v, got), FARSUM_ERR_UNSUPPORTED);
    farsum_plan_destroy(plan);
    plan = plan_of(&c, "charge_dipole", FARSUM_FIELD);
    CHECK_FAILS(farsum_plan_hvp(plan, q, v, got), FARSUM_ERR_ARGUMENT);
    farsum_plan_destroy(plan);
    plan = plan_of(&c, "charge_dipole", FARSUM_FIELD | FARSUM_GRADIENT);
    CHECK_FAILS(farsum_plan_hvp(plan, NULL, v, got), FARSUM_ERR_ARGUMENT);
    CHECK_FAILS(farsum_plan_hvp(NULL, q, v, got), FARSUM_ERR_ARGUMENT);
    v[5] = NAN;
    CHECK_FAILS(farsum_plan_hvp(plan, q, v, got), FARSUM_ERR_STRENGTH);
    farsum_plan_destroy(plan);
    c.m = 2;
    memcpy(c.y, c.x, sizeof c.y);
    plan = plan_of(&c, "charge_dipole", FARSUM_FIELD | FARSUM_GRADIENT);
    CHECK_FAILS(farsum_plan_hvp(plan, q, v, got), FARSUM_ERR_UNSUPPORTED);
    farsum_plan_destroy(plan);
}

int main(void)
{
    RUN(test_methods);
    RUN(test_exclusions);
    RUN(test_refused);
    return check_end();
}
