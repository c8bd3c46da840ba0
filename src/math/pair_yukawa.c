/* SPDX-License-Identifier: Apache-2.0 */
/* pair_yukawa.c: near and far parts of e^(-kappa r)/r for each split (math.md
 * 9.3). */
#include <math.h>
#include <string.h>

#include "math/pair_inside.h"
#include "math/poly.h"

struct screened {
    const struct split *split;
    double kappa;
};

static double screened_cosh(double t, const void *data)
{
    const struct screened *s = data;
    return split_de(s->split, t) * cosh(s->kappa * t);
}

static double screened_exp(double t, const void *data)
{
    const struct screened *s = data;
    return split_de(s->split, t) * exp(-s->kappa * t);
}

/* Returns the end of the integral of E' cosh(kappa t). */
static double screened_end(const struct screened *s)
{
    double xi = s->split->xi;
    return xi > 0 ? s->kappa / (2 * xi * xi) + 6.5 / xi : 1;
}

/* 1/gamma(i kappa) */
double pair_yukawa_gain(const struct pair *pair, const struct split *split)
{
    const struct screened s = {split, pair->kappa};
    return 1 / poly_integral(screened_cosh, &s, 0, screened_end(&s));
}

/* (9.15): Q = F/r and (F/r - F')/r^2 */
static void yukawa_inside(const struct pair *pair, const struct split *split,
                          double r, double v[2])
{
    const struct screened s = {split, pair->kappa};
    double kappa = pair->kappa, gain = pair_yukawa_gain(pair, split);
    double rest = poly_integral(screened_exp, &s, r, fmax(screened_end(&s), r));
    if (r < 1e-6) {
        v[0] = gain * (split_de(split, 0) - kappa * rest);
        v[1] = 0; /* not used */
        return;
    }
    double inner = exp(-kappa * r) * poly_integral(screened_cosh, &s, 0, r);
    double f = gain * (inner - sinh(kappa * r) * rest);
    double slope = gain * (split_de(split, r) - kappa * inner
                           - kappa * cosh(kappa * r) * rest);
    v[0] = f / r;
    v[1] = (f / r - slope) / (r * r);
}

static double yukawa_base(double v, const struct pair *pair,
                          const struct split *split)
{
    double value[2];
    yukawa_inside(pair, split, sqrt((v + 1) / 2), value);
    return value[0];
}

static double yukawa_value(double w, const void *data)
{
    const struct pair *pair = data;
    return exp(-pair->kappa * (w + 1) / 2);
}

static double yukawa_force(double w, const void *data)
{
    const struct pair *pair = data;
    double z = pair->kappa * (w + 1) / 2;
    return (1 + z) * exp(-z);
}

static void yukawa_near(const double *base, int n, const struct pair *pair,
                        const struct split *split, double c[][NEAR_MAX])
{
    (void)split;
    poly_fit(yukawa_value, pair, n, c[0]);
    memcpy(c[1], base, (size_t)n * sizeof *base);
    poly_fit(yukawa_force, pair, n, c[2]);
    pair_derivative(base, n, 1, -4, c[3]);
}

static void yukawa_exact(const struct pair *pair, const struct split *split,
                         double r, double value[], double weight[])
{
    double inside[2], w = 2 * r - 1;
    yukawa_inside(pair, split, r, inside);
    value[0] = yukawa_value(w, pair);
    value[1] = inside[0];
    value[2] = yukawa_force(w, pair);
    value[3] = inside[1];
    weight[0] = 1 / r;
    weight[1] = 0; /* the check of its derivative suffices */
    weight[2] = 1 / (r * r);
    weight[3] = r;
}

void pair_yukawa_bare(const struct pair *pair, double r, double v[2])
{
    v[1] = exp(-pair->kappa * r) / r;
    v[0] = v[1] * (1 / r + pair->kappa);
}

/* (9.17); a split that ends at the cutoff omits nothing. */
static void yukawa_beyond(const struct pair *pair, const struct pair_edge *edge,
                          double r, double v[2])
{
    double xi = edge->xi, k = pair->kappa, b = k / (2 * xi);
    v[0] = v[1] = 0;
    if (!(xi > 0))
        return;
    double up = exp(k * r) * erfc(xi * r + b);
    double down = exp(-k * r) * erfc(xi * r - b);
    v[1] = (up + down) / (2 * r);
    v[0] = (v[1] + k * (down - up) / 2
            + 2 * xi / sqrt(M_PI) * exp(-xi * xi * r * r - b * b))
           / r;
}

const struct pair_kind pair_kind_yukawa = {
    .power = 1,
    .degree = 1,
    .gradient = 1,
    .screened = 1,
    .limit = 1,
    .sheet = 1,
    .front = 4 * M_PI,
    .gain = pair_yukawa_gain,
    .fall = 1,
    .smooth = pair_gamma_smooth,
    .slope = pair_gamma_slope,
    .base = yukawa_base,
    .near = yukawa_near,
    .exact = yukawa_exact,
    .radial = 1 | 1 << 2,
    .square = pair_scalar_square,
    .lift = 1,
    .bare = pair_yukawa_bare,
    .beyond = yukawa_beyond,
    .own = 1,
};
