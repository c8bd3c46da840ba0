/* SPDX-License-Identifier: Apache-2.0 */
/* mem.h: memory that is counted, aligned to 64 bytes and may be made to fail.
 *
 * MEM_NEW(p, count) sets p to count zeroed objects of its type; on failure p is
 * NULL and the status is FARSUM_ERR_MEMORY with the bytes in the message.
 * MEM_RAW does not clear.  mem_free(NULL) is legal. */
#ifndef FARSUM_BASE_MEM_H
#define FARSUM_BASE_MEM_H

#include "base/status.h"

#define MEM_NEW(p, count) mem_alloc((void **)&(p), (count), sizeof *(p), 1)
#define MEM_RAW(p, count) mem_alloc((void **)&(p), (count), sizeof *(p), 0)
/* Makes p hold at least count objects; *have is the count it holds.  Contents
 * are lost when it grows.  Never shrinks. */
#define MEM_RESERVE(p, have, count)                                            \
    mem_reserve((void **)&(p), (have), (count), sizeof *(p))

farsum_status mem_alloc(void **p, int64_t count, size_t size, int clear);
farsum_status mem_reserve(void **p, int64_t *have, int64_t count, size_t size);
void mem_free(void *p);

/* Net bytes that this thread has allocated: a difference of two calls is what
 * lies between them. */
int64_t mem_bytes(void);
/* For the tests: this thread's n-th allocation from now fails (1 = the next);
 * 0 turns it off. */
void mem_fail_at(int64_t n);
/* This thread's allocations fail where mem_bytes() would pass `most`; limit is
 * what the message says is allowed.  Returns the old state, for mem_unlimit. */
struct mem_limit {
    int64_t most, limit; /* limit 0: none */
};
struct mem_limit mem_limit(int64_t most, int64_t limit);
void mem_unlimit(struct mem_limit old);
/* Bytes of memory in the machine. */
uint64_t mem_machine(void);
/* The least of them, the limit of the process's control group and of those
 * that it lies in, and RLIMIT_AS. */
uint64_t mem_allowed(void);
/* The control groups' limit, UINT64_MAX if none, with /proc and /sys below
 * root (""; the tests have one of their own). */
uint64_t mem_cgroup(const char *root);
#endif
