/* SPDX-License-Identifier: Apache-2.0 */
/* estimate.c: tests that the estimate for a cutoff does not depend on the radii
 * of the sample's shells.  A Gaussian split's error has a step at the cutoff,
 * so a shell that contains the cutoff is not all on one side of the step. */
#include <math.h>
#include <stdlib.h>

#include "cases.h"
#include "check.h"

/* Cutoffs from `first` in steps of 4 %, over more than a shell. */
static void cutoffs(const char *what, double first, double bandwidth,
                    int support)
{
    enum { STEPS = 8 };
    struct system s = {0};
    system_load(&s, "points", what);
    system_reference(&s);
    double *field = check_memory(3 * (size_t)s.p.n, sizeof *field);
    double rc = first;
    for (int k = 0; k < STEPS; k++, rc *= 1.04) {
        farsum_problem problem = system_problem(&s);
        farsum_options options = cases_options();
        farsum_result result = FARSUM_RESULT_INIT;
        farsum_plan_info info;
        problem.tolerance = 0.1; /* all pass */
        options.method = "spectral";
        options.spectral.split = "gaussian";
        options.cutoff = rc;
        options.spectral.bandwidth = bandwidth;
        options.spectral.support = support;
        result.field = field;
        if (!CHECK_OK(sum_once(&problem, &options, s.p.n, s.p.x, 0, NULL, s.p.q,
                               &result, &info)))
            break;
        double share = info.estimated_error / system_force_error(&s, field);
        CHECK(share > 0.8 && share < 1.25,
              "%s: cutoff %.3g: estimated over measured %.3g", what, rc,
              share);
    }
    free(field);
    system_free(&s);
}

static void dispersion(void)
{
    cutoffs("r6 n=300 cell=1x2x3 dist=clustered seed=106", 0.55, 3, 4);
}

static void charges(void)
{
    cutoffs("laplace n=3000 cell=cubic dist=clustered seed=106", 0.6, 7, 8);
}

/* A tuned plan keeps its tolerance and estimates its error well.  error: 0 for
 * the force, 1 for the potential. */
static void parameters(const struct system *s, const char *window,
                       double tolerance, int error)
{
    farsum_problem problem = system_problem(s);
    farsum_options options = cases_options();
    farsum_result result = FARSUM_RESULT_INIT;
    farsum_plan_info info;
    double *field = check_memory(3 * (size_t)s->p.n, sizeof *field);
    double *potential = check_memory((size_t)s->p.n, sizeof *potential);
    problem.tolerance = tolerance;
    problem.error = error ? FARSUM_ERROR_POTENTIAL : FARSUM_ERROR_FORCE;
    options.method = "spectral";
    options.spectral.window = window;
    result.field = field;
    result.potential = potential;
    if (CHECK_OK(sum_once(&problem, &options, s->p.n, s->p.x, 0, NULL, s->p.q,
                          &result, &info))) {
        double found = error ? system_potential_error(s, potential)
                             : system_force_error(s, field);
        double share = info.estimated_error / found;
        CHECK(found <= tolerance, "kappa %g %s: %.3g for %g", s->kappa, window,
              found, tolerance);
        CHECK((share > 0.45 && share < 2.2) || found < 0.05 * tolerance,
              "kappa %g %s at %g of %s: estimated %.3g of %.3g", s->kappa,
              window, tolerance, error ? "potential" : "force", share, found);
    }
    free(potential);
    free(field);
}

/* The screening length exceeds the cell, and the total charge is not 0.  The
 * mode k = 0, to which all charges contribute, dominates the potential.  The
 * window, which has a residual slope there, must not meet it. */
static void screened(void)
{
    static const double kappas[] = {0.01, 0.02, 0.05, 0.2, 0.5};
    static const double tolerances[] = {1e-3, 1e-4, 1e-5, 1e-7, 1e-9};
    for (int k = 0; k < 15; k++) {
        char what[80];
        struct system s = {0};
        snprintf(what, sizeof what, "yukawa n=200 cell=cubic kappa=%g net=0.5 "
                 "seed=%d", kappas[k % 5], k / 5);
        system_load(&s, "net", what); /* edge 5.8 */
        system_reference(&s);
        for (int i = 0; i < 5; i++)
            parameters(&s, "prolate", tolerances[i], 0);
        parameters(&s, "prolate", tolerances[k % 5], 1);
        parameters(&s, "kaiser_bessel", tolerances[k % 4], 0);
        parameters(&s, "bspline", tolerances[k % 3], 0);
        system_free(&s);
    }
}

int main(void)
{
    RUN(dispersion);
    RUN(charges);
    RUN(screened);
    return check_end();
}
