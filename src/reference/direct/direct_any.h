/* SPDX-License-Identifier: Apache-2.0 */
/* direct_any.h: the open sum of any pair kernel (reference/kernels.h), pair by
 * pair: the oracle without a period.  A target with exactly the coordinates of
 * a source skips that pair. */
#ifndef FARSUM_REFERENCE_DIRECT_DIRECT_ANY_H
#define FARSUM_REFERENCE_DIRECT_DIRECT_ANY_H

#include "reference/direct/direct_sum.h"
#include "reference/kernels.h"

struct direct_any {
    struct direct_args pairs;
    double screen;   /* of yukawa, 1/length */
    int width;       /* exact_width() */
};

/* Targets of tiles t0..t1, DIRECT_TILE targets each. */
typedef void direct_any_run(const struct direct_any *, int64_t t0, int64_t t1,
                            double *values);
struct direct_any_kern {
    direct_any_run *run[8]; /* in the order of exact.def */
};

/* Compensated sums: the error is about 1e-16 of sum_j |term_j| for each
 * target.  values [targets][width].  The result does not depend on the number
 * of threads.  Allocates nothing. */
farsum_status direct_any_sum(const struct exact_kind *kind,
                             const struct direct_any *args, double *values);
#endif
