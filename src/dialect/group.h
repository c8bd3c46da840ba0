/* SPDX-License-Identifier: Apache-2.0 */
/* group.h: sums and scans over a thread block of GROUP threads.  GROUP is a
 * power of two that the file defines before including this header.  Every
 * thread must call.  `scratch`: GROUP words of shared memory, free again after
 * the call. */
#ifndef FARSUM_DIALECT_GROUP_H
#define FARSUM_DIALECT_GROUP_H

/* Returns the block's sum to every thread. */
FN real group_sum(real v, LOCAL_PTR real *scratch)
{
    scratch[LID] = v;
    BARRIER();
    for (i32 by = LSIZE / 2; by > 0; by /= 2) {
        if (LID < by)
            scratch[LID] += scratch[LID + by];
        BARRIER();
    }
    real sum = scratch[0];
    BARRIER();
    return sum;
}

/* Returns the sum over the threads before this one.  *total: the sum over all
 * threads. */
FN i32 group_scan(i32 v, LOCAL_PTR i32 *scratch, i32 *total)
{
    scratch[LID] = v;
    BARRIER();
    for (i32 by = 1; by < LSIZE; by *= 2) {
        i32 other = LID >= by ? scratch[LID - by] : 0;
        BARRIER();
        scratch[LID] += other;
        BARRIER();
    }
    i32 before = scratch[LID] - v;
    *total = scratch[LSIZE - 1];
    BARRIER();
    return before;
}
#endif
