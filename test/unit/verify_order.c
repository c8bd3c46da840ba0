/* SPDX-License-Identifier: Apache-2.0 */
/* verify_order.c: estimates after the sources' order has gone.
 *
 * A plan is checked with tight dipoles, or charges on a lattice: their errors
 * cancel.  Then it sums the same charges at random places.  The estimate must
 * be that of random charges.  `device`: on FARSUM_TEST_DEVICE (default:
 * opencl:0). */
#include "verify_check.h"

#include <stdlib.h>
#include <string.h>

enum { EDGE = 8, MANY = EDGE * EDGE * EDGE };

static const char *device; /* NULL: the host */
static double x[3 * MANY], other[3 * MANY], q[MANY];
static double found[3 * MANY], right[3 * MANY];

static void dipoles(void)
{
    uint64_t random = 5;
    for (int i = 0; i < MANY; i++)
        for (int d = 0; d < 3; d++)
            x[3 * i + d] = i % 2 ? x[3 * i - 3 + d] + (d == i / 2 % 3) * 2e-3
                                 : uniform(&random);
}

static void lattice(void)
{
    for (int i = 0; i < MANY; i++) {
        const int at[3] = {i / EDGE / EDGE, i / EDGE % EDGE, i % EDGE};
        for (int d = 0; d < 3; d++)
            x[3 * i + d] = (at[d] + 0.5) / EDGE;
    }
}

static farsum_problem problem(farsum_error_kind norm, double tolerance)
{
    farsum_problem p = FARSUM_PROBLEM_INIT;
    for (int d = 0; d < 3; d++) {
        p.cell[4 * d] = 1;
        p.periodic[d] = 1;
    }
    p.error = norm;
    p.tolerance = tolerance;
    p.n_sources = MANY;
    p.outputs = FARSUM_POTENTIAL | FARSUM_FIELD;
    return p;
}

/* RMS of the difference of forces or potentials, and of the right ones. */
static double apart(int potential, double *size)
{
    double square = 0, all = 0;
    for (int i = 0; i < (potential ? 1 : 3) * MANY; i++) {
        square += (found[i] - right[i]) * (found[i] - right[i]);
        all += right[i] * right[i];
    }
    *size = sqrt(all / MANY);
    return sqrt(square / MANY);
}

static void sum(farsum_plan *plan, const double *places, int potential,
                double *to)
{
    farsum_result result = FARSUM_RESULT_INIT;
    if (potential)
        result.potential = to;
    else
        result.field = to;
    CHECK_OK(farsum_plan_set_points(plan, MANY, places, 0, NULL));
    CHECK_OK(farsum_plan_execute(plan, 1, q, &result));
}

static void order_goes(const char *what, const char *method,
                       farsum_error_kind norm, double tolerance)
{
    int potential = norm == FARSUM_ERROR_POTENTIAL;
    farsum_problem p = problem(norm, tolerance), fine = problem(norm, 1e-11);
    farsum_options o = FARSUM_OPTIONS_INIT, reference = FARSUM_OPTIONS_INIT;
    farsum_plan_info info = FARSUM_PLAN_INFO_INIT, was = info;
    farsum_plan *plan = NULL, *exact = NULL;
    p.sample_x = x;
    p.sample_q = q;
    o.method = method;
    o.device.name = device;
    o.verify = 1;
    reference.method = "ewald";
    fine.error = FARSUM_ERROR_POTENTIAL;
    CHECK_OK(farsum_plan_create(&p, &o, &plan));
    CHECK_OK(farsum_plan_create(&fine, &reference, &exact));
    sum(plan, x, potential, found);
    CHECK_OK(farsum_plan_get_info(plan, &was));
    sum(plan, other, potential, found);
    CHECK_OK(farsum_plan_get_info(plan, &info));
    sum(exact, other, potential, right);
    double size, error = apart(potential, &size);
    if (norm != FARSUM_ERROR_ABSOLUTE)
        error /= size;
    printf("  %s, %s, %g: estimated %.3g in order, %.3g after it, measured "
           "%.3g\n",
           what, method, tolerance, was.estimated_error, info.estimated_error,
           error);
    CHECK(was.checked_targets > 0, "%s: not checked", method);
    /* fmm's formulas may exceed a tiny error, but raise no false alarm */
    CHECK(info.estimated_error > 0.5 * error
              && (info.estimated_error < 2 * error
                  || (strcmp(method, "fmm") == 0
                      && info.estimated_error < tolerance)),
          "%s: estimated %g, measured %g", method, info.estimated_error, error);
    /* the places of the check: its error again; fmm keeps the new boxes */
    sum(plan, x, potential, found);
    CHECK_OK(farsum_plan_get_info(plan, &info));
    CHECK(info.estimated_error < 1.01 * was.estimated_error
              && (strcmp(method, "fmm") == 0
                  || info.estimated_error > 0.99 * was.estimated_error),
          "%s: estimated %g, at first %g", method, info.estimated_error,
          was.estimated_error);
    farsum_plan_destroy(plan);
    farsum_plan_destroy(exact);
}

static void random_after(const char *what, void (*ordered)(void))
{
    uint64_t random = 11;
    ordered();
    for (int i = 0; i < 3 * MANY; i++)
        other[i] = uniform(&random);
    for (int i = 0; i < MANY; i++)
        q[i] = (i + i / EDGE + i / EDGE / EDGE) % 2 ? 1 : -1;
    if (ordered == dipoles)
        for (int i = 0; i < MANY; i++)
            q[i] = i % 2 ? 1 : -1;
    for (int fmm = 0; fmm < 2; fmm++) {
        const char *method = fmm ? "fmm" : "spectral";
        order_goes(what, method, FARSUM_ERROR_ABSOLUTE, 1e-1);
        order_goes(what, method, FARSUM_ERROR_ABSOLUTE, 1e-4);
        order_goes(what, method, FARSUM_ERROR_POTENTIAL, 1e-4);
    }
}

static void after_dipoles(void)
{
    random_after("dipoles", dipoles);
}
static void after_a_lattice(void)
{
    random_after("lattice", lattice);
}

int main(int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], "device") == 0) {
        device = getenv("FARSUM_TEST_DEVICE");
        device = device ? device : "opencl:0";
    }
    RUN(after_dipoles);
    RUN(after_a_lattice);
    return check_end();
}
