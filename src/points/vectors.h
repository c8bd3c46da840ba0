/* SPDX-License-Identifier: Apache-2.0 */
/* vectors.h: products of vectors [3]. */
#ifndef FARSUM_POINTS_VECTORS_H
#define FARSUM_POINTS_VECTORS_H

static inline double dot(const double *x, const double *y)
{
    return x[0] * y[0] + x[1] * y[1] + x[2] * y[2];
}

static inline void cross(const double *x, const double *y, double *z)
{
    z[0] = x[1] * y[2] - x[2] * y[1];
    z[1] = x[2] * y[0] - x[0] * y[2];
    z[2] = x[0] * y[1] - x[1] * y[0];
}
#endif
