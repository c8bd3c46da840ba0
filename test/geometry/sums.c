/* SPDX-License-Identifier: Apache-2.0 */
#include "geometry/sums.h"

#include <math.h>

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
