/* SPDX-License-Identifier: Apache-2.0 */
#include <farsum/farsum.h>

int main(void) /* two opposite charges in a cube of edge 10, and their images */
{
    double x[2][3] = {{1, 2, 3}, {4, 5, 6}}, q[2] = {1, -1}, phi[2], e[2][3];
    farsum_problem problem = FARSUM_PROBLEM_INIT;
    farsum_result result = FARSUM_RESULT_INIT;
    farsum_plan *plan = NULL;
    for (int d = 0; d < 3; d++)
        problem.cell[4 * d] = 10, problem.periodic[d] = 1;
    problem.tolerance = 1e-8;
    problem.n_sources = 2, problem.sample_x = x, problem.sample_q = q;
    result.potential = phi, result.field = e;
    if (farsum_plan_create(&problem, NULL, &plan) != FARSUM_OK
        || farsum_plan_set_points(plan, 2, x, 0, NULL) != FARSUM_OK
        || farsum_plan_execute(plan, 1, q, &result) != FARSUM_OK)
        return fprintf(stderr, "%s\n", farsum_message()), 1;
    printf("potentials %g %g, field %g %g %g\n", phi[0], phi[1], e[0][0],
           e[0][1], e[0][2]);
    farsum_plan_destroy(plan);
}
