/* SPDX-License-Identifier: Apache-2.0 */
/* direct_kern.h: what direct_kern.c gives to direct_sum.c. */
#ifndef FARSUM_REFERENCE_DIRECT_DIRECT_KERN_H
#define FARSUM_REFERENCE_DIRECT_DIRECT_KERN_H

#include "reference/direct/direct_sum.h"

/* A share of energy and virial: sums and what their rounding lost. */
enum { DIRECT_ENERGY, DIRECT_VIRIAL, DIRECT_SUMS = 7 };
struct direct_part {
    double sum[DIRECT_SUMS], low[DIRECT_SUMS]; /* energy, xx yy zz xy xz yz */
};

/* Targets of the tiles t0..t1, DIRECT_TILE targets each. */
typedef void direct_run(const struct direct_args *, int64_t t0, int64_t t1,
                        double *potential, double *field, struct direct_part *);
struct direct_kern {
    direct_run *potential, *field, *virial;
};

/* Adds x to sum + low, exactly but for the rounding of low (Knuth's TwoSum:
 * Ogita, Rump, Oishi, SIAM J. Sci. Comput. 26:1955, 2005, algorithm 4.3). */
static inline void direct_add(double *sum, double *low, double x)
{
    double s = *sum + x, z = s - *sum;
    *low += (*sum - (s - z)) + (x - z);
    *sum = s;
}
#endif
