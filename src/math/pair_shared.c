/* SPDX-License-Identifier: Apache-2.0 */
/* pair_shared.c: functions of several pair kernels. */
#include "math/pair_inside.h"

#include <math.h>
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

struct screened {
    const struct split *split;
    double kappa;
};

/* E' (cosh(kappa t) - 1)/kappa^2 */
static double screened_square(double t, const void *data)
{
    const struct screened *s = data;
    double y = s->kappa * t / 2, by = y > 0 ? t * sinh(y) / y : t;
    return split_de(s->split, t) * by * by / 2;
}

/* (9.24): (1/gamma(i kappa) - 1)/kappa^2 = -R/(1 + kappa^2 R), without the
 * difference. */
static double screened_zero(const struct pair *pair, const struct split *split)
{
    const struct screened s = {split, pair->kappa};
    double xi = split->xi, kappa = pair->kappa;
    double end = xi > 0 ? kappa / (2 * xi * xi) + 6.5 / xi : 1;
    double r = poly_integral(screened_square, &s, 0, end);
    return -r / (1 + kappa * kappa * r);
}

double pair_zero(const struct pair *pair, const struct split *split)
{
    if (pair->kind->charged)
        return split_curvature(split);
    if (pair->kind->screened)
        return screened_zero(pair, split);
    return pair->kind->limit ? pair->kind->smooth(pair, split, 0) : 0;
}
