/* direct_any.h: the open sum of any pair kernel (exact_kind.h), pair by pair:
 * the oracle without a period.  A target with exactly the coordinates of a
 * source skips that pair. */
#ifndef FARSUM_METHOD_DIRECT_ANY_H
#define FARSUM_METHOD_DIRECT_ANY_H

#include "base/isa.h"
#include "method/exact_kind.h"

struct direct_any {
    int threads;     /* 0: all */
    enum isa isa;
    int64_t n, m;    /* sources, targets; m is not looked at if y is NULL */
    const double *x; /* [n][3] sources */
    const double *y; /* [m][3] targets; NULL: the sources */
    const double *q; /* [n][strengths] */
    double screen;   /* of yukawa, 1/length */
    int width;       /* exact_width() */
};

enum { DIRECT_ANY_TILE = 16 };

/* Targets of tiles t0..t1, DIRECT_ANY_TILE targets each. */
typedef void direct_any_run(const struct direct_any *, int64_t t0, int64_t t1,
                            double *values);
struct direct_any_kern {
    direct_any_run *run[8]; /* in the order of exact.def */
};

/* Compensated sums: the error is about 1e-16 of sum_j |term_j| for each
 * target.  values [targets][width].  The result does not depend on the number
 * of threads.  Allocates nothing. */
void direct_any_sum(const struct exact_kind *kind,
                    const struct direct_any *args, double *values);
#endif
