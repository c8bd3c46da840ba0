/* SPDX-License-Identifier: Apache-2.0 */
/* nacl.c: Madelung's constant of rock salt from eight ions in a cube of two
 * spacings.  The potential at an ion of charge 1 is minus that constant. */
#include <farsum/farsum.h>

#include <math.h>

int main(void)
{
    static const double madelung = 1.747564594633182;
    double x[8][3], q[8], phi[8];
    farsum_problem problem = FARSUM_PROBLEM_INIT;
    farsum_result result = FARSUM_RESULT_INIT;
    farsum_plan *plan = NULL;
    for (int i = 0; i < 8; i++) {
        int at[3] = {i & 1, i >> 1 & 1, i >> 2};
        for (int d = 0; d < 3; d++)
            x[i][d] = at[d];
        q[i] = (at[0] + at[1] + at[2]) % 2 ? -1 : 1;
    }
    for (int d = 0; d < 3; d++)
        problem.cell[4 * d] = 2, problem.periodic[d] = 1;
    problem.tolerance = 1e-12;
    problem.error = FARSUM_ERROR_POTENTIAL; /* forces vanish in a crystal */
    problem.n_sources = 8, problem.sample_x = x, problem.sample_q = q;
    result.potential = phi;
    if (farsum_plan_create(&problem, NULL, &plan) != FARSUM_OK
        || farsum_plan_set_points(plan, 8, x, 0, NULL) != FARSUM_OK
        || farsum_plan_execute(plan, 1, q, &result) != FARSUM_OK) {
        fprintf(stderr, "%s\n", farsum_message());
        farsum_plan_destroy(plan);
        return 1;
    }
    printf("Madelung's constant %.12f, known %.12f\n", -q[0] * phi[0],
           madelung);
    farsum_plan_destroy(plan);
    return fabs(-q[0] * phi[0] - madelung) < 1e-11 ? 0 : 1;
}
