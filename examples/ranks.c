/* SPDX-License-Identifier: Apache-2.0 */
/* ranks.c: Madelung's constant of rock salt by several ranks of MPI.  Each rank
 * passes some planes of a cube of 16 spacings.
 *
 *     mpirun -n 4 example_ranks */
#include <farsum/mpi.h>

#include <math.h>
#include <stdlib.h>

enum { EDGE = 16, PLANE = EDGE * EDGE };

/* Ends all ranks, not only this one. */
static void check(farsum_status status)
{
    if (status == FARSUM_OK)
        return;
    fprintf(stderr, "%s\n", farsum_message());
    MPI_Abort(MPI_COMM_WORLD, 1);
}

int main(int argc, char **argv)
{
    static const double madelung = 1.747564594633182;
    int level, rank, ranks, n = 0;
    double energy;
    farsum_problem problem = FARSUM_PROBLEM_INIT;
    farsum_result result = FARSUM_RESULT_INIT;
    farsum_mpi_info info = FARSUM_MPI_INFO_INIT;
    farsum_plan *plan = NULL;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &level);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    double(*x)[3] = malloc(PLANE * (EDGE / ranks + 1) * sizeof *x);
    double *q = malloc(PLANE * (EDGE / ranks + 1) * sizeof *q);
    for (int i = rank; i < EDGE; i += ranks)
        for (int j = 0; j < PLANE; j++, n++) {
            int at[3] = {i, j / EDGE, j % EDGE};
            for (int d = 0; d < 3; d++)
                x[n][d] = at[d];
            q[n] = (at[0] + at[1] + at[2]) % 2 ? -1 : 1;
        }
    for (int d = 0; d < 3; d++)
        problem.cell[4 * d] = EDGE, problem.periodic[d] = 1;
    problem.tolerance = 1e-10;
    problem.error = FARSUM_ERROR_POTENTIAL; /* forces vanish in a crystal */
    problem.n_sources = n, problem.sample_x = x, problem.sample_q = q;
    result.energy = &energy;
    check(farsum_mpi_plan_create(&problem, NULL, NULL, MPI_COMM_WORLD, &plan));
    check(farsum_plan_set_points(plan, n, x, 0, NULL));
    check(farsum_plan_execute(plan, 1, q, &result));
    check(farsum_mpi_get_info(plan, &info));
    double found = -2 * energy / (EDGE * PLANE);
    printf("rank %d of %d: %lld ions, %lld ghosts, %lld bytes sent\n", rank,
           ranks, (long long)info.own, (long long)info.ghosts,
           (long long)info.bytes_sent);
    if (rank == 0)
        printf("Madelung's constant %.12f, known %.12f\n", found, madelung);
    farsum_plan_destroy(plan);
    free(x);
    free(q);
    MPI_Finalize();
    return fabs(found - madelung) < 1e-9 ? 0 : 1;
}
