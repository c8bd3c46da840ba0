/* SPDX-License-Identifier: Apache-2.0 */
/* cell.h: the periodic cell in a reduced basis.
 *
 * A lattice has many bases.  The library works in a reduced, nearly orthogonal
 * one, so that a strongly tilted cell costs no more than a straight one.  Rows
 * are vectors; the basis is right-handed. */
#ifndef FARSUM_POINTS_CELL_H
#define FARSUM_POINTS_CELL_H

#include "base/status.h"

struct cell {
    double a[9];      /* rows a, b, c, in the length unit of the struct that
                         holds the cell */
    double inv[9];    /* inverse matrix: s_d = sum_j x_j inv[3j + d] */
    double volume;
    double height[3]; /* distances between opposite faces: 1 / |column d of
                         inv| */
    int reduced;      /* 1: the basis differs from the caller's */
    double unit;      /* the caller's positions times this are in the unit of a;
                         a power of two (default: 1) */
};

/* Negates c if the rows are left-handed: the same lattice along the same axes.
 * Returns 1 if it did. */
int cell_right(double rows[9]);
/* Checks the cell (finite, right-handed, not singular) and reduces it
 * (Minkowski).  `scale` multiplies all lengths. */
farsum_status cell_set(struct cell *cell, const double rows[9], double scale);
/* Copies a cell with another scale; the basis stays. */
void cell_scale(struct cell *cell, const struct cell *from, double scale);
/* Sets a cell with the integer basis change that `like` got from cell_set.  So
 * mesh axes keep their meaning while the cell changes a little. */
farsum_status cell_follow(struct cell *cell, const struct cell *like,
                          const double old_rows[9], const double rows[9],
                          double scale);

/* k_0 of (6.11), the lower limit of integrals that stand for sums over the
 * cell's modes. */
double cell_lowest(const struct cell *cell);

/* Wraps a fractional coordinate to [0, 1). */
static inline double cell_wrap(double s)
{
    s -= __builtin_floor(s);
    return s < 1 ? s : 0;
}
#endif
