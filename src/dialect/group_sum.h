/* SPDX-License-Identifier: Apache-2.0 */
/* group_sum.h: sums over a thread block of GROUP threads (a power of two), in
 * f64 for every `real` and always in the same order. */
#ifndef FARSUM_DIALECT_GROUP_SUM_H
#define FARSUM_DIALECT_GROUP_SUM_H

/* Returns the block's sum to every thread.  Every thread must call.  scratch:
 * GROUP words of shared memory, free again after the call. */
FN f64 group_total(f64 v, LOCAL_PTR f64 *scratch)
{
#if HAS_SUBGROUP && GROUP % SG_SIZE == 0
    UNROLL
    for (i32 by = SG_SIZE / 2; by > 0; by /= 2)
        v += sg_shuffle_xor(v, by);
    if (LID % SG_SIZE == 0)
        scratch[LID / SG_SIZE] = v;
    BARRIER();
    f64 sum = scratch[0];
    UNROLL
    for (i32 w = 1; w < GROUP / SG_SIZE; w++)
        sum += scratch[w];
#else
    scratch[LID] = v;
    BARRIER();
    for (i32 by = GROUP / 2; by > 0; by /= 2) {
        if (LID < by)
            scratch[LID] += scratch[LID + by];
        BARRIER();
    }
    f64 sum = scratch[0];
#endif
    BARRIER();
    return sum;
}

/* Sums word w of all blocks' records of `each` words.  One thread block calls;
 * every thread gets the sum. */
FN f64 records_total(GLOBAL const f64 *record, i64 records, i32 each, i32 w,
                     LOCAL_PTR f64 *scratch)
{
    f64 sum = 0;
    for (i64 g = LID; g < records; g += GROUP)
        sum += record[g * each + w];
    return group_total(sum, scratch);
}
#endif
