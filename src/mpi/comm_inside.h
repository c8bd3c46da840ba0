/* SPDX-License-Identifier: Apache-2.0 */
/* comm_inside.h: what the parts of the communication by MPI share. */
#ifndef FARSUM_MPI_COMM_INSIDE_H
#define FARSUM_MPI_COMM_INSIDE_H

#include "comm/exported.h"
#include "mpi/comm_mpi.h"

struct mpi {
    MPI_Comm comm;
    int64_t piece;          /* longest message, bytes */
    int64_t trades;         /* so far */
    char *kept;             /* owned, [2][size][piece]: messages to and from
                               ranks; NULL: without patience */
    MPI_Request requests[]; /* [2 size]: each rank's receive and send */
};

/* Longest message, because MPI counts in int. */
enum { MPI_PIECE = 1 << 30 };

extern const struct comm_calls mpi_calls;
/* FARSUM_ERR_COMM with MPI's words, unless code is MPI_SUCCESS. */
farsum_status mpi_status(int code, const char *call);

/* Keeps the first failure.  Its message stays the thread's, because `one` is
 * evaluated only while there is none. */
#define KEEP(status, one)                                                      \
    do {                                                                       \
        if ((status) == FARSUM_OK)                                             \
            (status) = (one);                                                  \
    } while (0)
#endif
