/* SPDX-License-Identifier: Apache-2.0 */
/* ranks_nufft.c: the structure factor of a body-centred crystal by several
 * ranks of MPI.  Each rank passes some of its cells, and gets the modes of some
 * k_0.  All points add up in the crystal's modes, and cancel in the others.
 *
 *     mpirun -n 4 example_ranks_nufft */
#include <farsum/mpi.h>

#include <complex.h>
#include <math.h>
#include <stdlib.h>

enum { CELLS = 4, N = 4 * CELLS + 1 }; /* modes -2 CELLS .. 2 CELLS */

/* Ends all ranks, not only this one. */
static void check(farsum_status status)
{
    if (status == FARSUM_OK)
        return;
    fprintf(stderr, "%s\n", farsum_message());
    MPI_Abort(MPI_COMM_WORLD, 1);
}

/* The exact mode: the number of points, if k belongs to the crystal. */
static double exact(int64_t k0, int64_t k1, int64_t k2)
{
    int of_cells = k0 % CELLS == 0 && k1 % CELLS == 0 && k2 % CELLS == 0;
    int even = (k0 + k1 + k2) / CELLS % 2 == 0;
    return of_cells && even ? 2 * CELLS * CELLS * CELLS : 0;
}

int main(int argc, char **argv)
{
    const double step = 2 * acos(-1) / CELLS;
    int level, rank, ranks;
    int64_t n = 0, first, own;
    double error = 0, largest;
    farsum_nufft_problem problem = FARSUM_NUFFT_PROBLEM_INIT;
    farsum_nufft *nufft = NULL;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &level);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    double(*x)[3] = malloc(2 * CELLS * CELLS * CELLS * sizeof *x);
    double complex *c = malloc(2 * CELLS * CELLS * CELLS * sizeof *c);
    for (int cell = rank; cell < CELLS * CELLS * CELLS; cell += ranks)
        for (int half = 0; half < 2; half++, n++) {
            int at[3] = {cell / CELLS / CELLS, cell / CELLS % CELLS,
                         cell % CELLS};
            for (int d = 0; d < 3; d++)
                x[n][d] = (at[d] + 0.5 * half) * step;
            c[n] = 1;
        }
    problem.type = 1, problem.sign = 1;
    for (int d = 0; d < 3; d++)
        problem.modes[d] = N;
    problem.tolerance = 1e-9;
    problem.n_points = n;
    check(
        farsum_mpi_nufft_create(&problem, NULL, NULL, MPI_COMM_WORLD, &nufft));
    check(farsum_mpi_nufft_modes(nufft, &first, &own));
    double complex(*f)[N][N] = malloc((size_t)(own + 1) * sizeof *f);
    check(farsum_nufft_set_points(nufft, n, x));
    check(farsum_nufft_execute(nufft, c, f));
    for (int64_t i = 0; i < own; i++)
        for (int j = 0; j < N; j++)
            for (int k = 0; k < N; k++)
                error = fmax(error, cabs(f[i][j][k]
                                         - exact(first + i - N / 2, j - N / 2,
                                                 k - N / 2)));
    MPI_Allreduce(&error, &largest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    largest /= 2 * CELLS * CELLS * CELLS;
    printf("rank %d of %d: %lld points, %lld of %d planes of modes\n", rank,
           ranks, (long long)n, (long long)own, N);
    if (rank == 0)
        printf("largest error of a mode over the number of points: %.1e\n",
               largest);
    farsum_nufft_destroy(nufft);
    free(x);
    free(c);
    free(f);
    MPI_Finalize();
    return largest < 1e-8 ? 0 : 1;
}
