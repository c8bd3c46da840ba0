/* SPDX-License-Identifier: Apache-2.0 */
#include "geometry/slab_flow_case.h"

#include "geometry/sums.h"

static const char *const kernels[FLOWS] = {"stokeslet", "rotlet", "stresslet"};

void flow_make(struct flow *f, int kernel, int open, double thick, int net,
               double tolerance)
{
    enum { N = FLOW_POINTS };
    uint64_t state = 7;
    int a = (open + 1) % 3, b = (open + 2) % 3;
    double sum[6] = {0};
    *f = (struct flow){.problem = FARSUM_PROBLEM_INIT,
                       .options = FARSUM_OPTIONS_INIT,
                       .open = open,
                       .width = kernel == 2 ? 6 : 3};
    double *cell = f->problem.cell;
    cell[4 * a] = 7;
    cell[4 * b] = 6;
    cell[3 * b + a] = 2.4; /* oblique; row c means nothing */
    cell[3 * open + a] = 1.3;
    cell[4 * open] = thick;
    for (int i = 0; i < N + FLOW_TARGETS; i++) {
        double *x = i < N ? f->x + 3 * i : f->y + 3 * (i - N), u[3];
        for (int d = 0; d < 3; d++)
            u[d] = geometry_draw(&state);
        for (int d = 0; d < 3; d++)
            x[d] = u[0] * cell[3 * a + d] + u[1] * cell[3 * b + d];
        x[open] = 7 + thick * u[2];
    }
    for (int k = 0; k < f->width * N; k++) {
        f->q[k] = 2 * geometry_draw(&state) - 1;
        sum[k % f->width] += f->q[k];
    }
    for (int k = 0; k < f->width * N; k++)
        f->q[k] += 0.2 * net - sum[k % f->width] / N;
    f->problem.periodic[a] = f->problem.periodic[b] = 1;
    f->problem.kernel = kernels[kernel];
    f->problem.tolerance = tolerance;
    f->problem.precision = FARSUM_F64;
    f->problem.n_sources = N;
    f->problem.outputs = FARSUM_VELOCITY;
    f->options.threads = 1;
    f->options.method = "spectral";
}

farsum_status flow_sum(const struct flow *f, double *velocity,
                       farsum_plan_info *info)
{
    farsum_problem p = f->problem;
    farsum_plan *plan = NULL;
    farsum_result r = FARSUM_RESULT_INIT;
    int64_t n = p.n_sources;
    p.n_targets = f->m;
    r.velocity = velocity;
    farsum_status status = farsum_plan_create(&p, &f->options, &plan);
    if (status == FARSUM_OK)
        status =
            farsum_plan_set_points(plan, n, f->x, f->m, f->m > 0 ? f->y : NULL);
    if (status == FARSUM_OK)
        status = farsum_plan_execute(plan, 1, f->q, &r);
    if (status == FARSUM_OK && info)
        status = farsum_plan_get_info(plan, info);
    farsum_plan_destroy(plan);
    return status;
}
