/* SPDX-License-Identifier: Apache-2.0 */
/* async.h: asynchronous copies from global to shared memory, complete after
 * async_wait (NVIDIA, sm_80 and later). */
#ifndef FARSUM_DIALECT_ASYNC_H
#define FARSUM_DIALECT_ASYNC_H

/* Copies one f64, or writes 0 if `there` is 0; `from` may then be any legal
 * address. */
FN void async_copy(f64 *to, const f64 *from, i32 there)
{
    asm volatile("cp.async.ca.shared.global [%0], [%1], 8, %2;"
                 :
                 : "r"((u32)__cvta_generic_to_shared(to)), "l"(from),
                   "r"(there ? 8 : 0)
                 : "memory");
}
/* Copies 16 bytes, both sides aligned, bypassing the first-level cache. */
FN void async_copy16(void *to, const void *from)
{
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;"
                 :
                 : "r"((u32)__cvta_generic_to_shared(to)), "l"(from)
                 : "memory");
}
/* Waits for this thread's copies.  A barrier makes them visible to the
 * others. */
FN void async_wait(void)
{
    asm volatile("cp.async.wait_all;" : : : "memory");
}
/* async_commit puts the copies since the previous commit into one group.
 * async_wait_but_one waits for all groups except the last. */
FN void async_commit(void)
{
    asm volatile("cp.async.commit_group;" : : : "memory");
}
FN void async_wait_but_one(void)
{
    asm volatile("cp.async.wait_group 1;" : : : "memory");
}
#endif
