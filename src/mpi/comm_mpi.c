/* SPDX-License-Identifier: Apache-2.0 */
/* comm_mpi.c: the communication among the ranks of an MPI communicator.
 *
 * With patience, calls do not block: MPI_Test and the clock replace MPI_Wait.
 * After a rank has lost the others, MPI may still use the memory of its last
 * call, so messages then are in memory that is never freed.
 *
 * A rank whose MPI call failed continues with the calls that other ranks expect
 * of it, so that they all reach the next comm_agree. */
#include "mpi/comm_inside.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    TAGS = 32767, /* MPI permits larger ones, but need not */
    /* bytes of messages in one direction with patience; per rank at least */
    KEPT = 1 << 24,
    KEPT_LEAST = 1 << 12
};

farsum_status mpi_status(int code, const char *call)
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

/* --- waiting --- */

/* Without patience waits for a request; with it returns 0 if that ends first.
 * A request that failed has ended.  In MPICH a failing MPI_Wait calls the error
 * handler of MPI_COMM_WORLD, which by default ends the program. */
static int ended(const struct comm *comm, MPI_Request *request,
                 MPI_Status *found, int *code)
{
    double start = MPI_Wtime(), spent = 0;
    int done = comm->patience == 0;
    if (done)
        *code = MPI_Wait(request, found);
    while (!done) {
        *code = MPI_Test(request, &done, found);
        if (done || *code != MPI_SUCCESS)
            break;
        spent = MPI_Wtime() - start;
        if (spent > comm->patience)
            return 0;
        if (spent < 1e-3)
            sched_yield();
        else
            usleep(20);
    }
    return 1;
}

/* Ends a collective call that began with `code`. */
static farsum_status ended_all(struct comm *comm, MPI_Request *request,
                               int code, const char *call)
{
    if (code == MPI_SUCCESS && !ended(comm, request, MPI_STATUS_IGNORE, &code))
        return farsum_comm_lose(comm, "other ranks");
    return mpi_status(code, call);
}

static char *kept_for(const struct comm *comm, int rank)
{
    const struct mpi *m = comm->inside;
    return m->kept + rank * m->piece;
}

static char *kept_from(const struct comm *comm, int rank)
{
    return kept_for(comm, comm->size + rank);
}

/* Loses the ranks whose requests have not ended. */
static farsum_status lose(struct comm *comm)
{
    struct mpi *m = comm->inside;
    char who[96] = "";
    int n = 0, left = 0;
    for (int r = 0; r < comm->size; r++) {
        int got = 1, sent = 1;
        MPI_Test(&m->requests[2 * r], &got, MPI_STATUS_IGNORE);
        MPI_Test(&m->requests[2 * r + 1], &sent, MPI_STATUS_IGNORE);
        left += !got || !sent;
        if ((!got || !sent) && n < 64)
            n += snprintf(who + n, sizeof who - (size_t)n, "%s%d",
                          n > 0 ? ", " : "", r);
    }
    char text[128];
    snprintf(text, sizeof text, "%s %s%s", left > 1 ? "ranks" : "rank", who,
             n < 64 ? "" : " ...");
    return farsum_comm_lose(comm, text);
}

/* --- the calls --- */

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

/* The same with patience. */
static farsum_status gather_kept(struct comm *comm, const char *one, char *all,
                                 int64_t bytes)
{
    struct mpi *m = comm->inside;
    farsum_status status = FARSUM_OK;
    for (int64_t at = 0; at < bytes && !comm->lost; at += m->piece) {
        int some = (int)(bytes - at < m->piece ? bytes - at : m->piece);
        MPI_Request request = MPI_REQUEST_NULL;
        memcpy(kept_for(comm, 0), one + at, (size_t)some);
        int code = MPI_Iallgather(kept_for(comm, 0), some, MPI_BYTE,
                                  kept_from(comm, 0), some, MPI_BYTE, m->comm,
                                  &request);
        farsum_status piece = ended_all(comm, &request, code, "MPI_Iallgather");
        status = status == FARSUM_OK || comm->lost ? piece : status;
        for (int r = 0; r < comm->size && piece == FARSUM_OK; r++)
            memcpy(all + r * bytes + at,
                   kept_from(comm, 0) + (size_t)r * (size_t)some, (size_t)some);
    }
    return status;
}

static farsum_status mpi_gather(struct comm *comm, const void *one, void *all,
                                int64_t bytes)
{
    struct mpi *m = comm->inside;
    farsum_status status = FARSUM_OK;
    if (comm->patience > 0)
        return gather_kept(comm, one, all, bytes);
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
    size_t bytes = (size_t)comm->size * sizeof *to;
    MPI_Request request = MPI_REQUEST_NULL;
    if (comm->patience == 0)
        return mpi_status(
            MPI_Alltoall(to, 1, MPI_INT64_T, from, 1, MPI_INT64_T, m->comm),
            "MPI_Alltoall");
    memcpy(kept_for(comm, 0), to, bytes);
    int code =
        MPI_Ialltoall(kept_for(comm, 0), 1, MPI_INT64_T, kept_from(comm, 0), 1,
                      MPI_INT64_T, m->comm, &request);
    TRY(ended_all(comm, &request, code, "MPI_Ialltoall"));
    memcpy(from, kept_from(comm, 0), bytes);
    return FARSUM_OK;
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
    int patient = comm->patience > 0;
    int64_t next = at; /* not a pointer: an empty array may be NULL */
    for (int r = 0; r < comm->size; next += from[r++]) {
        MPI_Request *q = &m->requests[2 * r];
        int some = r == comm->rank ? 0 : piece_of(m, from[r], at);
        *q = MPI_REQUEST_NULL;
        char *to_here = patient ? kept_from(comm, r) : got + next;
        if (some > 0)
            made(MPI_Irecv(to_here, some, MPI_BYTE, r, tag, m->comm, q), q,
                 code);
        n += some > 0;
    }
    next = at;
    for (int r = 0; r < comm->size; next += to[r++]) {
        MPI_Request *q = &m->requests[2 * r + 1];
        int some = r == comm->rank ? 0 : piece_of(m, to[r], at);
        *q = MPI_REQUEST_NULL;
        const char *from_here = patient ? kept_for(comm, r) : send + next;
        if (some > 0 && patient)
            memcpy(kept_for(comm, r), send + next, (size_t)some);
        if (some > 0)
            made(MPI_Isend(from_here, some, MPI_BYTE, r, tag, m->comm, q), q,
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

/* A message from rank r has arrived. */
static farsum_status arrived(const struct comm *comm, const MPI_Status *found,
                             int r, int wanted, char *to)
{
    int bytes = 0;
    MPI_Get_count(found, MPI_BYTE, &bytes);
    if (bytes != wanted)
        return sent_instead(r, bytes, wanted);
    if (comm->patience > 0)
        memcpy(to, kept_from(comm, r), (size_t)bytes);
    return FARSUM_OK;
}

/* Waits until MPI uses none of the arrays, also after a failure. */
static farsum_status trade_finish(struct comm *comm, char *got,
                                  const int64_t *from, int64_t at, int code)
{
    struct mpi *m = comm->inside;
    farsum_status status = mpi_status(code, "MPI_Isend or MPI_Irecv");
    int64_t next = at;
    for (int k = 0; k < 2 * comm->size; next += k % 2 ? from[k / 2] : 0, k++) {
        if (m->requests[k] == MPI_REQUEST_NULL)
            continue;
        MPI_Status found;
        int one = MPI_SUCCESS;
        if (!ended(comm, &m->requests[k], &found, &one))
            return lose(comm);
        KEEP(status, mpi_status(one, "MPI_Wait"));
        if (status == FARSUM_OK && k % 2 == 0)
            status = arrived(comm, &found, k / 2, piece_of(m, from[k / 2], at),
                             got + next);
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
            farsum_status one = trade_finish(comm, got, from, at, code);
            if (comm->lost)
                return one;
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

/* MPI_Comm_free may wait for ranks that never come. */
static int mpi_together(struct comm *comm)
{
    struct mpi *m = comm->inside;
    MPI_Request request = MPI_REQUEST_NULL;
    if (comm->patience == 0)
        return 1;
    int code = MPI_Ibarrier(m->comm, &request);
    return ended_all(comm, &request, code, "MPI_Ibarrier") == FARSUM_OK;
}

static void mpi_destroy(struct comm *comm)
{
    struct mpi *m = comm->inside;
    int over = 0;
    MPI_Finalized(&over);
    if (comm->lost || (!over && !mpi_together(comm)))
        return;
    if (!over)
        MPI_Comm_free(&m->comm);
    free(m->kept);
}

static farsum_status mpi_ready(struct comm *comm)
{
    struct mpi *m = comm->inside;
    int64_t piece = KEPT / comm->size / 8 * 8;
    piece = piece > KEPT_LEAST ? piece : KEPT_LEAST;
    m->piece = m->piece < piece && m->piece >= 8 ? m->piece : piece;
    m->kept = malloc(2 * (size_t)comm->size * (size_t)m->piece);
    if (!m->kept)
        return farsum_comm_fail(FARSUM_ERR_MEMORY,
                                "no memory for messages with patience");
    return FARSUM_OK;
}

const struct comm_calls mpi_calls = {mpi_gather, mpi_counts, mpi_trade,
                                     mpi_destroy, mpi_ready};
