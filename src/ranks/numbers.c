/* SPDX-License-Identifier: Apache-2.0 */
/* numbers.c: who holds a number, and records to the holders. */
#include "ranks/numbers.h"

#include <string.h>

#include "base/mem.h"

farsum_status numbers_first(struct comm *comm, int64_t n, int64_t *first)
{
    TRY(comm_gather(comm, &n, first + 1, sizeof *first));
    first[0] = 0;
    for (int r = 0; r < comm->size; r++)
        first[r + 1] += first[r];
    return FARSUM_OK;
}

int numbers_holder(const int64_t *first, int size, int64_t number)
{
    int low = 0, high = size - 1; /* first[low] <= number < first[high + 1] */
    while (low < high) {
        int middle = low + (high - low) / 2;
        if (number < first[middle + 1])
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

static int64_t number_of(const void *records, int64_t bytes, int64_t k)
{
    int64_t number;
    memcpy(&number, (const char *)records + k * bytes, sizeof number);
    return number;
}

/* Checks the numbers and counts the records by holder.  On failure all counts
 * are 0. */
static farsum_status deal_count(const int64_t *first, int size, int64_t n,
                                const void *records, int64_t bytes, int64_t *to)
{
    for (int64_t k = 0; k < n; k++) {
        int64_t number = number_of(records, bytes, k);
        if (number < 0 || number >= first[size]) {
            memset(to, 0, (size_t)size * sizeof *to);
            FAIL(ERR_ARGUMENT, "number %lld is not in 0 .. %lld",
                 (long long)number, (long long)first[size] - 1);
        }
        to[numbers_holder(first, size, number)]++;
    }
    return FARSUM_OK;
}

/* Orders the records by holder.  place: scratch, [size]. */
static void deal_sort(const int64_t *first, int size, int64_t n,
                      const void *records, int64_t bytes, const int64_t *to,
                      int64_t *place, char *sorted)
{
    int64_t at = 0;
    for (int r = 0; r < size; r++) {
        place[r] = at;
        at += to[r];
    }
    for (int64_t k = 0; k < n; k++) {
        int r = numbers_holder(first, size, number_of(records, bytes, k));
        memcpy(sorted + place[r]++ * bytes, (const char *)records + k * bytes,
               (size_t)bytes);
    }
}

farsum_status numbers_deal(struct comm *comm, farsum_status status,
                           const int64_t *first, int64_t n, const void *records,
                           int64_t bytes, void **got, int64_t *n_got,
                           int64_t *to, int64_t *from)
{
    int size = comm->size;
    char *sorted = NULL;
    int64_t *by_bytes = NULL; /* [2][size]: sent and received */
    *got = NULL;
    *n_got = 0;
    memset(to, 0, (size_t)size * sizeof *to);
    if (status != FARSUM_OK)
        n = 0;
    KEEP_ON(mem_alloc((void **)&sorted, n, (size_t)bytes, 0));
    KEEP_ON(MEM_NEW(by_bytes, 2 * size));
    if (status == FARSUM_OK)
        status = deal_count(first, size, n, records, bytes, to);
    KEEP_ON(comm_counts(comm, to, from));
    for (int r = 0; r < size; r++)
        *n_got += from[r];
    KEEP_ON(mem_alloc(got, *n_got, (size_t)bytes, 0));
    GO(comm_agree(comm, status));
    deal_sort(first, size, n, records, bytes, to, by_bytes, sorted);
    for (int r = 0; r < size; r++) {
        by_bytes[r] = to[r] * bytes;
        by_bytes[size + r] = from[r] * bytes;
    }
    GO(comm_trade(comm, COMM_ROUTE, sorted, by_bytes, *got, by_bytes + size));
    GO(comm_agree(comm, FARSUM_OK));
done:
    mem_free(sorted);
    mem_free(by_bytes);
    if (status != FARSUM_OK) {
        mem_free(*got);
        *got = NULL;
        *n_got = 0;
    }
    return status;
}
