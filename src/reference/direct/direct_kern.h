/* SPDX-License-Identifier: Apache-2.0 */
/* direct_kern.h: the functions of direct_kern.c for one instruction set. */
#ifndef FARSUM_REFERENCE_DIRECT_DIRECT_KERN_H
#define FARSUM_REFERENCE_DIRECT_DIRECT_KERN_H

#include "reference/direct/direct_sum.h"

/* One part's sums of energy and virial, with their rounding errors. */
enum { DIRECT_ENERGY, DIRECT_VIRIAL, DIRECT_SUMS = 7 };
struct direct_part {
    double sum[DIRECT_SUMS], low[DIRECT_SUMS]; /* energy, xx yy zz xy xz yz */
};

/* Sums at the targets of tiles t0 to t1, DIRECT_TILE targets each. */
typedef void direct_run(const struct direct_args *, int64_t t0, int64_t t1,
                        double *potential, double *field, struct direct_part *);
struct direct_kern {
    direct_run *potential, *field, *virial;
};

/* Adds x to sum + low, exact except for the rounding of low (Knuth's TwoSum:
 * Ogita, Rump, Oishi, SIAM J. Sci. Comput. 26:1955, 2005, algorithm 4.3). */
static inline void direct_add(double *sum, double *low, double x)
{
    double s = *sum + x, z = s - *sum;
    *low += (*sum - (s - z)) + (x - z);
    *sum = s;
}
#endif
