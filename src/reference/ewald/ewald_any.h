/* SPDX-License-Identifier: Apache-2.0 */
/* ewald_any.h: periodic reference for any pair kernel: converged Ewald sums
 * with a Gaussian split.
 *
 *     v_i = sum_j [ sum over images r < rc of near(d)       reference/kernels.h
 *             + 1/V sum_{0 < k < K} far(k) e^{ik.d} ] + mean(x_i),
 *
 * d = x_i - x_j; with one or two periodic axes as in ewald_open.h.  A target on
 * a source (equal after wrapping to EWALD_COINCIDE of the longest cell vector)
 * skips that pair, near and far.  All images count otherwise, also those of the
 * target itself.  Setup, info and truncation are those of ewald_sum.h, except
 * that errors are relative to RMS values.  Sums are compensated and in double
 * only. */
#ifndef FARSUM_REFERENCE_EWALD_EWALD_ANY_H
#define FARSUM_REFERENCE_EWALD_EWALD_ANY_H

#include "reference/ewald/ewald_sum.h"
#include "reference/kernels.h"

struct ewald_any; /* opaque */

/* screen: yukawa only: kappa, 1/length. */
farsum_status ewald_any_create(const struct reference_kind *kind, double screen,
                               const struct ewald_setup *setup,
                               struct ewald_any **e);
void ewald_any_destroy(struct ewald_any *e); /* NULL is legal */
/* x [n][3] sources; y [m][3] targets, NULL: the sources.  Copies both.
 * Allocates, and tunes again for these counts.  On failure no points are
 * set. */
farsum_status ewald_any_set_points(struct ewald_any *e, int64_t n,
                                   const double *x, int64_t m,
                                   const double *y);
void ewald_any_get_info(const struct ewald_any *e, struct ewald_info *info);
/* q [n][strengths], values [targets][width], width as reference_wants().
 * Allocates nothing.  Repeats bitwise with any number of threads. */
farsum_status ewald_any_run(struct ewald_any *e, const double *q, int width,
                            double *values);
/* Flows: the estimate for a run's strengths and values, relative to the RMS of
 * the values, which *norm is set to.  Before a run, info's estimate is relative
 * to velocities due to strengths at a distance (V/N)^(1/3). */
double ewald_any_estimate(const struct ewald_any *e, const double *q,
                          const double *values, double *norm);
/* Charges with dipoles or quadrupoles: the rounding error of potentials
 * [targets], relative to their RMS.  A dipole's potential may vanish by
 * symmetry; its terms are rounded all the same. */
double ewald_any_rounding(const struct ewald_any *e, const double *q,
                          const double *potential);
#endif
