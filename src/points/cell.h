/* SPDX-License-Identifier: Apache-2.0 */
/* cell.h: the periodic cell, reduced.
 *
 * A lattice has many bases; the library works in a reduced one (nearly
 * orthogonal), so that a strongly tilted cell costs no more than a straight
 * one.  Rows are vectors.  Right-handed. */
#ifndef FARSUM_POINTS_CELL_H
#define FARSUM_POINTS_CELL_H

#include "base/status.h"

struct cell {
    double a[9];      /* rows a, b, c; length unit of the holder */
    double inv[9];    /* inverse matrix: s_d = sum_j x_j inv[3j + d] */
    double volume;
    double height[3]; /* distance of opposite faces: 1 / |column d of inv| */
    int reduced;      /* 1: the basis differs from the caller's */
    double unit;      /* positions that are given, times this, are in the unit
                         of a: a power of two; 1 unless the holder says */
};

/* Turns c round where the rows are left-handed: the same lattice along the same
 * axes.  1: it did. */
int cell_right(double rows[9]);
/* Checks (finite, right-handed, not singular) and reduces (Minkowski).
 * `scale` multiplies all lengths. */
farsum_status cell_set(struct cell *cell, const double rows[9], double scale);
/* The same basis under another scale. */
void cell_scale(struct cell *cell, const struct cell *from, double scale);
/* As cell_set, but with the integer basis change that `like` was given: keeps
 * the meaning of mesh axes while the cell moves a little. */
farsum_status cell_follow(struct cell *cell, const struct cell *like,
                          const double old_rows[9], const double rows[9],
                          double scale);

/* Wrapped fractional coordinate, in [0, 1). */
static inline double cell_wrap(double s)
{
    s -= __builtin_floor(s);
    return s < 1 ? s : 0;
}
#endif
