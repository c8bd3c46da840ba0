/* SPDX-License-Identifier: Apache-2.0 */
/* fetch.c: tests of values of points that other ranks hold. */
#include "ranks/fetch.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/random.h"
#include "check.h"
#include "ranks/comm_threads.h"

enum { SIZES = 6, BYTES_MOST = 24, FAULTY = 3 };

static const int sizes[SIZES] = {1, 2, 3, 4, 7, 13};

/* Who holds points: all ranks, or one of them, or every other one. */
enum holders { HOLD_EVEN, HOLD_LAST, HOLD_SOME, HOLDERS };

static int64_t held_by(enum holders holders, int size, int rank)
{
    if (holders == HOLD_LAST)
        return rank == size - 1 ? 50 : 0;
    return holders == HOLD_SOME && rank % 2 == 1 ? 0 : 20 + 3 * rank;
}

/* Byte b of the value of a point. */
static unsigned char byte_of(int64_t number, int64_t b, int turn)
{
    return (unsigned char)(7 * number + (number >> 5) + 31 * b + 101 * turn);
}

static unsigned char *values_of(const int64_t *numbers, int64_t first,
                                int64_t n, int64_t bytes, int turn)
{
    unsigned char *v = check_memory((size_t)n + 1, (size_t)bytes);
    for (int64_t k = 0; k < n; k++)
        for (int64_t b = 0; b < bytes; b++)
            v[k * bytes + b] =
                byte_of(numbers ? numbers[k] : first + k, b, turn);
    return v;
}

/* Fetches values of `bytes` bytes; they follow from the points' numbers. */
static farsum_status values_right(struct fetch *fetch, struct comm *comm,
                                  const int64_t *first, int64_t bytes, int turn)
{
    int64_t own = first[comm->rank], n = first[comm->rank + 1] - own;
    unsigned char *held = values_of(NULL, own, n, bytes, turn);
    unsigned char *right = values_of(fetch->number, 0, fetch->n, bytes, turn);
    unsigned char *got = check_memory((size_t)fetch->n + 1, (size_t)bytes);
    memset(got, 99, (size_t)(fetch->n * bytes) + 1);
    mem_fail_at(1); /* it may not allocate */
    farsum_status status = fetch_values(fetch, comm, held, bytes, got);
    mem_fail_at(0);
    status = comm_agree(comm, status);
    if (status == FARSUM_OK) {
        CHECK(memcmp(got, right, (size_t)(fetch->n * bytes)) == 0,
              "rank %d of %d: values of %lld bytes", comm->rank, comm->size,
              (long long)bytes);
        CHECK(got[fetch->n * bytes] == 99, "it wrote behind the array");
    }
    free(held);
    free(right);
    free(got);
    return status;
}

/* Requests of a rank: any points, some of them repeatedly; rank 1 has none. */
static int64_t requests(int rank, int64_t all, int64_t wanted[])
{
    uint64_t random = 17 + (uint64_t)rank;
    int64_t n = rank == 1 ? 0 : 60 + rank;
    for (int64_t k = 0; k < n; k++)
        wanted[k] = (int64_t)(random_next(&random) >> 1) % all;
    return n;
}

static void requests_right(const struct fetch *fetch, int64_t n,
                           const int64_t wanted[])
{
    for (int64_t k = 1; k < fetch->n; k++)
        CHECK(fetch->number[k - 1] < fetch->number[k], "not ascending");
    for (int64_t k = 0; k < n; k++) {
        int64_t at = fetch_find(fetch, wanted[k]);
        CHECK(at >= 0 && fetch->number[at] == wanted[k], "%lld is missing",
              (long long)wanted[k]);
    }
    for (int64_t k = 0; k < fetch->n; k++) {
        int found = 0;
        for (int64_t l = 0; l < n; l++)
            found |= wanted[l] == fetch->number[k];
        CHECK(found, "%lld was not requested", (long long)fetch->number[k]);
    }
    CHECK(fetch_find(fetch, -1) == -1 && fetch_find(fetch, 1000000) == -1,
          "found what was not requested");
}

static farsum_status work(struct comm *comm, void *data)
{
    const enum holders *holders = data;
    int64_t first[16], wanted[128], before = mem_bytes();
    struct fetch fetch = {.n = 0};
    farsum_status status = FARSUM_OK;
    GO(comm_agree(comm, numbers_first(comm, held_by(*holders, comm->size,
                                                    comm->rank), first)));
    for (int r = 0; r < comm->size; r++)
        for (int64_t k = first[r]; k < first[r + 1]; k++)
            CHECK(numbers_holder(first, comm->size, k) == r, "holder of %lld",
                  (long long)k);
    int64_t n = requests(comm->rank, first[comm->size], wanted);
    GO(fetch_create(&fetch, comm, FARSUM_OK, first, n, wanted, BYTES_MOST));
    requests_right(&fetch, n, wanted);
    for (int turn = 0; turn < 3; turn++)
        for (int64_t bytes = 1; bytes <= BYTES_MOST; bytes += bytes + 1)
            GO(values_right(&fetch, comm, first, bytes, turn));
    CHECK_FAILS(fetch_values(&fetch, comm, NULL, BYTES_MOST + 1, NULL),
                FARSUM_ERR_ARGUMENT);
done:
    fetch_clear(&fetch);
    CHECK(mem_bytes() == before, "a fetch keeps memory");
    return status;
}

static void all_sizes(void)
{
    for (int k = 0; k < SIZES; k++)
        for (enum holders h = HOLD_EVEN; h < HOLDERS; h++)
            CHECK(ranks_run(sizes[k], NULL, work, &h) == 0, "a rank failed");
}

static void delays(void)
{
    for (uint64_t seed = 1; seed <= 5; seed++) {
        enum holders h = HOLD_SOME;
        struct ranks_play play = {.delay = 300, .seed = seed};
        CHECK(ranks_run(4, &play, work, &h) == 0, "a rank failed");
    }
}

/* Requests that a rank makes although it failed, and numbers out of range. */
static farsum_status work_bad(struct comm *comm, void *data)
{
    const int64_t first[FAULTY + 1] = {0, 4, 4, 9};
    const int64_t good[] = {3, 8}, high[] = {3, 9}, low[] = {-1, 8};
    struct fetch fetch;
    farsum_status mine = FARSUM_OK;
    (void)data;
    CHECK_FAILS(fetch_create(&fetch, comm, FARSUM_OK, first, 2,
                             comm->rank == 1 ? high : good, 8),
                FARSUM_ERR_ARGUMENT);
    CHECK_SAYS("rank 1: number 9 is not in 0 .. 8");
    CHECK_FAILS(fetch_create(&fetch, comm, FARSUM_OK, first, 2,
                             comm->rank == 2 ? low : good, 8),
                FARSUM_ERR_ARGUMENT);
    CHECK_SAYS("rank 2: number -1 is not in 0 .. 8");
    if (comm->rank == 2)
        mine = status_fail(FARSUM_ERR_POSITION, "it is nowhere");
    CHECK_FAILS(fetch_create(&fetch, comm, mine, first, 2, good, 8),
                FARSUM_ERR_POSITION);
    CHECK_SAYS("rank 2: it is nowhere");
    CHECK(fetch.n == 0 && fetch.sends.size == 0, "requests after a failure");
    return FARSUM_OK;
}

static void bad_requests(void)
{
    CHECK(ranks_run(FAULTY, NULL, work_bad, NULL) == 0, "a rank failed");
}

static farsum_status work_faulty(struct comm *comm, void *data)
{
    const int64_t first[FAULTY + 1] = {0, 20, 20, 45};
    int64_t wanted[128], n = requests(comm->rank, 45, wanted);
    struct fetch fetch;
    (void)data;
    TRY(fetch_create(&fetch, comm, FARSUM_OK, first, n, wanted, 8));
    farsum_status status = values_right(&fetch, comm, first, 8, 0);
    fetch_clear(&fetch);
    return status;
}

/* Each allocation of each rank fails. */
static farsum_status work_no_memory(struct comm *comm, void *data)
{
    int64_t before = mem_bytes();
    for (int r = 0; r < FAULTY; r++) {
        farsum_status found = FARSUM_ERR_MEMORY;
        int64_t k = 1;
        for (; found != FARSUM_OK; k++) {
            mem_fail_at(comm->rank == r ? k : 0);
            found = work_faulty(comm, data);
            mem_fail_at(0);
            CHECK(found == FARSUM_OK || found == FARSUM_ERR_MEMORY,
                  "allocation %lld: %s", (long long)k, farsum_message());
            if (found != FARSUM_OK && found != FARSUM_ERR_MEMORY)
                return found;
        }
        /* five of sends, numbers, sorted ones, bytes, what others request,
         * packed */
        CHECK(k - 2 == 10, "%lld allocations fail", (long long)k - 2);
    }
    CHECK(mem_bytes() == before, "failures keep memory");
    return FARSUM_OK;
}

static void no_memory(void)
{
    CHECK(ranks_run(FAULTY, NULL, work_no_memory, NULL) == 0, "a rank failed");
}

/* Each call of each rank fails.  A failure in the last agreement cannot be told
 * to others. */
static void broken_network(void)
{
    CHECK(ranks_run(FAULTY, NULL, work_faulty, NULL) == 0, "a rank failed");
    int64_t calls = ranks_calls();
    for (int r = 0; r < FAULTY; r++)
        for (int64_t k = 1; k <= calls; k++) {
            struct ranks_play play = {.fail_rank = r, .fail_call = k};
            int failed = ranks_run(FAULTY, &play, work_faulty, NULL);
            CHECK(failed == (k == calls ? 0 : FAULTY),
                  "call %lld of rank %d fails, and so do %d ranks",
                  (long long)k, r, failed);
        }
}

int main(void)
{
    RUN(all_sizes);
    RUN(delays);
    RUN(bad_requests);
    RUN(no_memory);
    RUN(broken_network);
    return check_end();
}
