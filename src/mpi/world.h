/* SPDX-License-Identifier: Apache-2.0 */
/* world.h: all ranks of an MPI job, for a program without mpi.h.
 *
 * The command opens libfarsum_mpi at run time and finds these functions by
 * name.  No installed header declares them. */
#ifndef FARSUM_MPI_WORLD_H
#define FARSUM_MPI_WORLD_H

#include "comm/comm.h"

/* Makes a comm of all ranks.  Collective.  Initialises MPI, with
 * MPI_THREAD_FUNNELED, unless the program has.  May be called again: each comm
 * keeps its messages apart.  comm: unchanged on failure; farsum_comm_destroy,
 * which is collective, or farsum_mpi_world_end frees it.
 * Errors: those of comm_mpi. */
FARSUM_API farsum_status farsum_mpi_world(struct comm **comm);
/* Frees comm (NULL is legal) and, if farsum_mpi_world initialised MPI,
 * finalizes it.  Collective.  Destroy all other comms first, and make none
 * afterwards. */
FARSUM_API void farsum_mpi_world_end(struct comm *comm);
/* Ends all processes of the job with an exit status, 1 to 255.  For one rank
 * that cannot go on while others wait for it.  If MPI is not running, only this
 * process ends. */
FARSUM_API void farsum_mpi_world_abort(int status);

/* Types for dlsym. */
typedef farsum_status farsum_mpi_world_fn(struct comm **comm);
typedef void farsum_mpi_world_end_fn(struct comm *comm);
typedef void farsum_mpi_world_abort_fn(int status);
#endif
