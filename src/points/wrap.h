/* SPDX-License-Identifier: Apache-2.0 */
/* wrap.h: one set of positions, as the stages see it. */
#ifndef FARSUM_POINTS_WRAP_H
#define FARSUM_POINTS_WRAP_H

#include "points/bins.h"
#include "points/cell.h"
#include "points/exclusions.h"

struct points_gpu;
struct tree;

struct points {
    int64_t n;
    int64_t room;      /* positions that s can hold */
    double *s[3];      /* owned: fractional coordinates in [0, 1) of the
                          reduced cell, caller's order */
    struct bins bins;  /* by mesh tile; filled by bins_build */
    struct points_gpu *gpu; /* owned; NULL on the host: then s and bins are
                               empty, n holds */
    const struct tree *tree; /* borrowed; NULL but for rooms of boxes */
};

/* Wraps x [n][3] (type `arrays`), cell->unit times which is in the cell's
 * unit.  A coordinate that is not finite, or so far away
 * that wrapping leaves no digits, fails with its index and value; what is
 * "source" or "target". */
farsum_status points_set(struct points *points, const struct cell *cell,
                         int64_t n, const void *x, farsum_precision arrays,
                         const char *what, int threads);
/* Farther out than this many cells, wrapping leaves fewer digits than a sum
 * needs. */
#define POINTS_FAR_AWAY 1e6
/* Fails: what is bad about point i at x. */
farsum_status points_bad(const double x[3], int64_t i, const char *what);
void points_clear(struct points *points);
/* Fails: sources i and j do, and `factor` of their interaction is to stay. */
farsum_status points_coincide(int64_t i, int64_t j, double factor);
/* FARSUM_ERR_COINCIDENT with the index pair if two positions are the same: if
 * they are wrapped but for rounding and a lattice vector, else to the bit.
 * Pairs that the exclusions leave out whole may be; they are counted there.
 * NULL: there are none. */
farsum_status points_distinct(const struct points *points, int wrapped,
                              int threads, struct exclusions *exclusions);
#endif
