/* SPDX-License-Identifier: Apache-2.0 */
/* comm_cases.c: tests that every back end of comm.h must pass. */
#include "ranks/comm_cases.h"

#include <stdlib.h>
#include <string.h>

#include "base/status.h"
#include "check.h"
#include "ranks/trades.h"

enum { MOST = 1000 };

/* Byte k of the part that rank `from` gives to rank `to`. */
static unsigned char byte_of(int from, int to, int64_t k)
{
    return (unsigned char)(31 * from + 7 * to + 3 * k + (k >> 8));
}

static void case_gather(struct comm *c)
{
    static const int64_t sizes[] = {0, 1, 8, 255, MOST};
    unsigned char one[MOST];
    unsigned char *all = check_memory((size_t)c->size * MOST + 1, 1);
    for (int s = 0; s < 5; s++) {
        int64_t n = sizes[s];
        for (int64_t k = 0; k < n; k++)
            one[k] = byte_of(c->rank, 0, k);
        memset(all, 99, (size_t)(c->size * n) + 1);
        CHECK_OK(c->calls->gather(c, one, all, n));
        int64_t bad = 0;
        for (int r = 0; r < c->size; r++)
            for (int64_t k = 0; k < n; k++)
                bad += all[r * n + k] != byte_of(r, 0, k);
        CHECK(bad == 0, "rank %d of %d, %lld bytes each: %lld are wrong",
              c->rank, c->size, (long long)n, (long long)bad);
        CHECK(all[c->size * n] == 99, "gather wrote behind the array");
    }
    free(all);
}

static void case_counts(struct comm *c)
{
    int64_t *to = check_memory((size_t)c->size, 16), *from = to + c->size;
    for (int r = 0; r < c->size; r++)
        to[r] = ((int64_t)c->rank << 40) + 17 * r;
    CHECK_OK(c->calls->counts(c, to, from));
    for (int r = 0; r < c->size; r++)
        CHECK(from[r] == ((int64_t)r << 40) + 17 * c->rank,
              "rank %d of %d got %lld from rank %d", c->rank, c->size,
              (long long)from[r], r);
    free(to);
}

static void trade_one(struct comm *c, trade_bytes *bytes, const char *name)
{
    int64_t *to = check_memory((size_t)c->size, 16), *from = to + c->size;
    int64_t n_to = 0, n_from = 0, at = 0, bad = 0;
    for (int r = 0; r < c->size; r++) {
        n_to += to[r] = bytes(c->rank, r, c->size);
        n_from += from[r] = bytes(r, c->rank, c->size);
    }
    unsigned char *send = check_memory((size_t)n_to + 1, 1);
    unsigned char *got = check_memory((size_t)n_from + 1, 1);
    for (int r = 0; r < c->size; r++)
        for (int64_t k = 0; k < to[r]; k++)
            send[at++] = byte_of(c->rank, r, k);
    memset(got, 99, (size_t)n_from + 1);
    /* an array without elements may be NULL */
    CHECK_OK(c->calls->trade(c, n_to ? send : NULL, to, n_from ? got : NULL,
                             from));
    at = 0;
    for (int r = 0; r < c->size; r++)
        for (int64_t k = 0; k < from[r]; k++)
            bad += got[at++] != byte_of(r, c->rank, k);
    CHECK(bad == 0, "%s, rank %d of %d: %lld of %lld bytes are wrong", name,
          c->rank, c->size, (long long)bad, (long long)n_from);
    CHECK(got[n_from] == 99, "%s: trade wrote behind the array", name);
    free(send);
    free(got);
    free(to);
}

static void case_trade(struct comm *c)
{
    trade_one(c, uneven, "uneven");
    trade_one(c, none, "none");
    trade_one(c, to_last, "to the last rank");
    trade_one(c, from_last, "from the last rank");
    trade_one(c, to_self, "to the rank itself");
    trade_one(c, to_next, "to the next rank");
}

/* Ranks first, first + step, ... fail; all get the words of rank `first`. */
static void agree_one(struct comm *c, int first, int step)
{
    int fails = c->rank >= first && (c->rank - first) % step == 0;
    farsum_status status = FARSUM_OK;
    status_fail(FARSUM_ERR_STATE, "old words");
    if (fails)
        status = status_fail(c->rank == first ? FARSUM_ERR_CELL
                                              : FARSUM_ERR_MEMORY,
                             "%d%% of rank %d", 50, c->rank);
    char words[64];
    snprintf(words, sizeof words, c->size == 1 ? "50%% of rank %d"
             : "rank %d: 50%% of rank %d", first, first);
    for (int time = 0; time < 2; time++) { /* agreed words stay */
        status = comm_agree(c, status);
        CHECK(status == FARSUM_ERR_CELL, "rank %d of %d: status %d", c->rank,
              c->size, status);
        CHECK(strcmp(farsum_message(), words) == 0,
              "rank %d of %d says \"%s\", not \"%s\"", c->rank, c->size,
              farsum_message(), words);
    }
}

static void case_agree(struct comm *c)
{
    status_fail(FARSUM_ERR_STATE, "old words");
    CHECK_OK(comm_agree(c, FARSUM_OK));
    CHECK(strcmp(farsum_message(), "old words") == 0, "OK leaves \"%s\"",
          farsum_message());
    for (int r = 0; r < c->size; r += 3) {
        agree_one(c, r, c->size); /* only rank r */
        agree_one(c, r, 2);
    }
    /* long words: all that a message holds arrives */
    char words[1024];
    for (int k = 0; k < 1000; k++)
        words[k] = (char)('a' + k % 26);
    words[1000] = 0;
    int last = c->size - 1;
    farsum_status status = FARSUM_OK;
    if (c->rank == last)
        status = status_fail(FARSUM_ERR_COINCIDENT, "%s", words);
    CHECK_FAILS(comm_agree(c, status), FARSUM_ERR_COINCIDENT);
    words[900] = 0;
    CHECK_SAYS(words);
    /* numbers travel with it */
    for (int failed = 0; failed < 2; failed++) {
        double most[COMM_AGREED];
        for (int k = 0; k < COMM_AGREED; k++)
            most[k] = k % 2 ? c->rank : -k - c->rank;
        status = FARSUM_OK;
        if (failed && c->rank == last)
            status = status_fail(FARSUM_ERR_MEMORY, "none left");
        CHECK(comm_agree_max(c, status, most, COMM_AGREED)
                  == (failed ? FARSUM_ERR_MEMORY : FARSUM_OK),
              "rank %d agrees on %s", c->rank, farsum_message());
        for (int k = 0; k < COMM_AGREED; k++)
            CHECK(most[k] == (k % 2 ? last : -k), "largest %d: %g", k, most[k]);
    }
}

/* The first failure that a rank remembers reaches all ranks, once. */
static void case_remember(struct comm *c)
{
    int last = c->size - 1;
    CHECK(c->node_rank == c->rank, "rank %d has number %d on its machine",
          c->rank, c->node_rank);
    comm_remember(c, FARSUM_OK);
    CHECK_OK(comm_agree(c, FARSUM_OK));
    if (c->rank == last) {
        comm_remember(c, status_fail(FARSUM_ERR_DEVICE, "it is off"));
        comm_remember(c, status_fail(FARSUM_ERR_MEMORY, "and small"));
    }
    CHECK_FAILS(comm_agree(c, FARSUM_OK), FARSUM_ERR_DEVICE);
    CHECK_SAYS("it is off");
    CHECK_OK(comm_agree(c, FARSUM_OK));
}

/* All ranks have the same bytes. */
static void check_same(struct comm *c, const void *values, int64_t bytes,
                       const char *name)
{
    char *all = check_memory((size_t)(c->size * bytes) + 1, 1);
    CHECK_OK(c->calls->gather(c, values, all, bytes));
    for (int r = 0; r < c->size; r++)
        CHECK(memcmp(all + r * bytes, values, (size_t)bytes) == 0,
              "%s: ranks %d and %d differ", name, c->rank, r);
    free(all);
}

/* Values whose sum depends on the order of the additions. */
static double value_of(int rank, int i)
{
    double v = (1 + (rank * 7919 + i * 104729) % 1000) / 3.0;
    return (rank + i) % 3 == 0 ? 1e17 * v : (rank + i) % 3 == 1 ? -v : v * 1e8;
}

static void sum_one(struct comm *c, int n)
{
    double sums[MOST + 1], most[MOST + 1];
    int64_t counts[MOST + 1];
    for (int i = 0; i <= n; i++) {
        sums[i] = most[i] = value_of(c->rank, i);
        counts[i] = ((int64_t)1 << 40) * c->rank + i;
    }
    CHECK_OK(comm_sum(c, sums, n));
    CHECK_OK(comm_sum_counts(c, counts, n));
    CHECK_OK(comm_max(c, most, n));
    int bad = 0;
    for (int i = 0; i < n; i++) {
        double sum = value_of(0, i), largest = sum;
        int64_t count = i;
        for (int r = 1; r < c->size; r++) {
            sum += value_of(r, i);
            largest = fmax(largest, value_of(r, i));
            count += ((int64_t)1 << 40) * r + i;
        }
        bad += sums[i] != sum || most[i] != largest || counts[i] != count;
    }
    CHECK(bad == 0, "rank %d of %d: %d of %d sums are wrong", c->rank, c->size,
          bad, n);
    double after = value_of(c->rank, n);
    CHECK(memcmp(&sums[n], &after, 8) == 0 && memcmp(&most[n], &after, 8) == 0,
          "rank %d: a value behind the last is not kept", c->rank);
    check_same(c, sums, 8 * n, "sums");
    check_same(c, most, 8 * n, "largest values");
}

static void case_sums(struct comm *c)
{
    static const int sizes[] = {0, 1, 31, 32, 33, 64, 100};
    for (int s = 0; s < 7; s++)
        sum_one(c, sizes[s]);
    double v[3] = {c->rank == c->size - 1 ? NAN : 1e300, -(double)c->rank,
                   -INFINITY};
    CHECK_OK(comm_max(c, v, 3));
    CHECK(isnan(v[0]), "a NaN is lost: %g", v[0]);
    CHECK(v[1] == 0 && v[2] == -INFINITY, "largest: %g %g", v[1], v[2]);
    v[0] = c->rank == 0 ? NAN : 1e300;
    CHECK_OK(comm_max(c, v, 1));
    CHECK(isnan(v[0]), "a NaN of rank 0 is lost: %g", v[0]);
    v[0] = -0.0;
    CHECK_OK(comm_sum(c, v, 1));
    CHECK(v[0] == 0 && signbit(v[0]), "the sum of -0 is %g", v[0]);
}

void comm_cases(struct comm *comm)
{
    CHECK(comm->rank >= 0 && comm->rank < comm->size, "rank %d of %d",
          comm->rank, comm->size);
    case_gather(comm);
    case_counts(comm);
    case_trade(comm);
    case_agree(comm);
    case_remember(comm);
    case_sums(comm);
}

/* Keeps the first failure; its message is the thread's last, because no later
 * call fails. */
static void keep(farsum_status *status, farsum_status one)
{
    if (*status == FARSUM_OK)
        *status = one;
}

farsum_status comm_cases_flow(struct comm *c)
{
    farsum_status status = FARSUM_OK;
    int64_t *to = check_memory((size_t)c->size, 16), *from = to + c->size;
    char *send = check_memory((size_t)c->size, 16);
    char *got = check_memory((size_t)c->size, 16);
    double sums[33] = {1}, most = c->rank;
    int64_t count = 1;
    GO(comm_agree(c, FARSUM_OK));
    keep(&status, comm_sum(c, sums, 33));
    keep(&status, comm_sum_counts(c, &count, 1));
    for (int r = 0; r < c->size; r++)
        to[r] = (c->rank + r) % 3;
    keep(&status, c->calls->counts(c, to, from));
    GO(comm_agree(c, status));
    CHECK(sums[0] == c->size && count == c->size, "sums %g and %lld", sums[0],
          (long long)count);
    keep(&status, c->calls->trade(c, send, to, got, from));
    keep(&status, comm_max(c, &most, 1));
    keep(&status, c->calls->gather(c, send, got, 1));
    GO(comm_agree(c, status));
    CHECK(most == c->size - 1, "largest rank %g", most);
done:
    free(to);
    free(send);
    free(got);
    return status;
}
