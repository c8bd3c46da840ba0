/* SPDX-License-Identifier: Apache-2.0 */
/* direct_sum.h: the open sum, pair by pair: the oracle without a period.
 *
 *     phi_i = sum_{j != i} q_j / r_ij,   E_i = sum q_j d / r_ij^3,
 *     d = x_i - x_j,   energy = 1/2 sum q_i phi_i,
 *     W_ab = 1/2 sum_ij q_i q_j d_a d_b / r_ij^3,        Coulomb constant 1.
 *
 * With Plummer's softening r^2 stands for r^2 + softening^2, of all pairs.  A
 * target with exactly the coordinates of a source skips that pair. */
#ifndef FARSUM_REFERENCE_DIRECT_DIRECT_SUM_H
#define FARSUM_REFERENCE_DIRECT_DIRECT_SUM_H

#include "base/isa.h"

/* Of direct_any.h too. */
struct direct_args {
    int threads;     /* 0: all */
    enum isa isa;
    int64_t n, m;    /* sources, targets; m is not looked at if y is NULL */
    const double *x; /* [n][3] sources */
    const double *y; /* [m][3] targets; NULL: the sources */
    const double *q; /* [n][strengths] */
    double softening; /* of charges: r is sqrt(r^2 + softening^2); 0: not */
};
enum { DIRECT_TILE = 16 }; /* targets that are summed at once */

/* Tiles after which one looks whether a caller stops: some 20 ms. */
static inline int64_t direct_step(int64_t n)
{
    int64_t tiles = 10000000 / DIRECT_TILE / (n > 0 ? n : 1);
    return tiles > 1 ? tiles : 1;
}

/* Compensated sums: the error is about 1e-16 of sum_j |term_j| for each
 * target.  The result does not depend on the number of threads.  Allocates
 * nothing.  An output that is NULL is not computed; energy [1] and virial [9]
 * (row-major) exist only where the targets are the sources. */
farsum_status direct_sum(const struct direct_args *args, double *potential,
                         double *field, double *energy, double *virial);
#endif
