/* SPDX-License-Identifier: Apache-2.0 */
/* comm.c: a comm's memory, and reductions by gathers.
 *
 * A reduction gathers all ranks' values and combines them in rank order on each
 * rank.  It works in pieces, for which comm_create allocated memory: a rank
 * whose allocation failed could not take part. */
#include "comm/comm.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/mem.h"

enum { WORDS = 1024, NUMBERS = COMM_PIECE / 8 };

static void comm_free(struct comm *comm)
{
    mem_free(comm->pieces);
    mem_free(comm->inside);
    mem_free(comm);
}

farsum_status comm_create(int rank, int size, const char *name,
                          const struct comm_calls *calls, int64_t bytes,
                          struct comm **comm)
{
    farsum_status status;
    struct comm *c;
    TRY(MEM_NEW(c, 1));
    *c = (struct comm){
        .rank = rank, .size = size, .node_rank = rank, .name = name,
        .calls = calls};
    GO(mem_alloc(&c->inside, bytes, 1, 1));
    GO(mem_alloc(&c->pieces, size, COMM_PIECE, 1));
    *comm = c;
    return FARSUM_OK;
done:
    comm_free(c);
    return status;
}

void comm_destroy(struct comm *comm)
{
    if (!comm)
        return;
    if (comm->calls->destroy)
        comm->calls->destroy(comm);
    comm_free(comm);
}

static farsum_status patience_begin(struct comm *comm, double seconds)
{
    if (!isfinite(seconds) || seconds < 0)
        FAIL(ERR_ARGUMENT, "patience is %g, not 0 or seconds > 0", seconds);
    return comm->calls->ready && seconds > 0 ? comm->calls->ready(comm)
                                             : FARSUM_OK;
}

farsum_status comm_patience(struct comm *comm, double seconds)
{
    double most[2] = {seconds, -seconds};
    farsum_status status = patience_begin(comm, seconds);
    TRY(comm_agree_max(comm, status, most, 2));
    if (most[0] != -most[1])
        status = status_fail(FARSUM_ERR_ARGUMENT, "patience is %g on one rank "
                             "and %g on another; all ranks must set the same",
                             -most[1], most[0]);
    TRY(comm_agree(comm, status));
    comm->patience = seconds;
    return FARSUM_OK;
}

farsum_status comm_lose(struct comm *comm, const char *who)
{
    comm->lost = 1;
    FAIL(ERR_COMM,
         "rank %d waited %g s for %s; it waits no longer than its "
         "patience",
         comm->rank, comm->patience, who);
}

void comm_remember(struct comm *comm, farsum_status status)
{
    /* FARSUM_ERR_COMM is kept: other failures do not end the exchanges */
    if (status == FARSUM_OK || comm->failed == FARSUM_ERR_COMM
        || (comm->failed != FARSUM_OK && status != FARSUM_ERR_COMM))
        return;
    comm->failed = status;
    snprintf(comm->words, sizeof comm->words, "%s", farsum_message());
}

/* Counts a call, and remembers a failure.  Returns 1 if the call worked. */
static int spent(struct comm *comm, enum comm_part part, int64_t bytes,
                 double start, farsum_status status)
{
    comm->spent[part].bytes += bytes;
    comm->spent[part].seconds += clock_seconds() - start;
    comm_remember(comm, status);
    return status == FARSUM_OK;
}

static int gathered(struct comm *comm, const void *one, void *all,
                    int64_t bytes)
{
    double start = clock_seconds();
    return spent(comm, COMM_TALK, bytes * (comm->size - 1), start,
                 comm->lost ? FARSUM_ERR_COMM
                            : comm->calls->gather(comm, one, all, bytes));
}

farsum_status comm_gather(struct comm *comm, const void *one, void *all,
                          int64_t bytes)
{
    if (!gathered(comm, one, all, bytes) && bytes > 0)
        memset(all, 0, (size_t)(comm->size * bytes));
    return FARSUM_OK;
}

farsum_status comm_counts(struct comm *comm, const int64_t *to, int64_t *from)
{
    double start = clock_seconds();
    if (!spent(comm, COMM_TALK, 8 * (int64_t)(comm->size - 1), start,
               comm->lost ? FARSUM_ERR_COMM
                          : comm->calls->counts(comm, to, from)))
        memset(from, 0, (size_t)comm->size * sizeof *from);
    return FARSUM_OK;
}

farsum_status comm_trade(struct comm *comm, enum comm_part part,
                         const void *send, const int64_t *to, void *got,
                         const int64_t *from)
{
    double start = clock_seconds();
    int64_t bytes = 0, all = 0;
    for (int r = 0; r < comm->size; r++) {
        bytes += r == comm->rank ? 0 : to[r];
        all += from[r];
    }
    if (!spent(comm, part, bytes, start,
               comm->lost ? FARSUM_ERR_COMM
                          : comm->calls->trade(comm, send, to, got, from))
        && all > 0)
        memset(got, 0, (size_t)all);
    return FARSUM_OK;
}

/* 1: the words start with "rank R: ". */
static int names_a_rank(const char *words)
{
    if (strncmp(words, "rank ", 5) != 0)
        return 0;
    size_t digits = strspn(words + 5, "0123456789");
    return digits > 0 && strncmp(words + 5 + digits, ": ", 2) == 0;
}

/* Replaces words by those of rank `from`.  Makes the same calls on all ranks,
 * also after a failure, which cuts the words. */
static void words_of(struct comm *comm, int from, char words[WORDS])
{
    for (int at = 0; at < WORDS; at += COMM_PIECE) {
        comm_gather(comm, words + at, comm->pieces, COMM_PIECE);
        memcpy(words + at, (char *)comm->pieces + (size_t)from * COMM_PIECE,
               COMM_PIECE);
    }
    words[WORDS - 1] = 0;
}

/* Sets values [n] to the largest of all [size][step]; NaN is the largest. */
static void fold_max(double *values, const double *all, int size, int n,
                     int step)
{
    for (int i = 0; i < n; i++) {
        values[i] = all[i];
        for (int r = 1; r < size; r++) {
            double other = all[(size_t)r * step + i];
            if (!isnan(values[i]) && !(other <= values[i]))
                values[i] = other;
        }
    }
}

/* The rank whose failure all ranks take; -1: none failed.  all [size][step]:
 * each rank's status comes first. */
static int failed_rank(const double *all, int size, int step)
{
    int low = -1;
    for (int r = size - 1; r >= 0; r--) {
        int code = (int)all[r * step];
        if (code != FARSUM_OK
            && (code == FARSUM_ERR_COMM || low < 0
                || (int)all[low * step] != FARSUM_ERR_COMM))
            low = r;
    }
    return low;
}

/* comm_agree_max among several ranks. */
static farsum_status agree(struct comm *comm, farsum_status status,
                           double *values, int n)
{
    char words[WORDS] = "";
    double mine[1 + COMM_AGREED] = {status};
    const double *all = comm->pieces;
    int low = status != FARSUM_OK ? comm->rank : -1, step = 1 + n;
    if (status != FARSUM_OK)
        snprintf(words, sizeof words, "%s", farsum_message());
    if (n > 0)
        memcpy(mine + 1, values, (size_t)n * sizeof *values);
    if (gathered(comm, mine, comm->pieces, 8 * step)) {
        low = failed_rank(all, comm->size, step);
        status = low < 0 ? FARSUM_OK : (farsum_status)all[low * step];
        fold_max(values, all + 1, comm->size, n, step);
    }
    if (low < 0)
        return FARSUM_OK;
    words_of(comm, low, words);
    status_fail(status, "%s", words);
    return names_a_rank(words) ? status : status_prefix(status, "rank %d", low);
}

farsum_status comm_agree(struct comm *comm, farsum_status status)
{
    return comm_agree_max(comm, status, NULL, 0);
}

farsum_status comm_agree_max(struct comm *comm, farsum_status status,
                             double *values, int n)
{
    if (comm->failed != FARSUM_OK && status != FARSUM_ERR_COMM)
        status = status_fail(comm->failed, "%s", comm->words);
    if (!comm->lost) {
        comm->failed = FARSUM_OK;
        if (comm->size > 1)
            status = agree(comm, status, values, n);
    }
    if (comm->lost) /* nobody to agree with; the words stay for the next time */
        status = status_fail(FARSUM_ERR_COMM, "%s", comm->words);
    if (status == FARSUM_ERR_COMM && !comm->broken) {
        comm->broken = 1;
        comm_let_go(comm);
    }
    return status;
}

void comm_let_go(struct comm *comm)
{
    for (struct comm_guard *g = comm->guards; g; g = g->next)
        g->broke(g);
}

void comm_guard_add(struct comm *comm, struct comm_guard *guard)
{
    guard->next = comm->guards;
    comm->guards = guard;
}

void comm_guard_remove(struct comm *comm, const struct comm_guard *guard)
{
    struct comm_guard **at = &comm->guards;
    while (*at && *at != guard)
        at = &(*at)->next;
    if (*at)
        *at = guard->next;
}

/* Combines all [size][n] into values [n]. */
typedef void fold(void *values, const void *all, int size, int n);

static void fold_sum(void *values, const void *all, int size, int n)
{
    double *v = values;
    const double *a = all;
    for (int i = 0; i < n; i++) {
        v[i] = a[i];
        for (int r = 1; r < size; r++)
            v[i] += a[(size_t)r * n + i];
    }
}

/* Counts are at most 2^48, so their sum does not overflow. */
static void fold_counts(void *values, const void *all, int size, int n)
{
    int64_t *v = values;
    const int64_t *a = all;
    for (int i = 0; i < n; i++) {
        v[i] = a[i];
        for (int r = 1; r < size; r++)
            v[i] += a[(size_t)r * n + i];
    }
}

static void fold_most(void *values, const void *all, int size, int n)
{
    fold_max(values, all, size, n, n);
}

/* Values are n numbers of 8 bytes. */
static farsum_status reduce(struct comm *comm, void *values, int n, fold *f)
{
    for (int at = 0; at < n; at += NUMBERS) {
        int some = n - at < NUMBERS ? n - at : NUMBERS;
        char *v = (char *)values + (size_t)at * 8;
        if (gathered(comm, v, comm->pieces, (int64_t)some * 8))
            f(v, comm->pieces, comm->size, some);
    }
    return FARSUM_OK;
}

farsum_status comm_sum(struct comm *comm, double *values, int n)
{
    return reduce(comm, values, n, fold_sum);
}

farsum_status comm_sum_counts(struct comm *comm, int64_t *values, int n)
{
    return reduce(comm, values, n, fold_counts);
}

farsum_status comm_max(struct comm *comm, double *values, int n)
{
    return reduce(comm, values, n, fold_most);
}

enum { BLOCK = 1 << 16 }; /* bytes that comm_share sends to a rank in one go */

farsum_status comm_share(struct comm *comm, void *data, int64_t bytes)
{
    farsum_status status = FARSUM_OK;
    int size = comm->size, first = comm->rank == 0;
    int64_t *to = NULL, *from = NULL, most = bytes < BLOCK ? bytes : BLOCK;
    char *block = NULL; /* the same for each rank */
    KEEP_ON(MEM_NEW(to, size));
    KEEP_ON(MEM_NEW(from, size));
    KEEP_ON(MEM_RAW(block, first ? size * most : 1));
    GO(comm_agree(comm, status));
    for (int64_t at = 0; at < bytes; at += BLOCK) {
        int64_t some = bytes - at < BLOCK ? bytes - at : BLOCK;
        char *here = (char *)data + at;
        for (int r = 0; r < size && first; r++) {
            memcpy(block + r * some, here, (size_t)some);
            to[r] = some;
        }
        from[0] = some;
        KEEP_ON(comm_trade(comm, COMM_TALK, block, to, here, from));
    }
    status = comm_agree(comm, status);
done:
    mem_free(to);
    mem_free(from);
    mem_free(block);
    return status;
}
