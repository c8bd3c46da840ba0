/* SPDX-License-Identifier: Apache-2.0 */
/* main.c: Madelung constant of rock salt, eight ions.  Each rank passes its
 * part of them to the installed library. */
#include <farsum/mpi.h>
#include <math.h>

static const double madelung = 1.747564594633182190636;

int main(int argc, char **argv)
{
    double x[8][3], q[8], phi[8], error = 0, most = 0;
    int level, rank, ranks;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &level);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    int n = 0;
    for (int i = rank; i < 8; i += ranks, n++) {
        int a = i & 1, b = i >> 1 & 1, c = i >> 2 & 1;
        x[n][0] = a;
        x[n][1] = b;
        x[n][2] = c;
        q[n] = (a + b + c) % 2 ? -1 : 1;
    }
    farsum_problem problem = FARSUM_PROBLEM_INIT;
    for (int d = 0; d < 3; d++) {
        problem.cell[4 * d] = 2;
        problem.periodic[d] = 1;
    }
    problem.n_sources = n;
    problem.sample_x = x;
    problem.sample_q = q;
    problem.tolerance = 1e-10;
    problem.error = FARSUM_ERROR_POTENTIAL;
    farsum_result out = FARSUM_RESULT_INIT;
    out.potential = phi;
    farsum_plan *plan = NULL;
    if (farsum_mpi_plan_create(&problem, NULL, NULL, MPI_COMM_WORLD, &plan)
            != FARSUM_OK
        || farsum_plan_set_points(plan, n, x, 0, NULL) != FARSUM_OK
        || farsum_plan_execute(plan, 1, q, &out) != FARSUM_OK) {
        fprintf(stderr, "farsum: %s\n", farsum_message());
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    farsum_plan_destroy(plan);
    for (int i = 0; i < n; i++)
        error = fmax(error, fabs(-phi[i] * q[i] - madelung) / madelung);
    MPI_Allreduce(&error, &most, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    if (rank == 0)
        printf("farsum_mpi %s: Madelung constant of rock salt by %d ranks, "
               "error %.1e\n", farsum_mpi_version(), ranks, most);
    MPI_Finalize();
    return most < 1e-8 ? 0 : 1;
}
