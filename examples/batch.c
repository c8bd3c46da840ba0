/* SPDX-License-Identifier: Apache-2.0 */
/* batch.c: the energies of 64 small crystals of NaCl in one call.  Each has
 * another cell.  In the second call one has a bad position: it is named, and
 * the others are summed. */
#include <farsum/batch.h>

#include <math.h>
#include <string.h>

enum { SYSTEMS = 64, EACH = 64 };

int main(void)
{
    static double x[SYSTEMS * EACH][3], q[SYSTEMS * EACH], cells[SYSTEMS][9];
    static double energy[SYSTEMS];
    static int64_t offsets[SYSTEMS + 1];
    const double madelung = -1.74756459463318; /* energy of a pair of ions */
    for (int s = 0; s < SYSTEMS; s++) {
        double a = 1 + 0.01 * s; /* between neighbours */
        for (int d = 0; d < 3; d++)
            cells[s][4 * d] = 4 * a;
        for (int i = 0; i < EACH; i++) {
            int at[3] = {i % 4, i / 4 % 4, i / 16};
            for (int d = 0; d < 3; d++)
                x[s * EACH + i][d] = a * at[d];
            q[s * EACH + i] = (at[0] + at[1] + at[2]) % 2 ? -1 : 1;
        }
        offsets[s + 1] = offsets[s] + EACH;
    }
    farsum_problem problem = FARSUM_PROBLEM_INIT;
    farsum_result result = FARSUM_RESULT_INIT;
    farsum_batch *batch = NULL;
    problem.periodic[0] = problem.periodic[1] = problem.periodic[2] = 1;
    problem.tolerance = 1e-6;
    problem.error = FARSUM_ERROR_POTENTIAL;
    result.energy = energy;
    if (farsum_batch_create(&problem, NULL, &batch) != FARSUM_OK
        || farsum_batch_set(batch, SYSTEMS, offsets, cells[0], x) != FARSUM_OK
        || farsum_batch_execute(batch, 1, q, &result) != FARSUM_OK)
        return fprintf(stderr, "%s\n", farsum_message()), 1;
    double worst = 0;
    for (int s = 0; s < SYSTEMS; s++) {
        double exact = madelung * EACH / 2 / (1 + 0.01 * s);
        worst = fmax(worst, fabs(energy[s] / exact - 1));
    }
    farsum_batch_system info = FARSUM_BATCH_SYSTEM_INIT;
    if (farsum_batch_get_system(batch, 0, &info) != FARSUM_OK)
        return 1;
    printf("%d systems by %s, largest error %.1e, estimate of the first %.1e\n",
           SYSTEMS, info.method, worst, info.estimated_error);

    x[17 * EACH + 3][1] = NAN;
    energy[17] = 0;
    farsum_status set = farsum_batch_set(batch, SYSTEMS, offsets, cells[0], x);
    printf("%s: %s\n", farsum_status_text(set), farsum_message());
    farsum_status sum = farsum_batch_execute(batch, 1, q, &result);
    printf("energies of systems 16, 17 and 18: %g %g %g\n", energy[16],
           energy[17], energy[18]);
    farsum_batch_destroy(batch);
    return worst > 1e-6 || set != FARSUM_ERR_POSITION || sum != set
           || energy[17] != 0;
}
