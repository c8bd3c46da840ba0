/* SPDX-License-Identifier: Apache-2.0 */
/* comm_mpi.h: the communication among the ranks of an MPI communicator. */
#ifndef FARSUM_MPI_COMM_MPI_H
#define FARSUM_MPI_COMM_MPI_H

#include "comm/comm.h"
#include "farsum/mpi.h"

/* Makes a comm of a duplicate of `given`.  Collective.  If it fails on one
 * rank, it fails on all with the same status and words.
 *
 * piece: the largest message in bytes (0: 2^30); the same on all ranks.  Longer
 * ones are sent in pieces, because MPI counts in int.
 * Errors: ERR_ARGUMENT if `given` is MPI_COMM_NULL or an intercommunicator;
 * ERR_STATE if MPI is not running or has no MPI_THREAD_FUNNELED, if the thread
 * is not the one that initialised MPI, or if libfarsum is another version;
 * ERR_MEMORY; ERR_COMM if MPI fails.
 *
 * comm_destroy is collective.  After MPI_Finalize it makes no MPI call. */
farsum_status comm_mpi(MPI_Comm given, int64_t piece, struct comm **comm);
/* The same for an MPI with another level of threads: MPI_THREAD_SINGLE or
 * MPI_THREAD_FUNNELED. */
farsum_status comm_mpi_level(MPI_Comm given, int64_t piece, int level,
                             struct comm **comm);
/* Sets the largest message and the patience.  Collective.  Errors:
 * ERR_ARGUMENT, also if they differ among the ranks; ERR_MEMORY. */
farsum_status comm_mpi_set(struct comm *comm,
                           const farsum_mpi_options *options);
#endif
