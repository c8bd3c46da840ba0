/* SPDX-License-Identifier: Apache-2.0 */
/* pair_zero.c: the mode k = 0 of a kernel's far part. */
#include "math/pair_zero.h"

#include <math.h>

#include "math/poly.h"

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
