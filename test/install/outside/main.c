/* SPDX-License-Identifier: Apache-2.0 */
/* main.c: Madelung constant of rock salt, eight ions, with the installed
 * library. */
#include <farsum/farsum.h>
#include <math.h>
#include <stdio.h>

static const double madelung = 1.747564594633182190636;

int main(void)
{
    double x[8][3], q[8], phi[8];
    for (int i = 0; i < 8; i++) {
        int a = i & 1, b = i >> 1 & 1, c = i >> 2 & 1;
        x[i][0] = a;
        x[i][1] = b;
        x[i][2] = c;
        q[i] = (a + b + c) % 2 ? -1 : 1;
    }
    farsum_problem problem = FARSUM_PROBLEM_INIT;
    for (int d = 0; d < 3; d++) {
        problem.cell[4 * d] = 2;
        problem.periodic[d] = 1;
    }
    problem.n_sources = 8;
    problem.sample_x = x;
    problem.sample_q = q;
    problem.tolerance = 1e-10;
    problem.error = FARSUM_ERROR_POTENTIAL;
    farsum_result out = FARSUM_RESULT_INIT;
    out.potential = phi;
    farsum_plan *plan = NULL;
    if (farsum_plan_create(&problem, NULL, &plan) != FARSUM_OK
        || farsum_plan_set_points(plan, 8, x, 0, NULL) != FARSUM_OK
        || farsum_plan_execute(plan, 1, q, &out) != FARSUM_OK) {
        fprintf(stderr, "farsum: %s\n", farsum_message());
        return 1;
    }
    farsum_plan_destroy(plan);
    double error = fabs(-phi[0] * q[0] - madelung) / madelung;
    printf("farsum %s: Madelung constant of rock salt %.12f, error %.1e\n",
           farsum_version(), -phi[0] * q[0], error);
    return error < 1e-8 ? 0 : 1; /* enough: it is found and works */
}
