/* SPDX-License-Identifier: Apache-2.0 */
/* mem.c: counted, aligned allocation. */
#include "base/mem.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { ALIGN = 64 };

/* Precedes each block; its size keeps the block aligned. */
struct header {
    int64_t bytes;
    char pad[ALIGN - sizeof(int64_t)];
};

static _Thread_local int64_t net, fail_at;
static _Thread_local struct mem_limit ceiling;

farsum_status mem_alloc(void **p, int64_t count, size_t size, int clear)
{
    *p = NULL;
    if (count < 0 || (uint64_t)count > (UINT64_MAX / 4) / size)
        FAIL(ERR_MEMORY, "%lld objects of %zu bytes are more than memory holds",
             (long long)count, size);
    size_t bytes = (size_t)count * size;
    size_t whole = sizeof(struct header) + (bytes + ALIGN - 1) / ALIGN * ALIGN;
    struct header *h = NULL;
    if (ceiling.limit > 0 && (int64_t)whole > ceiling.most - net)
        FAIL(ERR_MEMORY, "%lld bytes are needed in all, the limit is %lld",
             (long long)(ceiling.limit + (net + (int64_t)whole - ceiling.most)),
             (long long)ceiling.limit);
    if (fail_at == 0 || --fail_at != 0)
        h = aligned_alloc(ALIGN, whole);
    if (!h)
        FAIL(ERR_MEMORY, "%zu bytes could not be allocated", bytes);
    h->bytes = (int64_t)whole;
    net += h->bytes;
    *p = h + 1;
    if (clear)
        memset(*p, 0, bytes);
    return FARSUM_OK;
}

farsum_status mem_reserve(void **p, int64_t *have, int64_t count, size_t size)
{
    if (*p && *have >= count)
        return FARSUM_OK;
    mem_free(*p);
    *have = 0;
    TRY(mem_alloc(p, count, size, 0));
    *have = count;
    return FARSUM_OK;
}

void mem_free(void *p)
{
    if (!p)
        return;
    struct header *h = (struct header *)p - 1;
    net -= h->bytes;
    free(h);
}

int64_t mem_bytes(void)
{
    return net;
}

void mem_fail_at(int64_t n)
{
    fail_at = n;
}

struct mem_limit mem_limit(int64_t most, int64_t limit)
{
    struct mem_limit old = ceiling;
    if (old.limit == 0 || most < old.most)
        ceiling = (struct mem_limit){most, limit};
    return old;
}

void mem_unlimit(struct mem_limit old)
{
    ceiling = old;
}

uint64_t mem_machine(void)
{
    long pages = sysconf(_SC_PHYS_PAGES), size = sysconf(_SC_PAGESIZE);
    return pages > 0 && size > 0 ? (uint64_t)pages * (uint64_t)size : 0;
}
