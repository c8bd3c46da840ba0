/* SPDX-License-Identifier: Apache-2.0 */
/* mem.h: allocation that counts bytes, aligns to 64 bytes and can be made to
 * fail.
 *
 * MEM_NEW(p, count) sets p to count zeroed objects of its type.  On failure p
 * is NULL and the status is FARSUM_ERR_MEMORY, with the bytes in the message.
 * MEM_RAW does not clear.  mem_free(NULL) is legal. */
#ifndef FARSUM_BASE_MEM_H
#define FARSUM_BASE_MEM_H

#include "base/status.h"

#define MEM_NEW(p, count) mem_alloc((void **)&(p), (count), sizeof *(p), 1)
#define MEM_RAW(p, count) mem_alloc((void **)&(p), (count), sizeof *(p), 0)
/* Makes p hold at least count objects; *have is its current capacity.  Growing
 * loses the contents.  Never shrinks. */
#define MEM_RESERVE(p, have, count)                                            \
    mem_reserve((void **)&(p), (have), (count), sizeof *(p))

farsum_status mem_alloc(void **p, int64_t count, size_t size, int clear);
farsum_status mem_reserve(void **p, int64_t *have, int64_t count, size_t size);
void mem_free(void *p);

/* Returns the net bytes that this thread has allocated.  The difference of two
 * calls is the memory allocated between them. */
int64_t mem_bytes(void);
/* For tests: makes this thread's n-th allocation from now fail (1 = the next).
 * 0 turns it off. */
void mem_fail_at(int64_t n);
/* Makes this thread's allocations fail where mem_bytes() would exceed `most`.
 * `limit` is the number of bytes that the message states.  Returns the previous
 * state, for mem_unlimit. */
struct mem_limit {
    int64_t most, limit; /* limit 0: no limit */
};
struct mem_limit mem_limit(int64_t most, int64_t limit);
void mem_unlimit(struct mem_limit old);
/* Returns the machine's memory in bytes. */
uint64_t mem_machine(void);
/* Returns the smallest of the machine's memory, RLIMIT_AS, and the limits of
 * the process's control group and of the groups above it. */
uint64_t mem_allowed(void);
/* Returns the control groups' limit, UINT64_MAX if there is none.  root: the
 * folder that holds /proc and /sys, "" by default; the tests pass their own. */
uint64_t mem_cgroup(const char *root);
#endif
