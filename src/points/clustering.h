/* SPDX-License-Identifier: Apache-2.0 */
/* clustering.h: the clustering factor of points: the density around a point
 * over the mean density, 1 for uniform points ((4.8) of math.md).
 *
 * For n points in B tiles with n_b points each it is B sum n_b (n_b - 1) / (n
 * (n - 1)).  Tiles are about CLUSTERING_EDGE mesh points wide, and wider if the
 * points are too few. */
#ifndef FARSUM_POINTS_CLUSTERING_H
#define FARSUM_POINTS_CLUSTERING_H

#include "base/status.h"

struct points;

enum { CLUSTERING_EDGE = 4 };

/* Returns the factor, at least 1.  squares: the sum of n_b^2. */
double clustering_of(double squares, double n, double tiles);
/* Selects the tiles for n points on that mesh. */
void clustering_tiles(const int64_t mesh[3], int64_t n, int32_t nb[3]);
/* Measures the factor of points that have been set.  The host samples about ten
 * thousand of them.  A device sorts all of them, and the call waits. */
farsum_status clustering_measure(const struct points *points,
                                 const int64_t mesh[3], double *clustering);
#endif
