/* SPDX-License-Identifier: Apache-2.0 */
/* world.c: all ranks of an MPI job, for a program without mpi.h. */
#include "mpi/world.h"

#include <stdlib.h>

#include "comm/exported.h"
#include "mpi/comm_mpi.h"

static int begun_here; /* MPI, by farsum_mpi_world */

static int running(void)
{
    int begun = 0, over = 0;
    MPI_Initialized(&begun);
    if (begun)
        MPI_Finalized(&over);
    return begun && !over;
}

farsum_status farsum_mpi_world(struct comm **comm)
{
    int begun = 0, level;
    MPI_Initialized(&begun);
    if (!begun) {
        if (MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &level)
            != MPI_SUCCESS)
            return farsum_comm_fail(FARSUM_ERR_COMM, "MPI_Init_thread failed");
        begun_here = 1;
    }
    return comm_mpi(MPI_COMM_WORLD, 0, comm);
}

void farsum_mpi_world_end(struct comm *comm)
{
    farsum_comm_destroy(comm);
    if (begun_here && running())
        MPI_Finalize();
}

void farsum_mpi_world_abort(int status)
{
    if (running())
        MPI_Abort(MPI_COMM_WORLD, status);
    _Exit(status);
}
