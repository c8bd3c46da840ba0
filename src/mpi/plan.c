/* SPDX-License-Identifier: Apache-2.0 */
/* plan.c: the public functions of plans over the ranks of MPI. */
#include "plan/exported.h"

#include "comm/exported.h"
#include "mpi/comm_mpi.h"

/* Checks what only this rank passes. */
static farsum_status arguments(const farsum_mpi_options *given,
                               farsum_mpi_options *options,
                               farsum_plan *const *plan)
{
    if (!plan)
        return farsum_comm_fail(FARSUM_ERR_ARGUMENT, "plan is NULL");
    if (given)
        TRY(farsum_comm_take(options, sizeof *options, given, given->size,
                             "FARSUM_MPI_OPTIONS_INIT"));
    return FARSUM_OK;
}

farsum_status farsum_mpi_plan_create(const farsum_problem *problem,
                                     const farsum_options *options,
                                     const farsum_mpi_options *mpi,
                                     MPI_Comm given, farsum_plan **plan)
{
    farsum_mpi_options o = FARSUM_MPI_OPTIONS_INIT;
    farsum_plan *made = NULL;
    struct comm *comm = NULL;
    TRY(comm_mpi(given, 0, &comm));
    farsum_status status = farsum_comm_agree(comm, arguments(mpi, &o, plan));
    if (status == FARSUM_OK)
        status = comm_mpi_longest(comm, o.message_bytes);
    if (status == FARSUM_OK)
        status = farsum_ranks_plan_create(comm, problem, options, o.transport,
                                          &made);
    if (status == FARSUM_OK)
        *plan = made;
    else
        farsum_comm_destroy(comm);
    return status;
}

farsum_status farsum_mpi_domain(const farsum_plan *plan, double cell[9],
                                double low[3], double high[3])
{
    return farsum_ranks_domain(plan, cell, low, high);
}

farsum_status farsum_mpi_get_info(const farsum_plan *plan,
                                  farsum_mpi_info *info)
{
    struct ranks_info r;
    if (!info)
        return farsum_comm_fail(FARSUM_ERR_ARGUMENT, "info is NULL");
    TRY(farsum_ranks_get_info(plan, &r));
    const struct comm_spent *spent = r.spent;
    farsum_mpi_info all = {
        .size = sizeof all,
        .ranks = r.ranks,
        .rank = r.rank,
        .own = r.own,
        .ghosts = r.ghosts,
        .imbalance = r.imbalance,
        .bytes_route = spent[COMM_ROUTE].bytes,
        .bytes_ghosts = spent[COMM_GHOSTS].bytes,
        .bytes_planes = spent[COMM_PLANES].bytes,
        .bytes_transform = spent[COMM_TRANSFORM].bytes,
        .seconds_route = spent[COMM_ROUTE].seconds,
        .seconds_ghosts = spent[COMM_GHOSTS].seconds,
        .seconds_planes = spent[COMM_PLANES].seconds,
        .seconds_transform = spent[COMM_TRANSFORM].seconds,
        .seconds_waiting = spent[COMM_TALK].seconds,
        .transport = r.transport,
    };
    for (int p = 0; p < COMM_PARTS; p++)
        all.bytes_sent += spent[p].bytes;
    return farsum_comm_give(info, info->size, &all, sizeof all,
                            "FARSUM_MPI_INFO_INIT");
}
