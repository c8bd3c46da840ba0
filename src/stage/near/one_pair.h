/* SPDX-License-Identifier: Apache-2.0 */
/* one_pair.h: the near field of one pair, on the host and in f64. */
#ifndef FARSUM_STAGE_NEAR_ONE_PAIR_H
#define FARSUM_STAGE_NEAR_ONE_PAIR_H

#include "math/pair.h"

/* The functions of a kernel in math/pair.kh. */
struct one_pair {
    const char *name;
    void (*value)(const struct near_poly *poly, const double *d, double y,
                  double u, double v, const double *q, double *value);
    double (*slope)(const struct near_poly *poly, double y, double u,
                    double v); /* NULL: a flow */
};

/* Sums of one target. */
struct one_pair_sum {
    double value[PAIR_VALUES], field[3], virial[9];
    double gradient[6]; /* xx xy xz yy yz zz: kernels with moments only */
    double third[10];   /* charge_quadrupole only */
};

/* Returns the functions of a kernel; NULL for a kernel with moments. */
const struct one_pair *one_pair_find(const struct pair *pair);
/* Adds one pair, d = x_i - x_j in units of the cutoff, math.md (3.1) and (3.2).
 * q: the source's strengths.  singular = 0: only the polynomials, which are the
 * far field with the opposite sign. */
void one_pair_add(const struct one_pair *kernel, const struct near_poly *poly,
                  const double d[3], const double *q, int singular,
                  struct one_pair_sum *sum);
/* The same for laplace with 1/r softened within `soft`, (3.11); r < soft. */
void one_pair_add_soft(const struct one_pair *kernel,
                       const struct near_poly *poly, const double d[3],
                       const double *q, double soft, struct one_pair_sum *sum);
/* The same for sources with moments.  kappa: in 1/cutoff; 0: not screened.
 * own: the target's strengths, or NULL without a virial. */
void one_pair_add_moments(const struct near_poly *poly, double kappa,
                          const double d[3], const double *q, const double *own,
                          int singular, struct one_pair_sum *sum);
/* The same for charge_quadrupole.  The virial is of unsymmetric pairs, F d, and
 * lacks the sources' own terms (pair_quadrupole_turn). */
void one_pair_add_quadrupole(const struct near_poly *poly, const double d[3],
                             const double *q, const double *own, int singular,
                             struct one_pair_sum *sum);
/* f[0] to f[5] of 1/r at r = 1/y. */
void one_pair_quadrupole(double y, double f[6]);
/* f[0] to f[3] of the full kernel at r = 1/y. */
void one_pair_moments(double kappa, double y, double f[4]);
#endif
