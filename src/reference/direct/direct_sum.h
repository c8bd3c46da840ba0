/* SPDX-License-Identifier: Apache-2.0 */
/* direct_sum.h: open sum over all pairs; the reference for open problems.
 *
 *     phi_i = sum_{j != i} q_j / r_ij,   E_i = sum q_j d / r_ij^3,
 *     d = x_i - x_j,   energy = 1/2 sum q_i phi_i,
 *     W_ab = 1/2 sum_ij q_i q_j d_a d_b / r_ij^3,        Coulomb constant 1.
 *
 * With Plummer softening, r^2 + softening^2 replaces r^2 for all pairs.  A
 * target with exactly the coordinates of a source skips that pair. */
#ifndef FARSUM_REFERENCE_DIRECT_DIRECT_SUM_H
#define FARSUM_REFERENCE_DIRECT_DIRECT_SUM_H

#include "base/isa.h"

/* Arguments of the sum; direct_any.h uses them too. */
struct direct_args {
    int threads;     /* 0: all */
    enum isa isa;
    int64_t n, m;    /* sources, targets; m is ignored if y is NULL */
    const double *x; /* [n][3] sources */
    const double *y; /* [m][3] targets; NULL: the sources */
    const double *q; /* [n][strengths] */
    double softening; /* charges only: r is sqrt(r^2 + softening^2); 0: none */
};
enum { DIRECT_TILE = 16 }; /* targets per tile */

/* Tiles between two checks whether the caller stops the sum: about 20 ms. */
static inline int64_t direct_step(int64_t n)
{
    int64_t tiles = 10000000 / DIRECT_TILE / (n > 0 ? n : 1);
    return tiles > 1 ? tiles : 1;
}

/* Compensated sums: the error of each target is about 1e-16 of sum_j |term_j|.
 * The result does not depend on the number of threads.  Allocates nothing.
 * Outputs that are NULL are not computed.  energy [1] and virial [9]
 * (row-major) exist only where the targets are the sources. */
farsum_status direct_sum(const struct direct_args *args, double *potential,
                         double *field, double *energy, double *virial);
#endif
