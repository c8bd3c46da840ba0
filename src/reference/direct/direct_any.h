/* SPDX-License-Identifier: Apache-2.0 */
/* direct_any.h: open sum over all pairs for any kernel of reference/kernels.h;
 * the reference for open problems.  A target with exactly the coordinates of a
 * source skips that pair. */
#ifndef FARSUM_REFERENCE_DIRECT_DIRECT_ANY_H
#define FARSUM_REFERENCE_DIRECT_DIRECT_ANY_H

#include "reference/direct/direct_sum.h"
#include "reference/kernels.h"

struct direct_any {
    struct direct_args pairs;
    double screen;   /* yukawa only: kappa, 1/length */
    int width;       /* of the values, as reference_wants() */
};

/* Sums at the targets of tiles t0 to t1, DIRECT_TILE targets each. */
typedef void direct_any_run(const struct direct_any *, int64_t t0, int64_t t1,
                            double *values);
struct direct_any_kern {
    direct_any_run *run[9]; /* in the order of kernels.def */
};

/* Compensated sums: the error of each target is about 1e-16 of sum_j |term_j|.
 * values [targets][width].  The result does not depend on the number of
 * threads.  Allocates nothing. */
farsum_status direct_any_sum(const struct reference_kind *kind,
                             const struct direct_any *args, double *values);
#endif
