/* SPDX-License-Identifier: Apache-2.0 */
/* direct_lane.h: targets in SIMD lanes, for the *_kern.c files of the open
 * sums.  Eight terms are added plainly, and their sum is added with TwoSum.
 * The plain additions contribute about one rounding to the one that each term
 * has anyway. */
#ifndef FARSUM_REFERENCE_DIRECT_DIRECT_LANE_H
#define FARSUM_REFERENCE_DIRECT_DIRECT_LANE_H

#include "base/simd.h"
#include "reference/direct/direct_sum.h"

enum { RUN = 8, VECS = DIRECT_TILE / W, SUMS = 80 };

/* One vector of targets: positions, and sums with their rounding errors. */
struct lane {
    vreal x[3];
    vreal sum[SUMS], low[SUMS];
};

/* direct_add() for `sums` sums. */
SIMD_FN void lane_add(struct lane *t, const vreal *x, int sums)
{
    for (int a = 0; a < sums; a++) {
        vreal s = t->sum[a] + x[a], z = s - t->sum[a];
        t->low[a] += (t->sum[a] - (s - z)) + (x[a] - z);
        t->sum[a] = s;
    }
}

/* Loads the targets from i0 on; beyond the last target, repeats it. */
SIMD_FN void tile_load(struct lane *tile, const struct direct_args *args,
                       int64_t i0)
{
    const double *y = args->y ? args->y : args->x;
    int64_t m = args->y ? args->m : args->n;
    memset(tile, 0, VECS * sizeof *tile);
    for (int i = 0; i < DIRECT_TILE; i++) {
        int64_t from = i0 + i < m ? i0 + i : m - 1;
        for (int d = 0; d < 3; d++)
            tile[i / W].x[d][i % W] = y[3 * from + d];
    }
}

/* Sum a of target i of the tile. */
SIMD_FN double tile_value(const struct lane *tile, int i, int a)
{
    return tile[i / W].sum[a][i % W] + tile[i / W].low[a][i % W];
}
#endif
