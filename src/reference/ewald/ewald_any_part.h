/* SPDX-License-Identifier: Apache-2.0 */
/* ewald_any_part.h: internal parts of ewald_any.h. */
#ifndef FARSUM_REFERENCE_EWALD_EWALD_ANY_PART_H
#define FARSUM_REFERENCE_EWALD_EWALD_ANY_PART_H

#include "reference/ewald/ewald_any.h"
#include "reference/ewald/ewald_part.h"

farsum_status ewald_any_tune(const struct reference_kind *kind, double screen,
                             const struct ewald_lattice *lattice,
                             const struct ewald_setup *setup,
                             struct ewald_info *info);
/* Truncation error of random strengths over RMS strength / a^power. */
double ewald_any_cut(const struct reference_kind *kind,
                     const struct ewald_info *info, double a);
/* Rounding error of the sums in double, relative to their RMS. */
#define EWALD_ANY_ROUNDING 5e-16

/* Sets s to sum_j c_j e^{-ik.y_j} of an entry's channels; sign: 1 for -n3, -1
 * for +n3. */
static inline void ewald_any_sums(const struct ewald_job *job, int64_t at,
                                  double sign, double s[][2])
{
    for (int c = 0; c < job->kind->channels; c++) {
        const double *sum =
            (const double *)job->sums + 8 * (c * job->modes->entries + at);
        double p = sum[0] + sum[4], q = sum[1] + sum[5];
        double r = sum[2] + sum[6], t = sum[3] + sum[7];
        s[c][0] = p + sign * t;
        s[c][1] = -r + sign * q;
    }
}
/* Computes the reciprocal-space sum at all targets from the current sums over
 * the sources.  Sets values [targets][width], in the caller's order. */
void ewald_any_far(const struct ewald_job *job, enum isa isa, double *values);

typedef double ewald_values[EWALD_TARGETS][REFERENCE_VALUES];

/* Functions in double.  In struct ewald_job, table has a slot for each block in
 * flight, sums are [channels][entries][8], weights [values][entries][4]. */
struct ewald_any_kern {
    /* Writes the factors of points i0.. to a slot of the tables. */
    void (*tables)(const struct ewald_job *, const struct ewald_points *,
                   int slot, int64_t i0, int count);
    /* Adds a block of sources, whose factors are in the slot, to the sums of
     * rows r0 to r1. */
    void (*gather)(const struct ewald_job *, int slot, int64_t i0, int count,
                   int64_t r0, int64_t r1);
    /* Near and far sums at targets i0 to i1, at most EWALD_TARGETS; the far
     * sum's factors are in the slot. */
    void (*near)(const struct ewald_job *, int64_t i0, int64_t i1,
                 ewald_values values);
    void (*far)(const struct ewald_job *, int slot, int64_t i0, int64_t i1,
                ewald_values values);
};
#endif
