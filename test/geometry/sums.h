/* SPDX-License-Identifier: Apache-2.0 */
/* sums.h: one sum of a problem of 1/r or alike, for tests of geometries. */
#ifndef FARSUM_TEST_GEOMETRY_SUMS_H
#define FARSUM_TEST_GEOMETRY_SUMS_H

#include <math.h>
#include <stdint.h>

#include "farsum/farsum.h"

enum { GEOMETRY_MOST = 300 };

/* All outputs of up to GEOMETRY_MOST particles, and the plan's cutoff. */
struct sums {
    double potential[GEOMETRY_MOST], field[3 * GEOMETRY_MOST], energy,
        virial[9], cutoff;
};

/* Sums problem->n_sources or, as set_points allows, other n sources at x [n][3]
 * with charges q.  m > 0: at targets y [m][3], without energy and virial.
 * result: its arrays are those that may be written.  cutoff: out; NULL is
 * legal. */
farsum_status geometry_sum(const farsum_problem *problem,
                           const farsum_options *options, int n,
                           const double *x, const double *q, int m,
                           const double *y, farsum_result result,
                           double *cutoff);
/* The same with all outputs. */
farsum_status geometry_sums(const farsum_problem *problem,
                            const farsum_options *options, int n,
                            const double *x, const double *q, int m,
                            const double *y, struct sums *to);
/* CHECKs a against b: m targets, or if it is 0 the n sources of charges q.
 * reach: distances of particles, for the virial's limit. */
void geometry_compare(double tolerance, const struct sums *a,
                      const struct sums *b, const double *q, int n, int m,
                      double reach, const char *what);
/* RMS of a - b over that of b, with the weight q of each row of `width`. */
double geometry_off(const double *a, const double *b, const double *q, int n,
                    int width);
static inline double geometry_size(const double *v, int n)
{
    double square = 0;
    for (int i = 0; i < n; i++)
        square += v[i] * v[i];
    return sqrt(square);
}
/* The next random number in 0 .. 1. */
static inline double geometry_draw(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (double)(*state >> 11) * 0x1p-53;
}
#endif
