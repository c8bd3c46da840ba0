/* SPDX-License-Identifier: Apache-2.0 */
/* async.h: copies from global to group memory that nobody waits for until
 * async_wait (NVIDIA, sm_80 and later). */
#ifndef FARSUM_DIALECT_ASYNC_H
#define FARSUM_DIALECT_ASYNC_H

/* One f64; 0 if it is not there (`from` is then any legal address). */
FN void async_copy(f64 *to, const f64 *from, i32 there)
{
    asm volatile("cp.async.ca.shared.global [%0], [%1], 8, %2;"
                 :
                 : "r"((u32)__cvta_generic_to_shared(to)), "l"(from),
                   "r"(there ? 8 : 0)
                 : "memory");
}
/* Words of 16 bytes, both aligned, past the first cache. */
FN void async_copy16(void *to, const void *from)
{
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;"
                 :
                 : "r"((u32)__cvta_generic_to_shared(to)), "l"(from)
                 : "memory");
}
/* This thread's copies are done; a barrier shows them to the others. */
FN void async_wait(void)
{
    asm volatile("cp.async.wait_all;" : : : "memory");
}
/* Copies since the last of these are one lot; all but the last lot are done. */
FN void async_commit(void)
{
    asm volatile("cp.async.commit_group;" : : : "memory");
}
FN void async_wait_but_one(void)
{
    asm volatile("cp.async.wait_group 1;" : : : "memory");
}
#endif
