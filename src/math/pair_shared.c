/* SPDX-License-Identifier: Apache-2.0 */
/* pair_shared.c: functions of several pair kernels. */
#include "math/pair_inside.h"

#include <string.h>

#include "math/poly.h"

double pair_gamma_smooth(const struct pair *pair, const struct split *split,
                         double k)
{
    (void)pair;
    return split_hat(split, k);
}

double pair_gamma_slope(const struct pair *pair, const struct split *split,
                        double k)
{
    (void)pair;
    return split_dhat(split, k);
}

void pair_derivative(const double *base, int n, int k, double scale, double *c)
{
    double from[NEAR_MAX];
    memcpy(from, base, (size_t)n * sizeof *from);
    for (int i = 0; i < k; i++) {
        poly_derivative(from, n, c);
        memcpy(from, c, (size_t)n * sizeof *from);
    }
    for (int i = 0; i < n; i++)
        c[i] = scale * from[i];
}

void pair_scalar_near(const double *base, int n, const struct pair *pair,
                      const struct split *split, double c[][NEAR_MAX])
{
    (void)split;
    (void)pair;
    memcpy(c[0], base, (size_t)n * sizeof *base);
    pair_derivative(base, n, 1, -4, c[1]);
}

double pair_scalar_square(const double *q)
{
    return q[0] * q[0];
}
