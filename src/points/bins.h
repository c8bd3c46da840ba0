/* SPDX-License-Identifier: Apache-2.0 */
/* bins.h: points sorted by the mesh tiles that hold them.
 *
 * Tile (bx, by, bz) of nb holds the points with floor(s_d nb_d) = b_d.  Spread
 * and interp share one sort. */
#ifndef FARSUM_POINTS_BINS_H
#define FARSUM_POINTS_BINS_H

#include "base/status.h"

struct points;

struct bins {
    int32_t nb[3];     /* tiles along a, b, c */
    int64_t n, n_bins; /* points, nb[0] nb[1] nb[2] */
    int64_t capacity, bin_capacity;
    int64_t *start;    /* owned, [n_bins + 1]; tile (bx*nb1 + by)*nb2 + bz */
    int64_t *order;    /* owned, [n]: caller's index of the k-th sorted point */
    double *s[3];      /* owned, [n]: fractional coordinates, sorted */
};

/* Sorts points->s into points->bins.  The sort is stable: within a tile it
 * keeps the caller's order.  So the result does not depend on the number of
 * threads. */
farsum_status bins_build(struct points *points, const int32_t nb[3],
                         int threads);
void bins_clear(struct bins *bins);
#endif
