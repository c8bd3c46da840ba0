/* SPDX-License-Identifier: Apache-2.0 */
/* ewald_any.h: the periodic oracle of any pair kernel: Gaussian Ewald sums,
 * converged.
 *
 *     v_i = sum_j [ sum over images r < rc of near(d)       reference/kernels.h
 *             + 1/V sum_{0 < k < K} far(k) e^{ik.d} ] + mean(x_i),
 *
 * d = x_i - x_j.  A target on a source (equal after wrapping to EWALD_COINCIDE
 * of the longest cell vector) skips that pair, near and far; all images count
 * otherwise, the source's own too.  Setup, info and truncation as in
 * ewald_sum.h, but that errors are relative to RMS values; double with
 * compensated sums alone. */
#ifndef FARSUM_REFERENCE_EWALD_EWALD_ANY_H
#define FARSUM_REFERENCE_EWALD_EWALD_ANY_H

#include "reference/ewald/ewald_sum.h"
#include "reference/kernels.h"

struct ewald_any; /* opaque */

/* screen: of yukawa, 1/length. */
farsum_status ewald_any_create(const struct exact_kind *kind, double screen,
                               const struct ewald_setup *setup,
                               struct ewald_any **e);
void ewald_any_destroy(struct ewald_any *e); /* NULL is legal */
/* x [n][3] sources, y [m][3] targets, NULL: the sources.  Copied.  Allocates;
 * tunes again for these counts.  On failure no points are set. */
farsum_status ewald_any_set_points(struct ewald_any *e, int64_t n,
                                   const double *x, int64_t m,
                                   const double *y);
void ewald_any_get_info(const struct ewald_any *e, struct ewald_info *info);
/* q [n][strengths], values [targets][width], width as exact_width says.
 * Allocates nothing and repeats bitwise with any number of threads. */
farsum_status ewald_any_run(struct ewald_any *e, const double *q, int width,
                            double *values);
/* Of a flow: the estimate with strengths and values of a run, over the RMS of
 * the values, which *norm is set to.  Before a run info's stands for velocities
 * like those of strengths a distance (V/N)^(1/3) apart. */
double ewald_any_estimate(const struct ewald_any *e, const double *q,
                          const double *values, double *norm);
#endif
