/* SPDX-License-Identifier: Apache-2.0 */
/* plan_exit.c: rank 1 exits between the points and the sum of a plan over
 * ranks.  The launcher must end the other ranks, or they must fail.
 *
 *     mpiexec -n N test_ranks_plan_exit N */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "check.h"
#include "mpi/comm_mpi.h"
#include "plan/ranks.h"

/* Makes a plan of a point per rank, and sets the point. */
static farsum_plan *plan_of(struct comm *comm)
{
    farsum_problem p = FARSUM_PROBLEM_INIT;
    farsum_options o = FARSUM_OPTIONS_INIT;
    farsum_plan *plan = NULL;
    const double x[3] = {0.1 + 0.3 * comm->rank, 0.2, 0.3};
    p.tolerance = 0.5;
    p.outputs = FARSUM_POTENTIAL;
    p.n_sources = 1;
    for (int d = 0; d < 3; d++) {
        p.periodic[d] = 1;
        p.cell[4 * d] = 1;
    }
    o.threads = 1;
    if (plan_over_ranks(comm, &p, &o, &plan) != FARSUM_OK
        || farsum_plan_set_points(plan, 1, x, 0, NULL) != FARSUM_OK)
        check_stop("%s", farsum_message());
    return plan;
}

int main(int argc, char **argv)
{
    int level;
    struct comm *comm;
    farsum_result result = FARSUM_RESULT_INIT;
    double q = 1, potential = 0;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &level);
    if (argc != 2 || comm_mpi(MPI_COMM_WORLD, 0, &comm) != FARSUM_OK
        || comm->size != atoi(argv[1]) || comm->size < 2)
        check_stop("the argument is the number of ranks, at least 2");
    farsum_plan *plan = plan_of(comm);
    result.potential = &potential;
    if (farsum_plan_execute(plan, 1, &q, &result) != FARSUM_OK)
        check_stop("%s", farsum_message());
    if (comm->rank == 1) {
        printf("rank 1 exits\n");
        fflush(stdout);
        sleep(1); /* until the launcher has printed it */
        exit(3);
    }
    farsum_status status = farsum_plan_execute(plan, 1, &q, &result);
    printf("rank %d: %s\n", comm->rank, farsum_status_text(status));
    fflush(stdout);
    MPI_Abort(MPI_COMM_WORLD, status == FARSUM_OK ? 0 : 4);
}
