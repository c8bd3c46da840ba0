/* SPDX-License-Identifier: Apache-2.0 */
/* comm_create.c: a comm of an MPI communicator, and its options. */
#include <stdio.h>

#include "mpi/comm_inside.h"

/* Checks that cannot wait for other ranks. */
static farsum_status check_running(MPI_Comm given)
{
    int begun = 0, over = 0, inter = 0;
    MPI_Initialized(&begun);
    if (begun)
        MPI_Finalized(&over);
    if (!begun || over)
        return farsum_comm_fail(FARSUM_ERR_STATE, begun
            ? "MPI is finalized; destroy and create before MPI_Finalize"
            : "MPI is not initialised; call MPI_Init_thread first");
    if (given == MPI_COMM_NULL)
        return farsum_comm_fail(FARSUM_ERR_ARGUMENT,
                                "the communicator is MPI_COMM_NULL");
    TRY(mpi_status(MPI_Comm_test_inter(given, &inter), "MPI_Comm_test_inter"));
    if (inter)
        return farsum_comm_fail(FARSUM_ERR_ARGUMENT, "the communicator is an "
            "intercommunicator; merge it by MPI_Intercomm_merge");
    return FARSUM_OK;
}

static farsum_status check_threads(int least)
{
    int level = MPI_THREAD_SINGLE, main_thread = 0;
    TRY(mpi_status(MPI_Query_thread(&level), "MPI_Query_thread"));
    if (level < least)
        return farsum_comm_fail(FARSUM_ERR_STATE, "MPI was initialised for "
            "programs without threads; call MPI_Init_thread with "
            "MPI_THREAD_FUNNELED");
    TRY(mpi_status(MPI_Is_thread_main(&main_thread), "MPI_Is_thread_main"));
    if (level <= MPI_THREAD_FUNNELED && !main_thread)
        return farsum_comm_fail(FARSUM_ERR_STATE, "this thread did not "
            "initialise MPI; call from the thread that did, or ask "
            "MPI_Init_thread for MPI_THREAD_SERIALIZED");
    return FARSUM_OK;
}

/* comm_agree, while a rank may not have a comm. */
static farsum_status agree(MPI_Comm comm, int rank, int size,
                           farsum_status status)
{
    char words[1024] = "", text[1100];
    int mine = status == FARSUM_OK ? size : rank, low = size, code = status;
    if (status != FARSUM_OK)
        snprintf(words, sizeof words, "%s", farsum_message());
    TRY(mpi_status(MPI_Allreduce(&mine, &low, 1, MPI_INT, MPI_MIN, comm),
                   "MPI_Allreduce"));
    if (low == size)
        return FARSUM_OK;
    TRY(mpi_status(MPI_Bcast(&code, 1, MPI_INT, low, comm), "MPI_Bcast"));
    TRY(mpi_status(MPI_Bcast(words, sizeof words, MPI_CHAR, low, comm),
                   "MPI_Bcast"));
    if (size > 1)
        snprintf(text, sizeof text, "rank %d: %s", low, words);
    return farsum_comm_fail((farsum_status)code, size > 1 ? text : words);
}

/* Collective, so a rank that failed calls it too. */
static farsum_status node_rank(MPI_Comm own, int rank, int *number)
{
    MPI_Comm node;
    TRY(mpi_status(MPI_Comm_split_type(own, MPI_COMM_TYPE_SHARED, rank,
                                       MPI_INFO_NULL, &node),
                   "MPI_Comm_split_type"));
    int code = MPI_Comm_rank(node, number);
    MPI_Comm_free(&node);
    return mpi_status(code, "MPI_Comm_rank");
}

static farsum_status comm_make(MPI_Comm own, int rank, int size, int64_t piece,
                               int level, struct comm **comm)
{
    size_t requests = 2 * (size_t)size * sizeof(MPI_Request);
    TRY(check_threads(level));
    TRY(farsum_comm_create(FARSUM_VERSION_TEXT, rank, size, "mpi", &mpi_calls,
                         (int64_t)(sizeof(struct mpi) + requests), comm));
    struct mpi *m = (*comm)->inside;
    m->comm = own;
    m->piece = piece > 0 ? piece : MPI_PIECE;
    return FARSUM_OK;
}

farsum_status comm_mpi(MPI_Comm given, int64_t piece, struct comm **comm)
{
    return comm_mpi_level(given, piece, MPI_THREAD_FUNNELED, comm);
}

farsum_status comm_mpi_level(MPI_Comm given, int64_t piece, int level,
                             struct comm **comm)
{
    MPI_Comm own;
    int rank = 0, size = 0, number = 0;
    struct comm *made = NULL;
    TRY(check_running(given));
    TRY(mpi_status(MPI_Comm_dup(given, &own), "MPI_Comm_dup"));
    farsum_status status = mpi_status(
        MPI_Comm_set_errhandler(own, MPI_ERRORS_RETURN),
        "MPI_Comm_set_errhandler");
    KEEP(status, mpi_status(MPI_Comm_rank(own, &rank), "MPI_Comm_rank"));
    KEEP(status, mpi_status(MPI_Comm_size(own, &size), "MPI_Comm_size"));
    farsum_status numbered = node_rank(own, rank, &number);
    KEEP(status, numbered);
    KEEP(status, comm_make(own, rank, size, piece, level, &made));
    status = agree(own, rank, size, status);
    if (status == FARSUM_OK) {
        made->node_rank = number;
        *comm = made;
    } else if (made) {
        farsum_comm_destroy(made); /* and `own` */
    } else {
        MPI_Comm_free(&own);
    }
    return status;
}

farsum_status comm_mpi_set(struct comm *comm, const farsum_mpi_options *options)
{
    struct mpi *m = comm->inside;
    int64_t bytes = options->message_bytes, range[2] = {bytes, ~bytes};
    char text[128];
    int code = MPI_Allreduce(MPI_IN_PLACE, range, 2, MPI_INT64_T, MPI_MIN,
                             m->comm);
    TRY(farsum_comm_agree(comm, mpi_status(code, "MPI_Allreduce")));
    int64_t least = range[0], most = ~range[1];
    if (least == most && least >= 0 && most <= MPI_PIECE) {
        m->piece = bytes > 0 ? bytes : MPI_PIECE;
        return farsum_comm_patience(comm, options->patience);
    }
    if (least != most)
        snprintf(text, sizeof text, "message_bytes is %lld on one rank and "
                 "%lld on another; all ranks must set the same",
                 (long long)least, (long long)most);
    else
        snprintf(text, sizeof text, "message_bytes is %lld, not 0 .. %d",
                 (long long)bytes, MPI_PIECE);
    return farsum_comm_fail(FARSUM_ERR_ARGUMENT, text);
}

const char *farsum_mpi_version(void)
{
    return FARSUM_VERSION_TEXT;
}
