/* SPDX-License-Identifier: Apache-2.0 */
#include "geometry/sums.h"

#include "check.h"

farsum_status geometry_sum(const farsum_problem *problem,
                           const farsum_options *options, int n,
                           const double *x, const double *q, int m,
                           const double *y, farsum_result result,
                           double *cutoff)
{
    farsum_problem p = *problem;
    farsum_plan *plan = NULL;
    farsum_plan_info info = FARSUM_PLAN_INFO_INIT;
    p.n_targets = m;
    if (m > 0) {
        result.energy = result.virial = NULL;
        p.outputs = FARSUM_POTENTIAL | FARSUM_FIELD;
    }
    farsum_status status = farsum_plan_create(&p, options, &plan);
    if (status == FARSUM_OK)
        status = farsum_plan_set_points(plan, n, x, m, m > 0 ? y : NULL);
    if (status == FARSUM_OK)
        status = farsum_plan_execute(plan, 1, q, &result);
    if (status == FARSUM_OK)
        status = farsum_plan_get_info(plan, &info);
    if (cutoff)
        *cutoff = info.cutoff;
    farsum_plan_destroy(plan);
    return status;
}

double geometry_off(const double *a, const double *b, const double *q, int n,
                    int width)
{
    double square = 0, size = 0;
    for (int i = 0; i < n * width; i++) {
        double w = q ? q[i / width] : 1;
        square += pow(w * (a[i] - b[i]), 2);
        size += pow(w * b[i], 2);
    }
    return sqrt(square / size);
}

farsum_status geometry_sums(const farsum_problem *problem,
                            const farsum_options *options, int n,
                            const double *x, const double *q, int m,
                            const double *y, struct sums *to)
{
    farsum_result r = FARSUM_RESULT_INIT;
    r.potential = to->potential;
    r.field = to->field;
    r.energy = &to->energy;
    r.virial = to->virial;
    return geometry_sum(problem, options, n, x, q, m, y, r, &to->cutoff);
}

void geometry_compare(double tolerance, const struct sums *a,
                      const struct sums *b, const double *q, int n, int m,
                      double reach, const char *what)
{
    int all = m ? m : n;
    double field = geometry_size(b->field, 3 * all);
    double force = geometry_off(a->field, b->field, m ? NULL : q, all, 3);
    CHECK(force <= tolerance, "%s: forces off by %g, %g allowed", what, force,
          tolerance);
    /* Errors have wave numbers above 1/rc: a potential's is below rc times its
     * field's. */
    double phi = geometry_off(a->potential, b->potential, NULL, all, 1);
    double most =
        tolerance * a->cutoff * field / geometry_size(b->potential, all);
    CHECK(phi <= fmax(tolerance, most), "%s: potentials off by %g", what, phi);
    if (m)
        return;
    /* sqrt(N) independent errors of potentials, in a sum of N; or by Cauchy and
     * Schwarz */
    CHECK_NEAR(a->energy, b->energy,
               fmax(3 * tolerance * fabs(b->energy),
                    tolerance * a->cutoff * geometry_size(q, n) * field));
    /* by Cauchy and Schwarz, with errors of forces at distances up to reach */
    for (int k = 0; k < 9; k++)
        CHECK_NEAR(a->virial[k], b->virial[k],
                   reach * tolerance * sqrt(n) * field);
}
