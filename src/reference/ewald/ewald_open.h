/* SPDX-License-Identifier: Apache-2.0 */
/* ewald_open.h: Ewald sums with one or two periodic axes.
 *
 *     v_i = sum_j [ near sum, as with three axes
 *             + 1/P sum_kappa integral dt/(2 pi)^m far(k) e^{ik.d} ]
 *
 * k = kappa + t.  kappa: modes of the periodic axes, P their area or length; t:
 * wave vectors along the m open axes, by quadrature (math.md 7.7).  There are
 * no images and no charged layers to correct for, as in the fast methods.  The
 * near sum sees a cell whose open edges exceed the extent of the points by more
 * than the cutoff. */
#ifndef FARSUM_REFERENCE_EWALD_EWALD_OPEN_H
#define FARSUM_REFERENCE_EWALD_EWALD_OPEN_H

#include "reference/ewald/ewald_part.h"

/* Sets the lattice of a setup that has open rows: the periodic rows first,
 * reduced.  Open edges are as long as a period, until the extent of the points
 * is known. */
farsum_status ewald_open_lattice(struct ewald_lattice *lattice,
                                 const struct ewald_setup *setup);
/* Sets open edges to the extent of n points x and m points y (NULL: none), for
 * the search of the cutoff. */
void ewald_open_extent(struct ewald_lattice *lattice, int64_t n,
                       const double *x, int64_t m, const double *y);
/* Widens open edges by more than the cutoff. */
void ewald_open_widen(struct ewald_lattice *lattice, double rc);

/* Number of wave vectors per kappa, for estimates. */
double ewald_open_count(const struct ewald_lattice *lattice, double kmax);
/* Rows of kappa, whose entries are wave vectors along open axes. */
farsum_status ewald_open_modes(struct ewald_modes *modes,
                               const struct ewald_lattice *lattice,
                               const struct reference_kind *kind,
                               const struct reference_split *split,
                               double kmax);
/* As ewald_wave; *front is the entry's factor, for both half spaces. */
int ewald_open_wave(const struct ewald_job *job, const struct ewald_row *row,
                    int32_t entry, int sign, long double k[3],
                    double *front);
/* Row 0's factors are e^{it.x} - 1 instead of e^{it.x}, see (7.21a).  Returns 1
 * for that row. */
static inline int ewald_open_less(const struct ewald_job *job,
                                  const struct ewald_row *row)
{
    return job->lattice->axes < 3 && row == job->modes->row;
}
/* What the far sum lacks at every target, after the gather. */
void ewald_open_mean(const struct ewald_job *job, double mean[][4]);
#endif
