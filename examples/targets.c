/* SPDX-License-Identifier: Apache-2.0 */
/* targets.c: the potential on a line of probes without charge, in f32, for two
 * sets of charges in one call.  It is compared with the direct sum of a plan
 * without periodic axes. */
#include <farsum/farsum.h>

#include <math.h>

enum { N = 500, M = 5, SETS = 2 };

static int sum(farsum_problem *problem, const float *x, const float *y,
               const float *q, float *phi)
{
    farsum_result result = FARSUM_RESULT_INIT;
    farsum_plan *plan = NULL;
    problem->precision = FARSUM_F32, problem->tolerance = 1e-5;
    problem->outputs = FARSUM_POTENTIAL;
    problem->error = FARSUM_ERROR_POTENTIAL;
    problem->n_sources = N, problem->n_targets = M;
    problem->sample_x = x, problem->sample_q = q;
    result.potential = phi; /* [SETS][M] */
    int good = farsum_plan_create(problem, NULL, &plan) == FARSUM_OK
               && farsum_plan_set_points(plan, N, x, M, y) == FARSUM_OK
               && farsum_plan_execute(plan, SETS, q, &result) == FARSUM_OK;
    if (!good)
        fprintf(stderr, "%s\n", farsum_message());
    farsum_plan_destroy(plan);
    return good;
}

int main(void)
{
    float x[N][3], y[M][3], q[SETS][N], periodic[SETS][M], open[SETS][M];
    farsum_problem box = FARSUM_PROBLEM_INIT, space = FARSUM_PROBLEM_INIT;
    for (int i = 0; i < N; i++) {
        /* a small neutral ball amid a large cell: its images hardly matter */
        double u = 0.6180339887 * i, z = (2 * i + 1.0) / N - 1;
        double s = sqrt(1 - z * z), r = 1 + 0.3 * sin(40.0 * i);
        x[i][0] = (float)(30 + r * s * cos(2 * 3.14159265358979 * u));
        x[i][1] = (float)(30 + r * s * sin(2 * 3.14159265358979 * u));
        x[i][2] = (float)(30 + r * z);
        q[0][i] = i % 2 ? 1 : -1;
        q[1][i] = i % 4 < 2 ? 2 : -2;
    }
    for (int i = 0; i < M; i++)
        y[i][0] = 30.2F + 0.3F * (float)i, y[i][1] = y[i][2] = 30;
    for (int d = 0; d < 3; d++)
        box.cell[4 * d] = 60, box.periodic[d] = 1;
    if (!sum(&box, x[0], y[0], q[0], periodic[0])
        || !sum(&space, x[0], y[0], q[0], open[0]))
        return 1;
    double most = 0, size = 0;
    for (int s = 0; s < SETS; s++)
        for (int i = 0; i < M; i++) {
            printf("set %d, probe %d: periodic %9.4f, open %9.4f\n", s, i,
                   (double)periodic[s][i], (double)open[s][i]);
            most = fmax(most, fabs((double)(periodic[s][i] - open[s][i])));
            size = fmax(size, fabs((double)open[s][i]));
        }
    return most < 5e-3 * size ? 0 : 1;
}
