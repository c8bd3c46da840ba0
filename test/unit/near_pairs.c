/* SPDX-License-Identifier: Apache-2.0 */
/* near_pairs.c: tests of the limited resolution of positions, which affects
 * near pairs: plans in f32 account for it with every kernel and norm and refuse
 * unreachable tolerances, auto chooses f64, and f64 has a limit of its own. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cases.h"
#include "check.h"

enum { N = 64 };

/* Random sources in a cube of edge 1 about (1/2, 1/2, 1/2), the first two at a
 * given distance; strengths with mean 0. */
static void pair_load(struct system *s, const char *kernel, double apart,
                      int seed)
{
    char what[80];
    snprintf(what, sizeof what, "%s n=%d cell=cubic seed=%d%s", kernel, N, seed,
             strcmp(kernel, "yukawa") == 0 ? " kappa=0.5" : "");
    system_load(s, "pair", what);
    for (int d = 0; d < 3; d++)
        s->p.x[3 + d] = s->p.x[d] + apart * s->p.cell[0] * (d == seed % 3);
}

/* The estimate over the measured error of a sum that must keep its tolerance;
 * 0: it is refused because of the pair. */
static double pair_share(const struct system *s, farsum_error_kind norm,
                         farsum_precision precision, double tolerance)
{
    farsum_problem problem = system_problem(s);
    farsum_options options = FARSUM_OPTIONS_INIT;
    farsum_result result = FARSUM_RESULT_INIT;
    farsum_plan_info info;
    double v[4][N * 3], found;
    problem.tolerance = tolerance;
    problem.error = norm;
    problem.precision = precision;
    problem.outputs = s->flow ? FARSUM_VELOCITY
                              : FARSUM_POTENTIAL | FARSUM_FIELD;
    options.method = "spectral";
    if (s->flow) {
        result.velocity = v[0];
    } else {
        result.potential = v[0];
        result.field = v[1];
    }
    farsum_status status = sum_once(&problem, &options, N, s->p.x, 0, NULL,
                                    s->p.q, &result, &info);
    if (status == FARSUM_ERR_TOLERANCE)
        return 0;
    if (!CHECK_OK(status))
        return 1;
    found = s->flow ? system_velocity_error(s, v[0])
            : norm == FARSUM_ERROR_POTENTIAL
                ? system_potential_error(s, v[0])
                : system_force_error(s, v[1]);
    CHECK(found <= tolerance, "%s in precision %d: %.3g for %g", s->kernel,
          (int)precision, found, tolerance);
    return info.estimated_error / found;
}

static const char *const kernels[] = {"laplace", "yukawa", "r6", "stokeslet",
                                      "rotlet", "stresslet"};

/* f32 has an error of 1e-8/apart in a pair's value and more in its slope. */
static void narrow(void)
{
    int refused = 0, reached = 0;
    for (int k = 0; k < 6; k++)
        for (int norm = 0; norm < 2; norm++)
            for (int t = 0; t < 2; t++) {
                struct system s = {0};
                pair_load(&s, kernels[k], 1e-4, t);
                system_reference(&s);
                farsum_error_kind error = s.flow ? FARSUM_ERROR_VELOCITY
                                          : norm ? FARSUM_ERROR_POTENTIAL
                                                 : FARSUM_ERROR_FORCE;
                CHECK(pair_share(&s, error, FARSUM_F32, 2e-6) == 0,
                      "%s sums in f32 beyond its limit", kernels[k]);
                CHECK(pair_share(&s, error, FARSUM_MIXED, 2e-6) == 0,
                      "%s sums in mixed beyond its limit", kernels[k]);
                CHECK(pair_share(&s, error, FARSUM_AUTO, 2e-6) > 0,
                      "%s: %s", kernels[k], farsum_message());
                double share = pair_share(&s, error, FARSUM_F32, 2e-3);
                refused += share == 0;
                reached += share > 0.3 && share < 5;
                system_free(&s);
            }
    CHECK(refused == 0, "%d of 24 at 2e-3", refused);
    CHECK(reached > 17, "%d of 24 estimates", reached);
}

/* Wrapped positions have steps of 1e-16 of the cell. */
static void wide(void)
{
    for (int k = 0; k < 6; k++) {
        struct system s = {0};
        pair_load(&s, kernels[k], 1e-6, k);
        system_reference(&s);
        farsum_error_kind error = s.flow ? FARSUM_ERROR_VELOCITY
                                         : FARSUM_ERROR_FORCE;
        CHECK(pair_share(&s, error, FARSUM_F64, 1e-11) == 0,
              "%s sums in f64 beyond its limit", kernels[k]);
        CHECK(pair_share(&s, error, FARSUM_F64, 1e-8) > 0, "%s: %s", kernels[k],
              farsum_message());
        system_free(&s);
    }
}

/* If a pair dominates the norm, 1/r itself must have enough digits. */
static void digits(void)
{
    for (int k = 0; k < 6; k++)
        for (int t = 0; t < 2; t++) {
            struct system s = {0};
            pair_load(&s, kernels[k], 1e-3, t);
            system_reference(&s);
            farsum_error_kind error = s.flow ? FARSUM_ERROR_VELOCITY
                                             : FARSUM_ERROR_FORCE;
            pair_share(&s, error, FARSUM_F64, 1e-11);
            pair_share(&s, error, FARSUM_F64, 3e-12);
            system_free(&s);
        }
}

/* Open space, no sample: the effect of positions is known only after
 * set_points. */
static void unknown(void)
{
    static const double aparts[] = {1e-11, 1e-9, 1e-6};
    for (int i = 0; i < 6; i++) {
        struct system s = {0};
        farsum_options options = FARSUM_OPTIONS_INIT;
        farsum_result result = FARSUM_RESULT_INIT;
        double field[3 * N];
        pair_load(&s, "laplace", aparts[i % 3], i);
        for (int d = 0; d < 3; d++)
            s.p.periodic[d] = 0;
        system_reference(&s);
        farsum_problem problem = system_problem(&s);
        problem.sample_x = problem.sample_q = NULL;
        problem.outputs = FARSUM_FIELD;
        problem.tolerance = 1e-12 / aparts[i % 3];
        options.method = "fmm";
        result.field = field;
        if (CHECK_OK(sum_once(&problem, &options, N, s.p.x, 0, NULL, s.p.q,
                              &result, NULL))) {
            double found = system_force_error(&s, field);
            CHECK(found <= problem.tolerance, "%.3g for %g", found,
                  problem.tolerance);
        }
        problem.tolerance = 2e-17 / aparts[i % 3];
        farsum_plan *plan = NULL;
        CHECK_OK(farsum_plan_create(&problem, &options, &plan));
        CHECK_FAILS(farsum_plan_set_points(plan, N, s.p.x, 0, NULL),
                    FARSUM_ERR_TOLERANCE);
        CHECK_SAYS("positions rounded to f64");
        farsum_plan_destroy(plan);
        system_free(&s);
    }
}

int main(void)
{
    RUN(narrow);
    RUN(wide);
    RUN(digits);
    RUN(unknown);
    return check_end();
}
