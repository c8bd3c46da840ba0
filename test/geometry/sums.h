/* SPDX-License-Identifier: Apache-2.0 */
/* sums.h: one sum of a problem of 1/r or alike, for tests of geometries. */
#ifndef FARSUM_TEST_GEOMETRY_SUMS_H
#define FARSUM_TEST_GEOMETRY_SUMS_H

#include "farsum/farsum.h"

/* Sums problem->n_sources or, as set_points allows, other n sources at x [n][3]
 * with charges q.  m > 0: at targets y [m][3], without energy and virial.
 * result: its arrays are those that may be written.  cutoff: out; NULL is
 * legal. */
farsum_status geometry_sum(const farsum_problem *problem,
                           const farsum_options *options, int n,
                           const double *x, const double *q, int m,
                           const double *y, farsum_result result,
                           double *cutoff);
/* RMS of a - b over that of b, with the weight q of each row of `width`. */
double geometry_off(const double *a, const double *b, const double *q, int n,
                    int width);
#endif
