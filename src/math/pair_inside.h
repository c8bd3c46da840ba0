/* SPDX-License-Identifier: Apache-2.0 */
/* pair_inside.h: declarations shared by the files that implement the kernels of
 * pair.def. */
#ifndef FARSUM_MATH_PAIR_INSIDE_H
#define FARSUM_MATH_PAIR_INSIDE_H

#include "math/pair.h"

#define SCALAR(name, polys, note)                                              \
    extern const struct pair_kind pair_kind_##name;
#define FLOW(name, strengths, channels, polys, note) SCALAR(name, polys, note)
#define MOMENTS(name, strengths, polys, note) SCALAR(name, polys, note)
#include "math/pair.def"
#undef SCALAR
#undef FLOW

/* smooth and slope of kernels whose far part is proportional to gamma,
 * (2.2). */
double pair_gamma_smooth(const struct pair *pair, const struct split *split,
                         double k);
double pair_gamma_slope(const struct pair *pair, const struct split *split,
                        double k);
/* c = scale times the k-th derivative of base; n coefficients, the last k are
 * 0. */
void pair_derivative(const double *base, int n, int k, double scale, double *c);
/* near of a potential whose first polynomial is the far part P(v).  The
 * polynomials are P and minus its slope over r, -4 dP/dv. */
void pair_scalar_near(const double *base, int n, const struct pair *pair,
                      const struct split *split, double c[][NEAR_MAX]);
double pair_scalar_square(const double *q);
/* gain and bare of kernels of e^(-kappa r)/r. */
double pair_yukawa_gain(const struct pair *pair, const struct split *split);
void pair_yukawa_bare(const struct pair *pair, double r, double v[2]);
#endif
