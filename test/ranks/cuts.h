/* SPDX-License-Identifier: Apache-2.0 */
/* cuts.h: cuts of n planes among ranks: even, uneven, all on one rank, and one
 * plane on each rank but the last.  Ranks may be empty. */
#ifndef FARSUM_TEST_CUTS_H
#define FARSUM_TEST_CUTS_H

#include <stdint.h>

enum { CUTS = 4, CUTS_RANKS = 13 };

static inline void cut(int64_t begin[CUTS_RANKS + 1], int64_t n, int size,
                       int kind)
{
    for (int64_t r = 0; r <= size; r++) {
        int64_t at[CUTS] = {n * r / size, n * r * r / ((int64_t)size * size),
                            r > size / 2 ? n : 0, r < n && r < size ? r : n};
        begin[r] = at[kind];
    }
}

/* A number that depends on the channel and the plane's or mesh's index only. */
static inline double cut_value(int64_t channel, int64_t index)
{
    uint64_t z =
        (uint64_t)(channel * 1000003 + index + 1) * 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    return (double)(int64_t)(z ^ (z >> 27)) * 0x1p-63;
}
#endif
