/* SPDX-License-Identifier: Apache-2.0 */
/* ewald_sum.h: periodic reference for laplace: converged Ewald sums with a
 * Gaussian split.
 *
 *     phi_i = sum_j q_j [ sum_n erfc(xi r)/r                      near, r < rc
 *             + (4 pi/V) sum_{k != 0} exp(-k^2/4 xi^2)/k^2 e^{ik.d} far, k < K
 *             - pi/(xi^2 V) ],    d = x_i - x_j, r = |d + lattice vector n|
 *
 * (Ewald, Ann. Phys. 369:253, 1921; Kolafa and Perram, Mol. Simul. 9:351, 1992
 * for the truncation errors; the last term is the uniform background of a net
 * charge.)  E = -grad phi, energy = 1/2 sum q phi, W = -dE/d(strain); Coulomb
 * constant 1.  It uses no formula code and no table of the fast methods.
 *
 * A target on a source (equal after wrapping to EWALD_COINCIDE of the longest
 * cell vector) skips that pair, near and far: 2 xi/sqrt(pi) q_j is subtracted.
 * All periodic images count otherwise, also those of the target itself.
 *
 * Vacuum surface: the energy gets 2 pi/(3V) |M|^2, M = sum q x with the
 * caller's unwrapped positions; a target y then gets phi += (4 pi/3V) M.y and E
 * -= (4 pi/3V) M.  With a net charge both depend on the origin. */
#ifndef FARSUM_REFERENCE_EWALD_EWALD_SUM_H
#define FARSUM_REFERENCE_EWALD_EWALD_SUM_H

#include "base/isa.h"

#define EWALD_COINCIDE 4e-15
#define EWALD_BEST 1e-14 /* the smallest accuracy that can be requested */

struct ewald_count;
struct ewald_info;
struct ewald_work;

enum ewald_level {
    EWALD_AUTO, /* long double below 1e-12 if that takes seconds, else f64 */
    EWALD_F64,  /* double with compensated sums: reaches about 1e-14 */
    EWALD_LONG, /* long double */
};

struct ewald_setup {
    double cell[9];  /* rows a, b, c; any basis of the lattice */
    int open[3];     /* 1: not periodic along that row, which is orthogonal to
                        the others; ewald_any.h only */
    double accuracy; /* RMS force error over max(RMS F, q_rms^2 (N/V)^(2/3));
                        the potential's likewise */
    double cutoff;   /* rc; 0: the cheapest one */
    double soft;     /* radius within which 1/r is softened, math.md (3.11); at
                        most rc; ewald_sum.h only */
    int64_t n, m;    /* expected sources and targets; m = 0: the sources */
    int64_t share_of; /* the sources are a part of so many; 0: all */
    int threads;     /* 0: all */
    enum isa isa;
    enum ewald_level level;
    int vacuum;      /* 1: the surface term of vacuum surroundings */
    double memory;   /* bytes above which fewer modes are taken; 0: a quarter
                        of the machine's */
    /* In place of the host's seconds and bytes, for sums on a device; NULL:
     * not. */
    void (*price)(const void *data, const struct ewald_count *,
                  const struct ewald_work *, struct ewald_info *);
    const void *price_data;
};

struct ewald_info {
    enum ewald_level level;
    double xi, cutoff, kmax;
    double estimate; /* of the truncation error, in the norm of `accuracy` */
    double seconds;  /* predicted for one run with these threads */
    int64_t modes;   /* wave vectors, half space */
    uint64_t bytes;  /* approximate memory that set_points allocates */
};

struct ewald; /* opaque */

/* Checks and tunes; allocates nothing that grows with n, m or the modes. */
farsum_status ewald_create(const struct ewald_setup *setup, struct ewald **e);
void ewald_destroy(struct ewald *e); /* NULL is legal */
/* x [n][3] sources; y [m][3] targets, NULL: the sources.  Copies both.
 * Allocates, and tunes again for these counts.  On failure no points are
 * set. */
farsum_status ewald_set_points(struct ewald *e, int64_t n, const double *x,
                               int64_t m, const double *y);
void ewald_get_info(const struct ewald *e, struct ewald_info *info);
/* q [n].  Outputs that are NULL are not computed; energy [1] and virial [9]
 * (row-major) exist only where the targets are the sources.  Allocates nothing.
 * Repeats bitwise with the same number of threads. */
farsum_status ewald_run(struct ewald *e, const double *q, double *potential,
                        double *field, double *energy, double *virial);
#endif
