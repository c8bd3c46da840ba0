/* SPDX-License-Identifier: Apache-2.0 */
/* modes.h: fields far from planes and rows of unit charges, by their
 * modes. */
#ifndef FARSUM_MATH_IMAGES_MODES_H
#define FARSUM_MATH_IMAGES_MODES_H

#include <math.h>

#include "math/multipole.h"

/* The matrices of multipole_swap for degrees 0 .. p, one after another. */
static inline int64_t multipole_swap_numbers(int p)
{
    return p < 0 ? 0 : (int64_t)(p + 1) * (2 * p + 1) * (2 * p + 3) / 3;
}

/* Modes up to this wave number times the distance count in degrees up to p. */
static inline double multipole_modes_most(int p)
{
    return p + 9 * sqrt(p) + 45;
}
/* The field of a plane across axis `open`, (10.52), added to s.  cell: the
 * other edges.  |d[open]| must exceed the longest by some fifth. */
void multipole_plane_modes(int p, int open, const double cell[3],
                           const double d[3], double *s);
/* The field of a row along an axis, (10.53).  edge: its period, which the
 * distance must exceed by some fifth.  swap: the matrices above; for axis 2
 * NULL. */
void multipole_row_modes(int p, int axis, double edge, const double *swap,
                         const double d[3], double *s);
#endif
