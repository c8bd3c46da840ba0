/* SPDX-License-Identifier: Apache-2.0 */
/* clustering.h: how crowded points are: the density that a point finds around
 * it over the mean one, 1 if they lie uniformly ((4.8) of math.md).
 *
 * Of n points in B tiles that hold n_b each it is B sum n_b (n_b - 1)
 * / (n (n - 1)); tiles are some CROWD_EDGE mesh points wide, and wider where
 * the points are too few to tell. */
#ifndef FARSUM_POINTS_CLUSTERING_H
#define FARSUM_POINTS_CLUSTERING_H

#include "base/status.h"

struct points;

enum { CROWD_EDGE = 4 };

/* squares: the sum of n_b^2.  At least 1. */
double crowd_of(double squares, double n, double tiles);
/* Tiles for n points on that mesh. */
void crowd_tiles(const int64_t mesh[3], int64_t n, int32_t nb[3]);
/* Of points that are set: on the host from some ten thousand of them; on a
 * device it sorts them all and waits. */
farsum_status crowd_measure(const struct points *points, const int64_t mesh[3],
                            double *crowd);
#endif
