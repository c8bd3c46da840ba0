/* SPDX-License-Identifier: Apache-2.0 */
/* cell.h: the periodic cell in a reduced basis.
 *
 * A lattice has many bases.  The library works in a reduced, nearly orthogonal
 * one, so that a strongly tilted cell costs no more than a straight one.  Rows
 * are vectors; the basis is right-handed.
 *
 * Any of the three axes may be open.  Then only the periodic vectors make the
 * lattice and are reduced; open vectors are orthogonal to them and to each
 * other, and points are not wrapped along them. */
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
    int open[3];      /* 1: not periodic along that row */
    double unit;      /* the caller's positions times this are in the unit of a;
                         a power of two (default: 1) */
};

/* Three periodic axes: negates c if the rows are left-handed: the same lattice
 * along the same axes.  Returns 1 if it did.  Fewer: replaces open rows by
 * right-handed ones that are orthogonal to all others.  An open row keeps the
 * length of its part in that direction; if it has none, its length is that of
 * the longest periodic row. */
int cell_right(double rows[9], const int periodic[3]);
/* Checks the cell (finite, right-handed, not singular) and reduces it
 * (Minkowski).  `scale` multiplies all lengths.  Three periodic axes. */
farsum_status cell_set(struct cell *cell, const double rows[9], double scale);
/* The same for one to three periodic axes; rows after cell_right. */
farsum_status cell_set_axes(struct cell *cell, const double rows[9],
                            const int periodic[3], double scale);
/* Sets the edge along an open axis. */
void cell_stretch(struct cell *cell, int axis, double edge);
/* Copies a cell with another scale; the basis stays. */
void cell_scale(struct cell *cell, const struct cell *from, double scale);
/* Sets a cell with the integer basis change that `like` got from cell_set.  So
 * mesh axes keep their meaning while the cell changes a little. */
farsum_status cell_follow(struct cell *cell, const struct cell *like,
                          const double old_rows[9], const double rows[9],
                          double scale);

/* Number of periodic axes, each 0 or 1. */
static inline int cell_axes(const int periodic[3])
{
    return periodic[0] + periodic[1] + periodic[2];
}

/* k_0 of (6.11), the lower limit of integrals that stand for sums over the
 * cell's modes. */
double cell_lowest(const struct cell *cell);

/* Wraps a fractional coordinate to [0, 1). */
static inline double cell_wrap(double s)
{
    s -= __builtin_floor(s);
    return s < 1 ? s : 0;
}
/* The same along row d, if it is periodic. */
static inline double cell_wrap_axis(const struct cell *cell, int d, double s)
{
    return cell->open[d] ? s : cell_wrap(s);
}
#endif
