/* SPDX-License-Identifier: Apache-2.0 */
/* mesh.c: the public functions of meshes and NUFFTs over the ranks of MPI. */
#include "mesh/exported.h"

#include <stdio.h>

#include "mpi/common.h"

/* Refuses other parts than slabs.  Collective. */
static farsum_status only_slabs(struct comm *comm, const farsum_mpi_options *o)
{
    const int *domain = o->domain;
    farsum_status status = FARSUM_OK;
    char text[128];
    snprintf(text, sizeof text,
             "domain is %d x %d; meshes and NUFFTs have only slabs, %d x 1",
             domain[0], domain[1], comm->size);
    if ((domain[0] != 0 && domain[0] != comm->size)
        || (domain[1] != 0 && domain[1] != 1))
        status = farsum_comm_fail(FARSUM_ERR_UNSUPPORTED, text);
    return farsum_comm_agree(comm, status);
}

farsum_status farsum_mpi_mesh_create(const farsum_mesh_problem *problem,
                                     const farsum_mesh_options *options,
                                     const farsum_mpi_options *mpi,
                                     MPI_Comm given, farsum_mesh **mesh)
{
    farsum_mpi_options o;
    struct comm *comm;
    TRY(mpi_begin(given, mpi, mesh, "mesh", &comm, &o));
    farsum_status status = only_slabs(comm, &o);
    if (status != FARSUM_OK)
        return mpi_end(comm, status);
    return mpi_end(comm, farsum_ranks_mesh_create(comm, problem, options,
                                                  o.transport, mesh));
}

farsum_status farsum_mpi_nufft_create(const farsum_nufft_problem *problem,
                                      const farsum_mesh_options *options,
                                      const farsum_mpi_options *mpi,
                                      MPI_Comm given, farsum_nufft **nufft)
{
    farsum_mpi_options o;
    struct comm *comm;
    TRY(mpi_begin(given, mpi, nufft, "nufft", &comm, &o));
    farsum_status status = only_slabs(comm, &o);
    if (status != FARSUM_OK)
        return mpi_end(comm, status);
    return mpi_end(comm, farsum_ranks_nufft_create(comm, problem, options,
                                                   o.transport, nufft));
}

farsum_status farsum_mpi_mesh_planes(const farsum_mesh *mesh, int64_t *first,
                                     int64_t *count)
{
    return farsum_ranks_mesh_planes(mesh, first, count);
}

farsum_status farsum_mpi_nufft_modes(const farsum_nufft *nufft, int64_t *first,
                                     int64_t *count)
{
    return farsum_ranks_nufft_modes(nufft, first, count);
}

farsum_status farsum_mpi_mesh_get_info(const farsum_mesh *mesh,
                                       farsum_mpi_info *info)
{
    struct ranks_info r;
    if (!info)
        return farsum_comm_fail(FARSUM_ERR_ARGUMENT, "info is NULL");
    TRY(farsum_ranks_mesh_info(mesh, &r));
    return mpi_info(&r, info);
}

farsum_status farsum_mpi_nufft_get_info(const farsum_nufft *nufft,
                                        farsum_mpi_info *info)
{
    struct ranks_info r;
    if (!info)
        return farsum_comm_fail(FARSUM_ERR_ARGUMENT, "info is NULL");
    TRY(farsum_ranks_nufft_info(nufft, &r));
    return mpi_info(&r, info);
}
