/* SPDX-License-Identifier: Apache-2.0 */
/* fmm.c: charges with dipoles by the method fmm in periodic cells of right
 * angles, against ewald. */
#include "sums.h"

#include <string.h>

/* A brick of right angles, turned in space. */
static void brick(struct sums_case *c, int seed)
{
    static const double cell[9] = {1.2, 1.6,  0,     -1.28, 0.96,
                                   1.2, 1.08, -0.81, 1.8};
    sums_tilted(c);
    memcpy(c->problem.cell, cell, sizeof cell);
    sums_apart(c, seed);
}

/* The case by fmm, in boxes with far ones.  Fine tolerances have the separation
 * that takes less time. */
static void by_fmm(struct sums_case *c, double tolerance)
{
    c->method = "fmm";
    c->problem.tolerance = tolerance;
    c->fmm.levels = 2;
    c->fmm.separation = tolerance < 1e-5 ? 2 : 1;
}

/* The forces' error, of charges with a net charge and without. */
static void test_tolerances(void)
{
    for (int k = 0; k < 2; k++) {
        struct sums_case c = {.m = 0};
        struct sums_answer a, b;
        brick(&c, 8 + k);
        sums_get(&c, &b);
        for (double t = 1e-2; t > 3e-11; t /= 100) {
            by_fmm(&c, t);
            c.problem.sample_x = k ? c.x : NULL;
            c.problem.sample_q = k ? c.q : NULL;
            sums_get(&c, &a);
            double error = sums_forces(&c, &a, &b) / sums_forces(&c, &b, NULL);
            CHECK(error <= t, "tolerance %g: the error is %g", t, error);
        }
    }
}

/* All outputs, with tin foil and vacuum, net charge, targets, each tree, and
 * several root boxes. */
static void test_sums(void)
{
    for (int k = 0; k < 5; k++) {
        struct sums_case c = {.m = 0};
        struct sums_answer a, b;
        brick(&c, 4 + k); /* odd: a net charge */
        c.problem.surface = k & 2 ? FARSUM_VACUUM : FARSUM_TINFOIL;
        c.m = k < 3 ? 0 : 12;
        for (int i = 0; i < 3 * c.m; i++)
            c.y[i] = 0.17 * (i % 19) - 1;
        memcpy(c.y, c.x + 9, 3 * sizeof *c.y); /* on a source */
        sums_get(&c, &b);
        by_fmm(&c, 1e-10);
        if (k == 1)
            c.fmm = (farsum_fmm_options){.tree = "sparse", .leaf = 3};
        if (k > 1)
            c.fmm.levels = 1;
        for (int d = 0; d < 3 && k > 1; d++)
            c.fmm.boxes[d] = 3;
        sums_get(&c, &a);
        sums_within(&c, &a, &b, 1e-10, "fmm");
    }
}

/* Tolerances of potentials, and absolute ones. */
static void test_norms(void)
{
    for (int k = 0; k < 2; k++) {
        struct sums_case c = {.m = 0};
        struct sums_answer a, b;
        double off = 0, size = 0;
        brick(&c, 4 + k);
        sums_get(&c, &b);
        by_fmm(&c, 1e-6);
        c.problem.error = k ? FARSUM_ERROR_ABSOLUTE : FARSUM_ERROR_POTENTIAL;
        sums_get(&c, &a);
        for (int i = 0; i < c.n; i++) {
            double d = a.potential[i] - b.potential[i];
            off += d * d;
            size += b.potential[i] * b.potential[i];
        }
        if (k)
            CHECK(sums_forces(&c, &a, &b) <= 1e-6, "forces off by %g",
                  sums_forces(&c, &a, &b));
        else
            CHECK(sqrt(off / size) <= 1e-6, "potentials off by %g",
                  sqrt(off / size));
    }
}

/* Excluded pairs, of which one is near through a face, and sources at one
 * place. */
static void test_exclusions(void)
{
    static const int64_t pairs[6] = {0, 7, 9, 4, 1, 2};
    static const double factors[3] = {0.5, 0, 0.25};
    for (int k = 0; k < 2; k++) {
        struct sums_case c = {.m = 0};
        struct sums_answer a, b;
        brick(&c, 5);
        for (int d = 0; d < 3; d++)
            c.x[21 + d] = c.x[d] + 0.1 * (d + 1) - c.problem.cell[d];
        c.problem.n_exclusions = k ? 0 : 3;
        c.problem.exclusions = pairs;
        c.problem.exclusion_factors = factors;
        if (k)
            memcpy(c.x + 3, c.x, 3 * sizeof *c.x);
        c.problem.exclude_coincident = k;
        sums_get(&c, &b);
        by_fmm(&c, 1e-9);
        sums_get(&c, &a);
        sums_within(&c, &a, &b, 1e-9, k ? "coincident" : "exclusions");
    }
}

/* One plan: several right-hand sides, another cell, the check by a second sum,
 * mixed, which is summed in f64. */
static void test_plan(void)
{
    static double q[2 * 4 * SUMS_MOST], field[2 * 3 * SUMS_MOST];
    static struct sums_answer b;
    struct sums_case c = {.m = 0};
    farsum_options o = FARSUM_OPTIONS_INIT;
    farsum_result r = FARSUM_RESULT_INIT;
    farsum_plan_info info = FARSUM_PLAN_INFO_INIT;
    farsum_plan *plan = NULL;
    brick(&c, 6);
    farsum_problem p = c.problem;
    p.kernel = "charge_dipole";
    p.n_sources = c.n;
    p.tolerance = 1e-6;
    p.outputs = FARSUM_FIELD | FARSUM_GRADIENT;
    p.precision = FARSUM_MIXED;
    p.sample_x = c.x;
    p.sample_q = c.q;
    o.method = "fmm";
    o.threads = 1;
    o.fmm.levels = 2;
    o.fmm.separation = 2;
    o.verify = 1;
    r.field = field;
    CHECK_OK(farsum_plan_create(&p, &o, &plan));
    for (int turn = 0; turn < 2 && plan; turn++) {
        for (int k = 0; k < 9 && turn; k++)
            c.problem.cell[k] *= 1.01;
        if (turn)
            CHECK_OK(farsum_plan_set_cell(plan, c.problem.cell));
        for (int i = 0; i < 4 * c.n; i++) {
            q[i] = 3 * c.q[4 * c.n - 1 - i];
            q[4 * c.n + i] = c.q[i];
        }
        CHECK_OK(farsum_plan_set_points(plan, c.n, c.x, 0, NULL));
        CHECK_OK(farsum_plan_execute(plan, 2, q, &r));
        CHECK_OK(farsum_plan_get_info(plan, &info));
        CHECK(info.precision == FARSUM_F64 && info.checked_targets > 0,
              "precision %d, %lld targets checked", (int)info.precision,
              (long long)info.checked_targets);
        sums_get(&c, &b);
        sums_equal(field + 3 * c.n, b.field, 3 * c.n, 1e-6, "second side");
    }
    farsum_plan_destroy(plan);
}

/* What it does not sum is refused by name. */
static void test_refused(void)
{
    static const char *const says[] = {"right angles", "f64 only",
                                       "three periodic axes or none",
                                       "32 sources", "kernel yukawa_dipole"};
    for (int k = 0; k < 5; k++) {
        struct sums_case c = {.m = 0};
        struct sums_answer a;
        if (k == 0) {
            sums_tilted(&c);
            sums_apart(&c, 4);
        } else {
            brick(&c, 4);
        }
        by_fmm(&c, 1e-4);
        if (k == 1)
            c.problem.precision = FARSUM_F32;
        if (k == 2)
            c.problem.periodic[1] = 0;
        if (k == 3)
            c.n = 32;
        if (k == 4)
            c.problem.kappa = 1;
        CHECK_FAILS(sums_try(&c, &a), FARSUM_ERR_UNSUPPORTED);
        CHECK_SAYS(says[k]);
    }
}

int main(void)
{
    RUN(test_tolerances);
    RUN(test_sums);
    RUN(test_norms);
    RUN(test_exclusions);
    RUN(test_plan);
    RUN(test_refused);
    return check_end();
}
