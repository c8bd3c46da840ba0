/* SPDX-License-Identifier: Apache-2.0 */
/* pair_r6.c: near and far parts of 1/r^6 for each split (math.md 9.4). */
#include <math.h>

#include "math/pair_inside.h"
#include "math/poly.h"

/* w(u) = E'(r)/E'(0), u = r^2; far = 1/2 d^2/du^2 [(1 - w)/u]. */

/* (9.18): c^3 pi^2/24 times the integral over s > t of psi (s - t)^2 (s + 2 t),
 * t = k/c, and its slope in k.  For a prolate split that is cut at c. */
struct dispersed {
    const struct split *split;
    double at;
};

static double dispersed_hat(double s, const void *data)
{
    const struct dispersed *d = data;
    return split_de(d->split, s) * (s - d->at) * (s - d->at)
           * (s + 2 * d->at);
}

static double dispersed_slope(double s, const void *data)
{
    const struct dispersed *d = data;
    return split_de(d->split, s) * (s - d->at);
}

static double r6_smooth(const struct pair *pair, const struct split *split,
                        double k)
{
    double c = split->c, xi = split->xi, b = xi > 0 ? k / (2 * xi) : 0;
    const struct dispersed d = {split, k / c};
    (void)pair;
    if (xi > 0)
        return M_PI * sqrt(M_PI) * xi * xi * xi / 3
               * ((1 - 2 * b * b) * exp(-b * b)
                  + 2 * sqrt(M_PI) * b * b * b * erfc(b));
    return k < c ? M_PI * M_PI / 24 * c * c * c
                       * poly_integral(dispersed_hat, &d, d.at, 1)
                 : 0;
}

static double r6_slope(const struct pair *pair, const struct split *split,
                       double k)
{
    double c = split->c, xi = split->xi, b = xi > 0 ? k / (2 * xi) : 0;
    const struct dispersed d = {split, k / c};
    (void)pair;
    if (xi > 0)
        return M_PI * sqrt(M_PI) * xi * xi * b
               * (sqrt(M_PI) * b * erfc(b) - exp(-b * b));
    return k < c ? -M_PI * M_PI / 4 * c * k
                       * poly_integral(dispersed_slope, &d, d.at, 1)
                 : 0;
}

/* (9.20): far part and its slope over r for w = cos(x), in units of k.  With X
 * = x^2: half the second derivative of (1 - cos x)/X, and minus the third
 * derivative. */
static void wave_far(double x, double v[2])
{
    double u = x * x;
    if (x < 3) {
        double term = 1 / 720.0; /* u^m/(2m+2)!, m = 2 */
        v[0] = v[1] = 0;
        for (int m = 2; m < 22; m++) {
            v[0] += m * (m - 1) / 2 * term;
            /* m = 3, 4, ... of the third derivative: one power of u less */
            v[1] += (m + 1) * m * (m - 1) * term / ((2 * m + 3) * (2 * m + 4));
            term *= -u / ((2 * m + 3) * (2 * m + 4));
        }
        return;
    }
    double s = sin(x), c = cos(x), u2 = u * u;
    v[0] = (c / 4 - 5 * s / (4 * x) + 2 * (1 - c) / u) / (2 * u2);
    v[1] = (s / (8 * x) + 9 * c / (8 * u) - 33 * s / (8 * x * u)
            + 6 * (1 - c) / u2)
           / u2;
}

static double waves_value(double s, const void *data)
{
    const struct dispersed *d = data;
    double v[2], k = d->split->c * s;
    wave_far(k * d->at, v);
    return split_de(d->split, s) * pow(k, 6) * v[0];
}

static double waves_slope(double s, const void *data)
{
    const struct dispersed *d = data;
    double v[2], k = d->split->c * s;
    wave_far(k * d->at, v);
    return split_de(d->split, s) * pow(k, 8) * v[1];
}

/* Returns the sum over m of x^m/(m + from)! */
static double late_exponential(double x, int from)
{
    double term = 1, sum = 0;
    for (int m = 2; m <= from; m++)
        term /= m;
    for (int m = from + 1; m < from + 400 && term > 1e-18 * sum; m++) {
        sum += term;
        term *= x / m;
    }
    return sum;
}

/* The far part and minus its slope over r, for the split. */
static void r6_inside(const struct split *split, double r, double v[2])
{
    double xi = split->xi, x = xi * xi * r * r;
    const struct dispersed d = {split, r};
    if (xi > 0) {
        v[0] = pow(xi, 6) * exp(-x) * late_exponential(x, 3);
        v[1] = 6 * pow(xi, 8) * exp(-x) * late_exponential(x, 4);
        return;
    }
    v[0] = poly_integral(waves_value, &d, 0, 1);
    v[1] = poly_integral(waves_slope, &d, 0, 1);
}

static double r6_base(double v, const struct pair *pair,
                      const struct split *split)
{
    double value[2];
    (void)pair;
    r6_inside(split, sqrt((v + 1) / 2), value);
    return value[0];
}

static void r6_exact(const struct pair *pair, const struct split *split,
                     double r, double value[], double weight[])
{
    (void)pair;
    r6_inside(split, r, value);
    weight[0] = 0; /* the check of its derivative suffices */
    weight[1] = r;
}

static void r6_bare(const struct pair *pair, double r, double v[2])
{
    (void)pair;
    v[1] = pow(r, -6);
    v[0] = 6 * v[1] / r;
}

/* (9.21): beyond the cutoff, w of a prolate split continues as J_0(c sqrt(u -
 * 1)). */
static void r6_beyond(const struct pair *pair, const struct pair_edge *edge,
                      double r, double v[2])
{
    double u = r * r, x = edge->xi * edge->xi * u, w[4];
    double z = edge->c * sqrt(fmax(u - 1, 1e-8)), scale = edge->edge;
    (void)pair;
    if (edge->xi > 0) {
        double all = 1 + x + x * x / 2;
        v[1] = exp(-x) * all / (u * u * u);
        v[0] = 6 * exp(-x) * (all + x * x * x / 6) / (u * u * u * r);
        return;
    }
    for (int m = 0; m < 4; m++) {
        w[m] = scale * jn(m, z);
        scale *= -edge->c * edge->c / (2 * z);
    }
    v[1] = (w[2] / 2 - w[1] / u + w[0] / (u * u)) / u;
    v[0] = -r / u
           * (w[3] - 3 * w[2] / u + 6 * w[1] / (u * u)
              - 6 * w[0] / (u * u * u));
}

const struct pair_kind pair_kind_r6 = {
    .power = 6, .degree = 1, .gradient = 1, .limit = 1,
    .front = 1, .odd = 1,
    .smooth = r6_smooth, .slope = r6_slope,
    .base = r6_base, .near = pair_scalar_near, .exact = r6_exact,
    .square = pair_scalar_square, .lift = 1,
    .bare = r6_bare, .beyond = r6_beyond, .own = 1,
};
