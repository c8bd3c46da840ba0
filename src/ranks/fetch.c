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
    sends_destroy(&fetch->sends);
    mem_free(fetch->number);
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
    void *asked = NULL;
    struct sends *sends = &fetch->sends;
    *fetch = (struct fetch){.n = 0};
    KEEP_ON(sends_create(sends, COMM_GHOSTS, comm->size, bytes_most, 1));
    /* numbers_deal writes counts: they must exist on all ranks */
    GO(comm_agree(comm, status));
    status = fetch_numbers(fetch, n, numbers);
    /* values go where requests come from */
    GO(numbers_deal(comm, status, first, fetch->n, fetch->number,
                    sizeof(int64_t), &asked, &sends->n_sent, sends->from,
                    sends->to));
    sends->index = asked;
    sends->n_got = fetch->n;
    for (int64_t k = 0; k < sends->n_sent; k++)
        sends->index[k] -= first[comm->rank];
    status = mem_alloc((void **)&sends->packed,
                       sends->n_sent * sends->bytes_most, 1, 0);
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
    return sends_there(&fetch->sends, comm, held, bytes_each, got);
}
