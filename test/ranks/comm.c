/* SPDX-License-Identifier: Apache-2.0 */
/* comm.c: tests of the communication among ranks that are threads, and of one
 * rank. */
#include "comm/comm.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "check.h"
#include "comm/exported.h"
#include "ranks/comm_cases.h"
#include "ranks/comm_threads.h"

static const int sizes[] = {1, 2, 3, 7, 13};
enum { SIZES = 5 };

static farsum_status work_cases(struct comm *comm, void *data)
{
    (void)data;
    comm_cases(comm);
    return FARSUM_OK;
}

static void test_self(void)
{
    struct comm *comm;
    int64_t before = mem_bytes();
    CHECK_OK(comm_self(&comm));
    CHECK(comm->rank == 0 && comm->size == 1, "rank %d of %d", comm->rank,
          comm->size);
    comm_cases(comm);
    int64_t to = 3, from = 2;
    CHECK_FAILS(comm->calls->trade(comm, "abc", &to, NULL, &from),
                FARSUM_ERR_INTERNAL);
    comm_destroy(comm);
    comm_destroy(NULL);
    CHECK(mem_bytes() == before, "%lld bytes are lost",
          (long long)(mem_bytes() - before));
    for (int n = 1; n <= 3; n++) {
        mem_fail_at(n);
        comm = NULL;
        CHECK_FAILS(comm_self(&comm), FARSUM_ERR_MEMORY);
        CHECK(!comm && mem_bytes() == before, "allocation %d fails", n);
    }
    mem_fail_at(0);
}

/* What libfarsum_mpi calls. */
static void test_exported(void)
{
    static const struct comm_calls none;
    struct comm *comm = NULL;
    CHECK_FAILS(farsum_comm_create("0.1.9", 2, 3, "x", &none, 5, &comm),
                FARSUM_ERR_STATE);
    CHECK_SAYS("libfarsum_mpi has version 0.1.9, libfarsum ");
    CHECK(!comm, "a comm was made");
    CHECK_OK(farsum_comm_create(farsum_version(), 2, 3, "x", &none, 5, &comm));
    CHECK(comm->rank == 2 && comm->size == 3 && comm->calls == &none
          && memcmp(comm->inside, "\0\0\0\0\0", 5) == 0, "a wrong comm");
    farsum_comm_destroy(comm);
    CHECK_FAILS(farsum_comm_fail(FARSUM_ERR_COMM, "100%s"), FARSUM_ERR_COMM);
    CHECK_SAYS("100%s");
}

static void test_sizes(void)
{
    for (int s = 0; s < SIZES; s++)
        CHECK(ranks_run(sizes[s], NULL, work_cases, NULL) == 0, "%d ranks",
              sizes[s]);
}

static void test_delays(void)
{
    for (int s = 0; s < SIZES; s++) {
        struct ranks_play play = {.delay = 300, .seed = (uint64_t)s};
        CHECK(ranks_run(sizes[s], &play, work_cases, NULL) == 0,
              "%d ranks with delays", sizes[s]);
    }
}

struct end {
    farsum_status status;
    char words[256];
};

static farsum_status work_flow(struct comm *comm, void *data)
{
    struct end *end = (struct end *)data + comm->rank;
    end->status = comm_cases_flow(comm);
    snprintf(end->words, sizeof end->words, "%s", farsum_message());
    return end->status;
}

/* Call k of rank r fails. */
static void flow_fails(int size, int k, int r, struct end *ends)
{
    struct ranks_play play = {.delay = 20, .fail_rank = r, .fail_call = k,
                              .fail_status = FARSUM_ERR_STRENGTH};
    int failed = ranks_run(size, &play, work_flow, ends);
    char words[99];
    snprintf(words, sizeof words, "rank %d: call %d of rank %d is made to fail",
             r, k, r);
    /* the last agreement's failure is told by the next one */
    int last = k == COMM_FLOW_CALLS;
    CHECK(failed == (last ? 0 : size), "call %d of rank %d: %d of %d ranks "
          "fail", k, r, failed, size);
    for (int i = 0; i < size && !last; i++)
        CHECK(ends[i].status == FARSUM_ERR_STRENGTH
              && strcmp(ends[i].words, words) == 0,
              "rank %d: status %d, %s", i, ends[i].status, ends[i].words);
}

/* Each call fails on each rank in turn.  All ranks end with the same status and
 * words. */
static void test_failures(void)
{
    struct end ends[13];
    for (int s = 1; s < 4; s++) {
        CHECK(ranks_run(sizes[s], NULL, work_flow, ends) == 0, "no failure");
        CHECK(ranks_calls() == COMM_FLOW_CALLS, "%lld calls",
              (long long)ranks_calls());
        for (int k = 1; k <= COMM_FLOW_CALLS; k++)
            for (int r = 0; r < sizes[s]; r++)
                flow_fails(sizes[s], k, r, ends);
    }
}

/* Call 1 of rank 2 fails, an agreement: the ranks stay in step.  Rank 0 fails
 * too, perhaps as a consequence. */
static farsum_status work_later(struct comm *comm, void *data)
{
    double most = comm->rank;
    int64_t all[3], n = 7;
    (void)data;
    CHECK_OK(comm_agree(comm, FARSUM_OK));
    CHECK_OK(comm_max(comm, &most, 1));
    CHECK_OK(comm_gather(comm, &n, all, sizeof n));
    CHECK(most == 2 && all[0] == 7 && !comm->broken, "largest %g", most);
    farsum_status status = FARSUM_OK;
    if (comm->rank == 0)
        status = status_fail(FARSUM_ERR_POSITION, "the sum is not finite");
    CHECK_FAILS(comm_agree(comm, status), FARSUM_ERR_COMM);
    CHECK_SAYS("rank 2: call 1 of rank 2 is made to fail");
    CHECK(comm->broken && comm->failed == FARSUM_OK, "not broken");
    return FARSUM_OK;
}

/* Call 1 of rank 1 fails: it gets zeros, or keeps its values. */
static farsum_status work_zeros(struct comm *comm, void *data)
{
    int which = *(int *)data, bad = comm->rank == 1;
    int64_t to[2] = {8, 8}, from[2] = {8, 8}, send[2] = {5, 5}, got[2] = {3, 3};
    double sum = 2;
    if (which == 0)
        CHECK_OK(comm_gather(comm, send, got, 8));
    if (which == 1)
        CHECK_OK(comm_counts(comm, send, got));
    if (which == 2)
        CHECK_OK(comm_trade(comm, COMM_ROUTE, send, to, got, from));
    if (which == 3)
        CHECK_OK(comm_sum(comm, &sum, 1));
    else
        CHECK(got[0] == (bad ? 0 : 5) && got[1] == (bad ? 0 : 5),
              "call %d of rank %d gives %lld %lld", which, comm->rank,
              (long long)got[0], (long long)got[1]);
    CHECK(sum == (which == 3 && !bad ? 4 : 2), "the sum is %g", sum);
    return FARSUM_OK;
}

/* A guard that counts. */
struct counting {
    struct comm_guard guard; /* the first member */
    int times;
};

static void count_broke(struct comm_guard *guard)
{
    ((struct counting *)guard)->times++;
}

static farsum_status work_guards(struct comm *comm, void *data)
{
    struct counting c[3] = {{{count_broke, NULL}, 0}, {{count_broke, NULL}, 0},
                            {{count_broke, NULL}, 0}};
    (void)data;
    for (int k = 0; k < 3; k++)
        comm_guard_add(comm, &c[k].guard);
    comm_guard_remove(comm, &c[1].guard);
    comm_guard_remove(comm, &c[1].guard);
    for (int time = 0; time < 3; time++) {
        farsum_status wanted = time == 0 ? FARSUM_ERR_DEVICE : FARSUM_ERR_COMM;
        if (comm->rank == 1)
            comm_remember(comm, status_fail(wanted, "it failed"));
        CHECK_FAILS(comm_agree(comm, FARSUM_OK), wanted);
        CHECK(c[0].times == (time > 0) && c[1].times == 0
                  && c[2].times == (time > 0), "guards were called %d, %d and "
              "%d times", c[0].times, c[1].times, c[2].times);
    }
    comm_guard_remove(comm, &c[0].guard);
    comm_guard_remove(comm, &c[2].guard);
    CHECK(!comm->guards, "a guard is left");
    return FARSUM_OK;
}

static void test_guards(void)
{
    CHECK(ranks_run(3, NULL, work_guards, NULL) == 0, "a rank failed");
}

static void test_remembers(void)
{
    struct ranks_play play = {.fail_rank = 2, .fail_call = 1};
    CHECK(ranks_run(3, &play, work_later, NULL) == 0, "a rank failed");
    play.fail_rank = 1;
    for (int which = 0; which < 4; which++)
        CHECK(ranks_run(2, &play, work_zeros, &which) == 0, "a rank failed");
}

/* Rank 1 calls something else, or with another size. */
static farsum_status work_wrong(struct comm *comm, void *data)
{
    const char *how = data;
    int64_t to[3] = {8, 8, 8}, from[3] = {8, 8, 8};
    char send[32] = "", got[32];
    int other = comm->rank == 1;
    if (strcmp(how, "end") == 0 && other)
        return FARSUM_OK;
    if (strcmp(how, "call") == 0 && other)
        return comm->calls->counts(comm, to, from);
    if (strcmp(how, "size") == 0 && other)
        return comm->calls->gather(comm, send, got, 7);
    if (strcmp(how, "part") == 0) {
        if (other)
            from[2] = 7;
        return comm->calls->trade(comm, send, to, got, from);
    }
    return comm->calls->gather(comm, send, got, 8);
}

static void test_wrong(void)
{
    static char *const hows[] = {"call", "size", "part"};
    for (int h = 0; h < 3; h++)
        CHECK(ranks_run(3, NULL, work_wrong, hows[h]) == 3,
              "different \"%s\": not all ranks fail", hows[h]);
    CHECK(ranks_run(3, NULL, work_wrong, "end") == 2,
          "the end of a rank does not make the others fail");
}

/* Rank r sends 10 r bytes to each other rank and 1000 to itself, then gathers
 * 8. */
static farsum_status work_spent(struct comm *comm, void *data)
{
    static char send[3][3000], got[3][3000];
    char all[24], *mine = send[comm->rank], *theirs = got[comm->rank];
    int64_t to[3], from[3];
    (void)data;
    for (int r = 0; r < 3; r++) {
        to[r] = r == comm->rank ? 1000 : 10 * comm->rank;
        from[r] = r == comm->rank ? 1000 : 10 * r;
    }
    CHECK_OK(comm_trade(comm, COMM_GHOSTS, mine, to, theirs, from));
    CHECK_OK(comm_trade(comm, COMM_GHOSTS, mine, to, theirs, from));
    CHECK_OK(comm_trade(comm, COMM_ROUTE, mine, to, theirs, from));
    CHECK_OK(comm_gather(comm, mine, all, 8));
    CHECK_OK(comm_counts(comm, to, from));
    const int64_t bytes[COMM_PARTS] = {[COMM_TALK] = 32,
                                       [COMM_ROUTE] = 20 * comm->rank,
                                       [COMM_GHOSTS] = 40 * comm->rank};
    for (int p = 0; p < COMM_PARTS; p++) {
        CHECK(comm->spent[p].bytes == bytes[p],
              "rank %d: %lld bytes of part %d", comm->rank,
              (long long)comm->spent[p].bytes, p);
        int used = p <= COMM_GHOSTS;
        CHECK((comm->spent[p].seconds > 0) == used, "%g seconds of part %d",
              comm->spent[p].seconds, p);
    }
    return FARSUM_OK;
}

/* Each rank waits up to 20 ms in each call. */
static void test_spent(void)
{
    struct ranks_play play = {.delay = 20000, .seed = 1};
    CHECK(ranks_run(3, &play, work_spent, NULL) == 0, "a rank failed");
}

/* Rank 0's bytes, in none, one and several pieces. */
static farsum_status work_share(struct comm *comm, void *data)
{
    static const int64_t lengths[] = {0, 1, 1 << 16, 200001};
    (void)data;
    for (size_t k = 0; k < sizeof lengths / sizeof *lengths; k++) {
        int64_t n = lengths[k], bad = 0;
        unsigned char *bytes = check_memory((size_t)n + 1, 1);
        for (int64_t i = 0; i <= n; i++)
            bytes[i] = (unsigned char)(comm->rank == 0 ? 7 * i + 1 : 99);
        CHECK_OK(comm_share(comm, bytes, n));
        for (int64_t i = 0; i < n; i++)
            bad += bytes[i] != (unsigned char)(7 * i + 1);
        CHECK(bad == 0 && (comm->rank == 0 || bytes[n] == 99),
              "%lld of %lld bytes are wrong on rank %d", (long long)bad,
              (long long)n, comm->rank);
        free(bytes);
    }
    return FARSUM_OK;
}

static void test_share(void)
{
    for (int k = 0; k < SIZES; k++)
        CHECK(ranks_run(sizes[k], NULL, work_share, NULL) == 0,
              "%d ranks share", sizes[k]);
}

int main(void)
{
    RUN(test_self);
    RUN(test_exported);
    RUN(test_sizes);
    RUN(test_delays);
    RUN(test_failures);
    RUN(test_remembers);
    RUN(test_guards);
    RUN(test_wrong);
    RUN(test_spent);
    RUN(test_share);
    return check_end();
}
