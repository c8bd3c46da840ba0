/* SPDX-License-Identifier: Apache-2.0 */
/* starts.h: where the points of each bin begin, from sorted keys, a thread a
 * point: point k starts the bins after its predecessor's up to its own, n those
 * that are left; the whole group fills a long stretch. */
#ifndef FARSUM_LEAF_STARTS_H
#define FARSUM_LEAF_STARTS_H

#define STARTS_LONG 64

/* The bins that item k of n starts. */
FN void starts_range(GLOBAL const u32 *keys, i64 k, i64 n, i64 n_bins,
                     i64 *from, i64 *to)
{
    *from = 0;
    *to = -1;
    if (k <= n) {
        *from = k > 0 ? (i64)keys[k - 1] + 1 : 0;
        *to = k < n ? (i64)keys[k] : n_bins;
    }
}

/* Of a group's threads, whose items lie side by side from `first` on; every
 * thread calls.  run: [GROUP]. */
FN void starts_fill(GLOBAL const u32 *keys, GLOBAL u32 *start, i64 first, i64 n,
                    i64 n_bins, LOCAL_PTR i32 *n_long, LOCAL_PTR i32 *run)
{
    i64 k = first + LID, from, to;
    if (LID == 0)
        *n_long = 0;
    BARRIER();
    starts_range(keys, k, n, n_bins, &from, &to);
    if (to - from >= STARTS_LONG) {
        run[atomic_add_local_i32(n_long, 1)] = LID;
    } else {
        for (i64 b = from; b <= to; b++)
            start[b] = (u32)k;
    }
    BARRIER();
    for (i32 r = 0; r < *n_long; r++) {
        k = first + run[r];
        starts_range(keys, k, n, n_bins, &from, &to);
        for (i64 b = from + LID; b <= to; b += GROUP)
            start[b] = (u32)k;
    }
}
#endif
