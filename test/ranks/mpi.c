/* SPDX-License-Identifier: Apache-2.0 */
/* mpi.c: tests of the communication among ranks by MPI.
 *
 *     mpiexec -n N test_ranks_mpi cases N
 *     mpiexec -n N test_ranks_mpi exit N    the last rank ends early
 *     mpiexec -n N test_ranks_mpi large N   one part of more than 2^31 bytes
 *
 * The program defines the MPI functions that comm_mpi.c calls, so that a call
 * can be made to fail and that calls after MPI_Finalize are counted. */
#include "mpi/comm_mpi.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "check.h"
#include "ranks/comm_cases.h"

static int ranks; /* of the job */

/* Within the fail_call-th call of comm's functions on rank fail_rank, the
 * fail_at-th call of the functions below fails; except for MPI_Irecv, after it
 * took part. */
static int calls, fail_call, fail_at, fail_rank, my_rank, after_end;

static int fails(int code)
{
    return code == MPI_SUCCESS && my_rank == fail_rank && calls == fail_call
           && fail_at > 0 && --fail_at == 0 ? MPI_ERR_OTHER : code;
}

int MPI_Allgather(const void *send, int n, MPI_Datatype type, void *got, int m,
                  MPI_Datatype other, MPI_Comm comm)
{
    return fails(PMPI_Allgather(send, n, type, got, m, other, comm));
}

int MPI_Alltoall(const void *send, int n, MPI_Datatype type, void *got, int m,
                 MPI_Datatype other, MPI_Comm comm)
{
    return fails(PMPI_Alltoall(send, n, type, got, m, other, comm));
}

int MPI_Isend(const void *send, int n, MPI_Datatype type, int to, int tag,
              MPI_Comm comm, MPI_Request *request)
{
    return fails(PMPI_Isend(send, n, type, to, tag, comm, request));
}

/* Receives that failed.  Their messages stay in MPI, and must not match later
 * receives. */
static struct {
    int from, tag;
    MPI_Comm comm;
} lost[64];
static int n_lost;

int MPI_Irecv(void *got, int n, MPI_Datatype type, int from, int tag,
              MPI_Comm comm, MPI_Request *request)
{
    if (fails(MPI_SUCCESS) == MPI_SUCCESS)
        return PMPI_Irecv(got, n, type, from, tag, comm, request);
    lost[n_lost].from = from;
    lost[n_lost].tag = tag;
    lost[n_lost++].comm = comm;
    return MPI_ERR_OTHER;
}

/* A communicator must not be freed while it has messages. */
static void receive_lost(void)
{
    char bytes[8];
    while (n_lost-- > 0)
        PMPI_Recv(bytes, sizeof bytes, MPI_BYTE, lost[n_lost].from,
                  lost[n_lost].tag, lost[n_lost].comm, MPI_STATUS_IGNORE);
    n_lost = 0;
}

int MPI_Wait(MPI_Request *request, MPI_Status *status)
{
    return fails(PMPI_Wait(request, status));
}

int MPI_Comm_free(MPI_Comm *comm)
{
    int over;
    PMPI_Finalized(&over);
    after_end += over;
    return over ? MPI_SUCCESS : PMPI_Comm_free(comm);
}

static struct comm *made(int64_t piece)
{
    struct comm *comm = NULL;
    if (comm_mpi(MPI_COMM_WORLD, piece, &comm) != FARSUM_OK)
        check_stop("%s", farsum_message());
    return comm;
}

static void test_cases(void)
{
    int64_t before = mem_bytes();
    struct comm *comm = made(0);
    CHECK(comm->size == ranks && comm->rank == my_rank, "rank %d of %d",
          comm->rank, comm->size);
    comm_cases(comm);
    comm_destroy(comm);
    CHECK(mem_bytes() == before, "bytes are lost");
}

/* Long messages in pieces, which here are short. */
static void test_pieces(void)
{
    struct comm *comm = made(300);
    comm_cases(comm);
    comm_destroy(comm);
}

/* The same with patience, whose messages have memory of their own. */
static void test_patience(void)
{
    farsum_mpi_options options = FARSUM_MPI_OPTIONS_INIT;
    options.patience = 100;
    for (int k = 0; k < 2; k++) {
        struct comm *comm = made(0);
        options.message_bytes = k ? 304 : 0;
        CHECK_OK(comm_mpi_set(comm, &options));
        comm_cases(comm);
        comm_destroy(comm);
    }
}

/* Two comms keep their messages apart, and so does a part of the ranks. */
static void test_two(void)
{
    MPI_Comm half;
    MPI_Comm_split(MPI_COMM_WORLD, my_rank % 2, -my_rank, &half);
    struct comm *whole = made(0), *part = NULL;
    CHECK_OK(comm_mpi(half, 0, &part));
    MPI_Comm_free(&half); /* the comm has a duplicate */
    comm_cases(whole);
    comm_cases(part);
    int64_t n = 1;
    CHECK_OK(comm_sum_counts(part, &n, 1));
    CHECK(n == (ranks + 1 - my_rank % 2) / 2, "%lld ranks", (long long)n);
    comm_destroy(part);
    comm_destroy(whole);
}

/* The functions of a comm, counted. */
static const struct comm_calls *real;

static farsum_status count_gather(struct comm *comm, const void *one, void *all,
                                  int64_t bytes)
{
    calls++;
    return real->gather(comm, one, all, bytes);
}

static farsum_status count_counts(struct comm *comm, const int64_t *to,
                                  int64_t *from)
{
    calls++;
    return real->counts(comm, to, from);
}

static farsum_status count_trade(struct comm *comm, const void *send,
                                 const int64_t *to, void *got,
                                 const int64_t *from)
{
    calls++;
    return real->trade(comm, send, to, got, from);
}

/* Runs the flow with a failure.  Returns 0 if call k makes fewer than `at`
 * calls of MPI, so that nothing failed. */
static int flow_fails(struct comm *comm, int k, int at)
{
    calls = 0;
    fail_call = k;
    fail_at = at;
    farsum_status status = comm_cases_flow(comm);
    char words[1024], start[32];
    snprintf(words, sizeof words, "%s", farsum_message());
    snprintf(start, sizeof start, "rank %d: ", fail_rank);
    CHECK(calls == COMM_FLOW_CALLS || status != FARSUM_OK, "%d calls", calls);
    fail_call = 0;
    int mine = my_rank == fail_rank && fail_at == 0, used = 0;
    PMPI_Allreduce(&mine, &used, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    CHECK((status == FARSUM_ERR_COMM) == used,
          "call %d, %d of rank %d fails: rank %d has status %d", k, at,
          fail_rank, my_rank, status);
    if (used)
        CHECK(strncmp(words, start, strlen(start)) == 0
              && strstr(words, "MPI_"), "the words are %s", words);
    return used;
}

/* Each MPI call fails on the first and on the last rank, except in the last
 * comm_agree: the next one would tell it. */
static void test_failures(void)
{
    static const struct comm_calls counted = {
        .gather = count_gather, .counts = count_counts, .trade = count_trade};
    if (ranks == 1)
        return;
    struct comm *comm = made(0);
    real = comm->calls;
    comm->calls = &counted;
    for (fail_rank = 0; fail_rank < ranks; fail_rank += ranks - 1)
        for (int k = 1; k < COMM_FLOW_CALLS; k++) {
            int at = 1;
            while (flow_fails(comm, k, at))
                at++;
            CHECK(at > 1, "nothing fails in call %d", k);
        }
    comm->calls = real;
    comm_cases(comm);
    CHECK(n_lost > 0 || (my_rank != 0 && my_rank != ranks - 1),
          "no receive was made to fail");
    receive_lost();
    comm_destroy(comm);
}

/* Rank 0 sends rank 1 fewer bytes than that expects.  (More end the program
 * with MPICH.) */
static void test_sizes(void)
{
    struct comm *comm = made(0);
    int64_t *to = check_memory((size_t)ranks, 16), *from = to + ranks;
    char send[100] = "", got[100];
    if (ranks > 1) {
        if (my_rank == 0)
            to[1] = 50;
        if (my_rank == 1)
            from[0] = 100;
        farsum_status status = comm->calls->trade(comm, send, to, got, from);
        CHECK((status != FARSUM_OK) == (my_rank == 1), "status %d", status);
        CHECK_FAILS(comm_agree(comm, status), FARSUM_ERR_INTERNAL);
        CHECK_SAYS("rank 1: rank 0 sent 50 bytes instead of 100");
        comm_cases(comm);
    }
    memset(to, 0, (size_t)ranks * 16);
    to[my_rank] = 3;
    from[my_rank] = 4;
    CHECK_FAILS(comm->calls->trade(comm, send, to, got, from),
                FARSUM_ERR_INTERNAL);
    free(to);
    comm_destroy(comm);
}

/* A failure of create on one rank fails on all. */
static void test_create(void)
{
    struct comm *comm = NULL;
    CHECK_FAILS(comm_mpi(MPI_COMM_NULL, 0, &comm), FARSUM_ERR_ARGUMENT);
    int last = ranks - 1;
    for (int n = 1; n <= 3; n++) {
        if (my_rank == last)
            mem_fail_at(n);
        CHECK_FAILS(comm_mpi(MPI_COMM_WORLD, 0, &comm), FARSUM_ERR_MEMORY);
        mem_fail_at(0);
        char words[32];
        snprintf(words, sizeof words, ranks > 1 ? "rank %d: " : "bytes", last);
        CHECK_SAYS(words);
        CHECK(!comm, "a comm was made");
    }
    if (ranks == 1)
        return;
    MPI_Comm mine, inter;
    MPI_Comm_split(MPI_COMM_WORLD, my_rank > 0, 0, &mine);
    MPI_Intercomm_create(mine, 0, MPI_COMM_WORLD, my_rank > 0 ? 0 : 1, 5,
                         &inter);
    CHECK_FAILS(comm_mpi(inter, 0, &comm), FARSUM_ERR_ARGUMENT);
    MPI_Comm_free(&inter);
    MPI_Comm_free(&mine);
}

/* The duplicate's errors return; those of the caller's communicator do what the
 * caller wants. */
static void test_handlers(void)
{
    struct comm *comm = made(0);
    MPI_Errhandler handler;
    MPI_Comm_get_errhandler(MPI_COMM_WORLD, &handler);
    CHECK(handler == MPI_ERRORS_ARE_FATAL, "the caller's handler changed");
    MPI_Errhandler_free(&handler);
    double one = 1; /* MPI refuses MPI_IN_PLACE for the result */
    CHECK_FAILS(comm->calls->gather(comm, &one, MPI_IN_PLACE, 8),
                FARSUM_ERR_COMM);
    CHECK_SAYS("MPI_Allgather: ");
    comm_destroy(comm);
}

/* The last rank ends without a word to the others. */
static void exit_early(void)
{
    struct comm *comm = made(0);
    if (my_rank == ranks - 1) {
        printf("rank %d ends early\n", my_rank);
        fflush(stdout);
        sleep(1); /* until the launcher has printed it */
        _Exit(3);
    }
    double one = 1;
    farsum_status status = comm_sum(comm, &one, 1);
    printf("rank %d goes on: %s\n", my_rank, farsum_status_text(status));
    MPI_Abort(MPI_COMM_WORLD, 4);
}

/* Rank 0 sends the last rank 2^31 + 2^20 + 8 bytes. */
static void test_large(void)
{
    struct comm *comm = made(0);
    int last = ranks - 1;
    int64_t n = ((int64_t)1 << 28) + ((int64_t)1 << 17) + 1, bad = 0;
    int64_t *to = check_memory((size_t)ranks, 16), *from = to + ranks;
    to[last] = my_rank == 0 ? 8 * n : 0;
    from[0] = my_rank == last ? 8 * n : 0;
    int64_t *send = my_rank == 0 ? check_memory((size_t)n, 8) : NULL;
    int64_t *got = my_rank == last ? check_memory((size_t)n, 8) : NULL;
    for (int64_t i = 0; send && i < n; i++)
        send[i] = i * 0x9e3779b97f4a7c15;
    CHECK_OK(comm->calls->trade(comm, send, to, got, from));
    for (int64_t i = 0; got && i < n; i++)
        bad += got[i] != (int64_t)(i * 0x9e3779b97f4a7c15);
    CHECK(bad == 0, "%lld numbers are wrong", (long long)bad);
    free(send);
    free(got);
    free(to);
    comm_destroy(comm);
}

int main(int argc, char **argv)
{
    struct comm *comm = NULL;
    if (argc != 3)
        check_stop("the arguments are WHAT and the number of ranks");
    CHECK_FAILS(comm_mpi(MPI_COMM_WORLD, 0, &comm), FARSUM_ERR_STATE);
    int funneled = strcmp(argv[1], "single") != 0, level;
    MPI_Init_thread(&argc, &argv, funneled ? MPI_THREAD_FUNNELED
                                           : MPI_THREAD_SINGLE, &level);
    MPI_Comm_rank(MPI_COMM_WORLD, &my_rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (ranks != atoi(argv[2]))
        check_stop("%d ranks instead of %s: the launcher is that of another "
                   "MPI; set FARSUM_MPIEXEC", ranks, argv[2]);
    CHECK(strcmp(farsum_mpi_version(), farsum_version()) == 0, "version %s",
          farsum_mpi_version());
    if (strcmp(argv[1], "exit") == 0)
        exit_early();
    if (level < MPI_THREAD_FUNNELED) {
        CHECK_FAILS(comm_mpi(MPI_COMM_WORLD, 0, &comm), FARSUM_ERR_STATE);
    } else if (strcmp(argv[1], "large") == 0) {
        RUN(test_large);
    } else if (funneled) {
        RUN(test_cases);
        RUN(test_pieces);
        RUN(test_patience);
        RUN(test_two);
        RUN(test_failures);
        RUN(test_sizes);
        RUN(test_create);
        RUN(test_handlers);
    }
    if (level >= MPI_THREAD_FUNNELED)
        comm = made(0);
    MPI_Finalize();
    comm_destroy(comm);
    CHECK(after_end == 0, "a call of MPI after MPI_Finalize");
    comm = NULL;
    CHECK_FAILS(comm_mpi(MPI_COMM_WORLD, 0, &comm), FARSUM_ERR_STATE);
    return check_end();
}
