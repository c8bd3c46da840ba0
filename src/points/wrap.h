/* SPDX-License-Identifier: Apache-2.0 */
/* wrap.h: a set of positions as the stages use it. */
#ifndef FARSUM_POINTS_WRAP_H
#define FARSUM_POINTS_WRAP_H

#include "points/bins.h"
#include "points/cell.h"
#include "points/exclusions.h"

struct points_gpu;
struct tree;

struct points {
    int64_t n;
    int64_t capacity;      /* capacity of s */
    double *s[3];      /* owned: fractional coordinates in [0, 1) of the
                          reduced cell, or positions (fmm on the host);
                          caller's order */
    struct bins bins;  /* by mesh tile; filled by bins_build */
    struct points_gpu *gpu; /* owned; NULL on the host.  With a device, s and
                               bins are empty; n is valid. */
    const struct tree *tree; /* borrowed; used only by the stages of fmm, else
                                NULL */
};

/* Sets the number of points and makes s hold them. */
farsum_status points_hold(struct points *points, int64_t n);
/* Wraps x [n][3] (type `arrays`) into the cell along its periodic axes; x times
 * cell->unit is in the cell's unit.  Fails with index and value if a coordinate
 * is not finite, or so far away that wrapping leaves no digits.  what:
 * "source" or "target". */
farsum_status points_set(struct points *points, const struct cell *cell,
                         int64_t n, const void *x, farsum_precision arrays,
                         const char *what, int threads);
/* Largest distance from the cell, in cells.  Beyond it wrapping leaves fewer
 * digits than a sum needs. */
#define POINTS_FAR_AWAY 1e6
/* Fails with a message about point i at x. */
farsum_status points_bad(const double x[3], int64_t i, const char *what);
void points_clear(struct points *points);
/* Fails because sources i and j coincide and `factor` of their interaction
 * would remain. */
farsum_status points_coincide(int64_t i, int64_t j, double factor);
/* Fractional coordinates that differ by less count as equal.  Wrapping and
 * the cell's inverse round by this much, for example for points on opposite
 * faces. */
#define POINTS_SAME 4e-15
/* Fails with FARSUM_ERR_COINCIDENT and the two indices if two positions are
 * equal.  wrapped: up to rounding and a lattice vector; else bitwise.  Pairs
 * that are excluded completely may coincide; exclusions->together counts them.
 * exclusions NULL: there are none. */
farsum_status points_distinct(const struct points *points, int wrapped,
                              int threads, struct exclusions *exclusions);
/* Finds the two sources that points_distinct fails for, the lower one first,
 * and the factor of their exclusion (1: none).  -1: there are none. */
farsum_status points_twins(const struct points *points, int wrapped,
                           int threads, struct exclusions *exclusions,
                           int64_t twins[2], double *factor);
#endif
