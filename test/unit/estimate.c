/* SPDX-License-Identifier: Apache-2.0 */
/* estimate.c: what the estimate says of a cutoff does not depend on where the
 * sample's shells of neighbours happen to end.  A Gaussian split errs by a step
 * at the cutoff: a shell that it goes through is not all on one side of it. */
#include <math.h>
#include <stdlib.h>

#include "cases.h"
#include "check.h"

/* Cutoffs from `first`, each 4 % further, over more than a shell. */
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
        problem.tolerance = 0.1; /* lets all pass */
        options.method = "spectral";
        options.split = "gaussian";
        options.cutoff = rc;
        options.bandwidth = bandwidth;
        options.support = support;
        result.field = field;
        if (!CHECK_OK(sum_once(&problem, &options, s.p.n, s.p.x, 0, NULL, s.p.q,
                               &result, &info)))
            break;
        double share = info.estimated_error / system_force_error(&s, field);
        CHECK(share > 0.8 && share < 1.25,
              "%s: cutoff %.3g: estimated %.3g of what is measured", what, rc,
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

int main(void)
{
    RUN(dispersion);
    RUN(charges);
    return check_end();
}
