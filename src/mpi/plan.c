/* SPDX-License-Identifier: Apache-2.0 */
/* plan.c: the public functions of plans over the ranks of MPI. */
#include "plan/exported.h"

#include "mpi/common.h"

farsum_status farsum_mpi_plan_create(const farsum_problem *problem,
                                     const farsum_options *options,
                                     const farsum_mpi_options *mpi,
                                     MPI_Comm given, farsum_plan **plan)
{
    farsum_mpi_options o;
    struct comm *comm;
    TRY(mpi_begin(given, mpi, plan, "plan", &comm, &o));
    const struct ranks_shape shape = {{o.domain[0], o.domain[1]}};
    return mpi_end(comm, farsum_ranks_plan_create(comm, problem, options,
                                                  o.transport, &shape, plan));
}

farsum_status farsum_mpi_plan_create_fortran(const farsum_problem *problem,
                                             const farsum_options *options,
                                             const farsum_mpi_options *mpi,
                                             MPI_Fint given, farsum_plan **plan)
{
    return farsum_mpi_plan_create(problem, options, mpi, MPI_Comm_f2c(given),
                                  plan);
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
    return mpi_info(&r, info);
}
