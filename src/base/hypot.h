/* SPDX-License-Identifier: Apache-2.0 */
/* hypot.h: the length of a two-dimensional vector.  The C library's hypot would
 * require glibc 2.35. */
#ifndef FARSUM_BASE_HYPOT_H
#define FARSUM_BASE_HYPOT_H

#include <float.h>
#include <math.h>

/* Returns sqrt(a^2 + b^2) with a relative error below 3.4e-16.  No square
 * overflows or underflows to zero.  Scaling a and b by a power of two scales
 * the result exactly. */
static inline double hypot_of(double a, double b)
{
    a = fabs(a);
    b = fabs(b);
    double most = a < b ? b : a, least = a < b ? a : b;
    if (least == 0 || most > DBL_MAX) /* 0 / 0, infinity / infinity */
        return most;
    double t = least / most;
    return most * sqrt(1 + t * t);
}
#endif
