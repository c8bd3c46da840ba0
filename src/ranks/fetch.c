/* SPDX-License-Identifier: Apache-2.0 */
/* fetch.c: requests by number, and their values. */
#include "ranks/fetch.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

static int number_order(const void *a, const void *b)
{
    const int64_t *x = a, *y = b;
    return *x < *y ? -1 : *x > *y;
}

void fetch_clear(struct fetch *fetch)
{
    mem_free(fetch->number);
    mem_free(fetch->asked);
    mem_free(fetch->counts);
    mem_free(fetch->packed);
    *fetch = (struct fetch){.n = 0};
}

/* Copies the numbers, each once, in ascending order. */
static farsum_status fetch_numbers(struct fetch *fetch, int64_t n,
                                   const int64_t *numbers)
{
    TRY(MEM_RAW(fetch->number, n));
    if (n == 0)
        return FARSUM_OK;
    memcpy(fetch->number, numbers, (size_t)n * sizeof *numbers);
    qsort(fetch->number, (size_t)n, sizeof *numbers, number_order);
    for (int64_t k = 0; k < n; k++)
        if (k == 0 || fetch->number[k] != fetch->number[k - 1])
            fetch->number[fetch->n++] = fetch->number[k];
    return FARSUM_OK;
}

farsum_status fetch_create(struct fetch *fetch, struct comm *comm,
                           farsum_status status, const int64_t *first,
                           int64_t n, const int64_t *numbers,
                           int64_t bytes_most)
{
    int size = comm->size;
    void *asked = NULL;
    *fetch = (struct fetch){.size = size, .bytes_most = bytes_most};
    KEEP_ON(MEM_NEW(fetch->counts, 4 * size));
    /* numbers_deal writes counts: it must exist on all ranks */
    GO(comm_agree(comm, status));
    status = fetch_numbers(fetch, n, numbers);
    GO(numbers_deal(comm, status, first, fetch->n, fetch->number,
                    sizeof(int64_t), &asked, &fetch->n_asked, fetch->counts,
                    fetch->counts + size));
    fetch->asked = asked;
    for (int64_t k = 0; k < fetch->n_asked; k++)
        fetch->asked[k] -= first[comm->rank];
    status =
        mem_alloc((void **)&fetch->packed, fetch->n_asked * bytes_most, 1, 0);
    GO(comm_agree(comm, status));
done:
    if (status != FARSUM_OK)
        fetch_clear(fetch);
    return status;
}

int64_t fetch_find(const struct fetch *fetch, int64_t number)
{
    int64_t low = 0, high = fetch->n;
    while (low < high) {
        int64_t middle = low + (high - low) / 2;
        if (fetch->number[middle] < number)
            low = middle + 1;
        else
            high = middle;
    }
    return low < fetch->n && fetch->number[low] == number ? low : -1;
}

farsum_status fetch_values(struct fetch *fetch, struct comm *comm,
                           const void *held, int64_t bytes_each, void *got)
{
    int size = fetch->size;
    int64_t *to = fetch->counts, *from = to + size;
    int64_t *to_bytes = from + size, *from_bytes = to_bytes + size;
    if (bytes_each < 1 || bytes_each > fetch->bytes_most)
        FAIL(ERR_ARGUMENT, "values of %lld bytes, not 1 .. %lld",
             (long long)bytes_each, (long long)fetch->bytes_most);
    for (int64_t k = 0; k < fetch->n_asked; k++)
        memcpy(fetch->packed + k * bytes_each,
               (const char *)held + fetch->asked[k] * bytes_each,
               (size_t)bytes_each);
    for (int r = 0; r < size; r++) { /* values go where requests came from */
        to_bytes[r] = from[r] * bytes_each;
        from_bytes[r] = to[r] * bytes_each;
    }
    return comm_trade(comm, COMM_GHOSTS, fetch->packed, to_bytes, got,
                      from_bytes);
}
