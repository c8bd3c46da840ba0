/* SPDX-License-Identifier: Apache-2.0 */
/* plan_exit.c: rank 1 exits, or waits for ever, or is late, between the points
 * and the sum of a plan over ranks.  The launcher must end the other ranks, or
 * they must fail; with patience they do.
 *
 *     mpiexec -n N test_ranks_plan_exit exits N
 *     mpiexec -n N test_ranks_plan_exit hangs N
 *     mpiexec -n N test_ranks_plan_exit late N */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
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

enum { PATIENCE = 2, LATE = 5 }; /* seconds */

static void says(const struct comm *comm, const char *text)
{
    printf("rank %d %s\n", comm->rank, text);
    fflush(stdout);
}

/* What rank 1 does while the others sum. */
static void leave(const struct comm *comm, const char *how)
{
    says(comm, how);
    if (strcmp(how, "exits") == 0) {
        sleep(1); /* until the launcher has printed it */
        exit(3);
    }
    sleep(strcmp(how, "late") == 0 ? LATE : 1000);
}

int main(int argc, char **argv)
{
    int level;
    struct comm *comm;
    farsum_mpi_options options = FARSUM_MPI_OPTIONS_INIT;
    farsum_result result = FARSUM_RESULT_INIT;
    double q = 1, potential = 0;
    char words[200] = "sums";
    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &level);
    if (argc != 3 || comm_mpi(MPI_COMM_WORLD, 0, &comm) != FARSUM_OK
        || comm->size != atoi(argv[2]) || comm->size < 2)
        check_stop("the last argument is the number of ranks, at least 2");
    int exits = strcmp(argv[1], "exits") == 0;
    farsum_plan *plan = plan_of(comm);
    result.potential = &potential;
    if (farsum_plan_execute(plan, 1, &q, &result) != FARSUM_OK)
        check_stop("%s", farsum_message());
    options.patience = exits ? 0 : PATIENCE;
    if (comm_mpi_set(comm, &options) != FARSUM_OK
        || farsum_plan_execute(plan, 1, &q, &result) != FARSUM_OK)
        check_stop("%s", farsum_message());
    if (comm->rank == 1)
        leave(comm, argv[1]);
    potential = 7;
    farsum_status status = farsum_plan_execute(plan, 1, &q, &result);
    if (status != FARSUM_OK)
        snprintf(words, sizeof words, "%s: %s", farsum_status_text(status),
                 farsum_message());
    if (status != FARSUM_OK && potential != 7)
        check_stop("a failed sum writes its output");
    if (!exits) {
        farsum_plan_destroy(plan);
        comm_destroy(comm);
        printf("ends: %s\n", words);
        fflush(stdout);
        if (strcmp(argv[1], "late") == 0)
            sleep(2 * LATE); /* until rank 1 has ended too */
    } else {
        says(comm, words);
    }
    MPI_Abort(MPI_COMM_WORLD, status == FARSUM_OK ? 0 : 4);
}
