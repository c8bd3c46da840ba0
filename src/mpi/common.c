/* SPDX-License-Identifier: Apache-2.0 */
/* common.c: common code of the public functions over the ranks of MPI. */
#include "mpi/common.h"

#include <stdio.h>

#include "mpi/comm_mpi.h"

/* Checks what only this rank passes. */
static farsum_status arguments(const farsum_mpi_options *given,
                               farsum_mpi_options *options, const void *output,
                               const char *name)
{
    char text[64];
    snprintf(text, sizeof text, "%s is NULL", name);
    if (!output)
        return farsum_comm_fail(FARSUM_ERR_ARGUMENT, text);
    if (given)
        TRY(farsum_comm_take(options, sizeof *options, given, given->size,
                             "FARSUM_MPI_OPTIONS_INIT"));
    return FARSUM_OK;
}

farsum_status mpi_begin(MPI_Comm given, const farsum_mpi_options *options,
                        const void *output, const char *name,
                        struct comm **comm, farsum_mpi_options *taken)
{
    struct comm *made = NULL;
    *taken = (farsum_mpi_options)FARSUM_MPI_OPTIONS_INIT;
    farsum_status status = arguments(options, taken, output, name);
    TRY(comm_mpi_level(given, 0, taken->accept_single ? MPI_THREAD_SINGLE
                                                      : MPI_THREAD_FUNNELED,
                       &made));
    status = farsum_comm_agree(made, status);
    if (status == FARSUM_OK)
        status = comm_mpi_set(made, taken);
    if (status != FARSUM_OK) {
        farsum_comm_destroy(made);
        return status;
    }
    *comm = made;
    return FARSUM_OK;
}

farsum_status mpi_end(struct comm *comm, farsum_status status)
{
    if (status != FARSUM_OK)
        farsum_comm_destroy(comm);
    return status;
}

farsum_status mpi_info(const struct ranks_info *from, farsum_mpi_info *info)
{
    const struct comm_spent *spent = from->spent;
    int across = from->across > 1 ? from->across : 1;
    farsum_mpi_info all = {
        .size = sizeof all,
        .ranks = from->ranks,
        .rank = from->rank,
        .domain = {from->ranks / across, across},
        .own = from->own,
        .ghosts = from->ghosts,
        .imbalance = from->imbalance,
        .bytes_route = spent[COMM_ROUTE].bytes,
        .bytes_ghosts = spent[COMM_GHOSTS].bytes,
        .bytes_planes = spent[COMM_PLANES].bytes,
        .bytes_transform = spent[COMM_TRANSFORM].bytes,
        .seconds_route = spent[COMM_ROUTE].seconds,
        .seconds_ghosts = spent[COMM_GHOSTS].seconds,
        .seconds_planes = spent[COMM_PLANES].seconds,
        .seconds_transform = spent[COMM_TRANSFORM].seconds,
        .seconds_waiting = spent[COMM_TALK].seconds,
        .transport = from->transport,
        .work_imbalance = from->work_imbalance,
        .recuts = from->recuts,
    };
    for (int p = 0; p < COMM_PARTS; p++)
        all.bytes_sent += spent[p].bytes;
    return farsum_comm_give(info, info->size, &all, sizeof all,
                            "FARSUM_MPI_INFO_INIT");
}
