/* SPDX-License-Identifier: Apache-2.0 */
/* comm_mpi.c: the communication among the ranks of an MPI communicator.
 *
 * A rank whose MPI call failed continues with the calls that other ranks expect
 * of it, so that they all reach the next comm_agree. */
#include "mpi/comm_mpi.h"

#include <stdio.h>
#include <string.h>

#include "comm/exported.h"

enum {
    TAGS = 32767,   /* MPI permits larger ones, but need not */
    PIECE = 1 << 30 /* bytes */
};

struct mpi {
    MPI_Comm comm;
    int64_t piece;
    int64_t trades;         /* so far */
    MPI_Request requests[]; /* [2 size]: each rank's receive and send */
};

static farsum_status mpi_status(int code, const char *call)
{
    if (code == MPI_SUCCESS)
        return FARSUM_OK;
    char words[MPI_MAX_ERROR_STRING + 1] = "";
    char text[MPI_MAX_ERROR_STRING + 64];
    int length = 0;
    MPI_Error_string(code, words, &length);
    for (char *c = words; *c; c++)
        if (*c == '\n') /* MPICH lists the calls inside */
            *c = c[1] ? ' ' : 0;
    snprintf(text, sizeof text, "%s: %s", call, words);
    return farsum_comm_fail(FARSUM_ERR_COMM, text);
}

/* Keeps the first failure.  Its message stays the thread's, because `one` is
 * evaluated only while there is none. */
#define KEEP(status, one)                                                      \
    do {                                                                       \
        if ((status) == FARSUM_OK)                                             \
            (status) = (one);                                                  \
    } while (0)

/* Gathers bytes [at, at + some) of each rank's `bytes`. */
static int gather_piece(MPI_Comm comm, const char *one, char *all,
                        int64_t bytes, int64_t at, int some)
{
    MPI_Datatype part, strided;
    MPI_Type_contiguous(some, MPI_BYTE, &part);
    MPI_Type_create_resized(part, 0, (MPI_Aint)bytes, &strided);
    MPI_Type_commit(&strided);
    int code = MPI_Allgather(one + at, some, MPI_BYTE, all + at, 1, strided,
                             comm);
    MPI_Type_free(&strided);
    MPI_Type_free(&part);
    return code;
}

static farsum_status mpi_gather(struct comm *comm, const void *one, void *all,
                                int64_t bytes)
{
    struct mpi *m = comm->inside;
    farsum_status status = FARSUM_OK;
    /* MPI libraries multiply the count by the number of ranks */
    int64_t most = m->piece / comm->size > 0 ? m->piece / comm->size : 1;
    if (bytes > 0 && bytes <= most)
        return mpi_status(MPI_Allgather(one, (int)bytes, MPI_BYTE, all,
                                        (int)bytes, MPI_BYTE, m->comm),
                          "MPI_Allgather");
    for (int64_t at = 0; at < bytes; at += most) {
        int some = (int)(bytes - at < most ? bytes - at : most);
        int code = gather_piece(m->comm, one, all, bytes, at, some);
        KEEP(status, mpi_status(code, "MPI_Allgather"));
    }
    return status;
}

static farsum_status mpi_counts(struct comm *comm, const int64_t *to,
                                int64_t *from)
{
    struct mpi *m = comm->inside;
    return mpi_status(MPI_Alltoall(to, 1, MPI_INT64_T, from, 1, MPI_INT64_T,
                                   m->comm), "MPI_Alltoall");
}

/* The number of bytes of a part in the piece that starts at `at`. */
static int piece_of(const struct mpi *m, int64_t part, int64_t at)
{
    int64_t left = part - at;
    return (int)(left <= 0 ? 0 : left < m->piece ? left : m->piece);
}

/* A request that could not be made is null, and its failure is in *code. */
static void made(int one, MPI_Request *request, int *code)
{
    if (one == MPI_SUCCESS)
        return;
    *request = MPI_REQUEST_NULL;
    *code = one;
}

/* Starts to exchange one piece of each part.  Returns the number of messages.
 * All receives are started before sends, so that MPI need not store data. */
static int trade_start(struct comm *comm, const char *send, const int64_t *to,
                       char *got, const int64_t *from, int64_t at, int *code)
{
    struct mpi *m = comm->inside;
    int n = 0, tag = (int)(m->trades % TAGS);
    int64_t next = at; /* not a pointer: an empty array may be NULL */
    for (int r = 0; r < comm->size; next += from[r++]) {
        MPI_Request *q = &m->requests[2 * r];
        int some = r == comm->rank ? 0 : piece_of(m, from[r], at);
        *q = MPI_REQUEST_NULL;
        if (some > 0)
            made(MPI_Irecv(got + next, some, MPI_BYTE, r, tag, m->comm, q), q,
                 code);
        n += some > 0;
    }
    next = at;
    for (int r = 0; r < comm->size; next += to[r++]) {
        MPI_Request *q = &m->requests[2 * r + 1];
        int some = r == comm->rank ? 0 : piece_of(m, to[r], at);
        *q = MPI_REQUEST_NULL;
        if (some > 0)
            made(MPI_Isend(send + next, some, MPI_BYTE, r, tag, m->comm, q), q,
                 code);
        n += some > 0;
    }
    return n;
}

static farsum_status sent_instead(int rank, int bytes, int wanted)
{
    char text[96];
    snprintf(text, sizeof text, "rank %d sent %d bytes instead of %d", rank,
             bytes, wanted);
    return farsum_comm_fail(FARSUM_ERR_INTERNAL, text);
}

/* Waits until MPI uses none of the arrays, also after a failure.  In MPICH a
 * failing MPI_Wait calls the error handler of MPI_COMM_WORLD, which by default
 * ends the program. */
static farsum_status trade_finish(struct comm *comm, const int64_t *from,
                                  int64_t at, int code)
{
    struct mpi *m = comm->inside;
    farsum_status status = mpi_status(code, "MPI_Isend or MPI_Irecv");
    for (int k = 0; k < 2 * comm->size; k++) {
        if (m->requests[k] == MPI_REQUEST_NULL)
            continue;
        MPI_Status found;
        int ended = MPI_Wait(&m->requests[k], &found);
        KEEP(status, mpi_status(ended, "MPI_Wait"));
        int wanted = piece_of(m, from[k / 2], at), bytes = 0;
        if (status == FARSUM_OK && k % 2 == 0) {
            MPI_Get_count(&found, MPI_BYTE, &bytes);
            if (bytes != wanted)
                status = sent_instead(k / 2, bytes, wanted);
        }
    }
    return status;
}

static farsum_status mpi_trade(struct comm *comm, const void *send,
                               const int64_t *to, void *got,
                               const int64_t *from)
{
    struct mpi *m = comm->inside;
    farsum_status status = FARSUM_OK;
    int me = comm->rank, any = 1;
    m->trades++; /* a message that nobody received does not match later ones */
    for (int64_t at = 0; any; at += m->piece) {
        int code = MPI_SUCCESS;
        any = trade_start(comm, send, to, got, from, at, &code);
        if (any) {
            farsum_status one = trade_finish(comm, from, at, code);
            if (status == FARSUM_OK)
                status = one;
        }
    }
    if (to[me] != from[me])
        return farsum_comm_fail(FARSUM_ERR_INTERNAL, "a rank does not receive "
                                "from itself the bytes that it sends");
    if (to[me] == 0)
        return status;
    const char *a = send;
    char *b = got;
    for (int r = 0; r < me; r++) {
        a += to[r];
        b += from[r];
    }
    memcpy(b, a, (size_t)to[me]);
    return status;
}

static void mpi_destroy(struct comm *comm)
{
    struct mpi *m = comm->inside;
    int over = 0;
    MPI_Finalized(&over);
    if (!over)
        MPI_Comm_free(&m->comm);
}

static const struct comm_calls mpi_calls = {mpi_gather, mpi_counts, mpi_trade,
                                            mpi_destroy};

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

static farsum_status check_threads(void)
{
    int level = MPI_THREAD_SINGLE, main_thread = 0;
    TRY(mpi_status(MPI_Query_thread(&level), "MPI_Query_thread"));
    if (level < MPI_THREAD_FUNNELED)
        return farsum_comm_fail(FARSUM_ERR_STATE, "MPI was initialised for "
            "programs without threads; call MPI_Init_thread with "
            "MPI_THREAD_FUNNELED");
    TRY(mpi_status(MPI_Is_thread_main(&main_thread), "MPI_Is_thread_main"));
    if (level == MPI_THREAD_FUNNELED && !main_thread)
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
                               struct comm **comm)
{
    size_t requests = 2 * (size_t)size * sizeof(MPI_Request);
    TRY(check_threads());
    TRY(farsum_comm_create(FARSUM_VERSION_TEXT, rank, size, "mpi", &mpi_calls,
                         (int64_t)(sizeof(struct mpi) + requests), comm));
    struct mpi *m = (*comm)->inside;
    m->comm = own;
    m->piece = piece > 0 ? piece : PIECE;
    return FARSUM_OK;
}

farsum_status comm_mpi(MPI_Comm given, int64_t piece, struct comm **comm)
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
    KEEP(status, comm_make(own, rank, size, piece, &made));
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

farsum_status comm_mpi_longest(struct comm *comm, int64_t bytes)
{
    struct mpi *m = comm->inside;
    int64_t range[2] = {bytes, ~bytes};
    char text[128];
    int code = MPI_Allreduce(MPI_IN_PLACE, range, 2, MPI_INT64_T, MPI_MIN,
                             m->comm);
    TRY(farsum_comm_agree(comm, mpi_status(code, "MPI_Allreduce")));
    int64_t least = range[0], most = ~range[1];
    if (least == most && least >= 0 && most <= PIECE) {
        m->piece = bytes > 0 ? bytes : PIECE;
        return FARSUM_OK;
    }
    if (least != most)
        snprintf(text, sizeof text, "message_bytes is %lld on one rank and "
                 "%lld on another; all ranks must set the same",
                 (long long)least, (long long)most);
    else
        snprintf(text, sizeof text, "message_bytes is %lld, not 0 .. %d",
                 (long long)bytes, PIECE);
    return farsum_comm_fail(FARSUM_ERR_ARGUMENT, text);
}

const char *farsum_mpi_version(void)
{
    return FARSUM_VERSION_TEXT;
}
