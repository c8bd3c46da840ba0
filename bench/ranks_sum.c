/* SPDX-License-Identifier: Apache-2.0 */
/* ranks_sum.c: whole sums over ranks, compared with one process.
 *
 *     OMP_NUM_THREADS=1 mpirun -n 2 ranks_sum laplace 100000 1e-5
 *     OMP_NUM_THREADS=2 mpirun -n 1 ranks_sum laplace 100000 1e-5 alone
 *
 * N random points in a periodic cube; each rank gives an equal part of them,
 * from everywhere in the cube.  alone: a plan without ranks.  One line: minimum
 * milliseconds of set_points and execute, of which exchanges; megabytes that
 * rank 0 sends per execute.  All are those of the slowest rank. */
#include "base/clock.h"
#include "base/mem.h"
#include "base/random.h"
#include "farsum/mpi.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { RUNS = 15 };

static void need(farsum_status status)
{
    if (status == FARSUM_OK)
        return;
    fprintf(stderr, "ranks_sum: %s\n", farsum_message());
    MPI_Abort(MPI_COMM_WORLD, 1);
}

static double random_real(uint64_t *state)
{
    return ldexp((double)(random_next(state) >> 11), -53);
}

static double slowest(double seconds)
{
    double most = seconds;
    MPI_Allreduce(&seconds, &most, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return most;
}

static double exchanged(const farsum_mpi_info *i)
{
    return i->seconds_ghosts + i->seconds_planes + i->seconds_transform
           + i->seconds_route;
}

int main(int argc, char **argv)
{
    int threads, rank, ranks;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &threads);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (argc < 4 || (argc > 4 && ranks > 1)) {
        if (rank == 0)
            fprintf(stderr, "ranks_sum KERNEL POINTS TOLERANCE [alone]\n");
        MPI_Finalize();
        return 2;
    }
    int alone = argc > 4, flow = strcmp(argv[1], "stokeslet") == 0;
    int64_t all = atoll(argv[2]), n = all / ranks, width = flow ? 3 : 1;
    double *x = NULL, *q = NULL, *values = NULL, *field = NULL;
    need(MEM_RAW(x, 3 * n));
    need(MEM_RAW(q, width * n));
    need(MEM_RAW(values, width * n));
    need(MEM_RAW(field, 3 * n));
    uint64_t state = 17 + (uint64_t)rank;
    for (int64_t i = 0; i < 3 * n; i++)
        x[i] = random_real(&state);
    for (int64_t i = 0; i < width * n; i++)
        q[i] = 2 * random_real(&state) - 1;
    farsum_problem p = FARSUM_PROBLEM_INIT;
    farsum_options o = FARSUM_OPTIONS_INIT;
    farsum_plan *plan = NULL;
    p.kernel = argv[1];
    p.n_sources = n;
    p.tolerance = atof(argv[3]);
    p.outputs = flow ? FARSUM_VELOCITY : FARSUM_POTENTIAL | FARSUM_FIELD;
    for (int d = 0; d < 3; d++) {
        p.periodic[d] = 1;
        p.cell[4 * d] = 1;
    }
    o.method = "spectral";
    o.verify = FARSUM_VERIFY_OFF;
    need(alone ? farsum_plan_create(&p, &o, &plan)
               : farsum_mpi_plan_create(&p, &o, NULL, MPI_COMM_WORLD, &plan));
    farsum_result result = FARSUM_RESULT_INIT;
    farsum_mpi_info before = FARSUM_MPI_INFO_INIT, after = before;
    double set = INFINITY, sum = INFINITY, exchange = 0, bytes = 0;
    result.potential = flow ? NULL : values;
    result.field = flow ? NULL : field;
    result.velocity = flow ? values : NULL;
    for (int k = 0; k < RUNS; k++) {
        MPI_Barrier(MPI_COMM_WORLD);
        double start = clock_seconds();
        need(farsum_plan_set_points(plan, n, x, 0, NULL));
        double took = slowest(clock_seconds() - start);
        set = took < set ? took : set;
        if (!alone)
            need(farsum_mpi_get_info(plan, &before));
        start = clock_seconds();
        need(farsum_plan_execute(plan, 1, q, &result));
        took = slowest(clock_seconds() - start);
        if (!alone)
            need(farsum_mpi_get_info(plan, &after));
        if (took >= sum)
            continue;
        sum = took;
        exchange = exchanged(&after) - exchanged(&before);
        bytes = (double)(after.bytes_sent - before.bytes_sent);
    }
    farsum_plan_info info = FARSUM_PLAN_INFO_INIT;
    need(farsum_plan_get_info(plan, &info));
    if (rank == 0)
        printf("%s,%d,%d,%s,%lld,%g,%lldx%lldx%lld,%.3f,%.3f,%.3f,%.3f\n",
               alone ? "alone" : "ranks", ranks, info.threads, argv[1],
               (long long)all, p.tolerance, (long long)info.mesh[0],
               (long long)info.mesh[1], (long long)info.mesh[2], 1e3 * set,
               1e3 * sum, 1e3 * exchange, 1e-6 * bytes);
    farsum_plan_destroy(plan);
    mem_free(x);
    mem_free(q);
    mem_free(values);
    mem_free(field);
    MPI_Finalize();
    return 0;
}
