/* SPDX-License-Identifier: Apache-2.0 */
/* pair_moments.c: near part of charges with dipoles, and with quadrupoles, for
 * each split (math.md 9.6).  Its polynomials are G_0 = E/r and G_(n+1) =
 * -G_n'/r.  The last, G_3 or G_5, is fitted and integrated, which loses no
 * digits; derivatives of a fit would. */
#include <math.h>
#include <string.h>

#include "math/pair_inside.h"
#include "math/poly.h"

enum { CHAIN = 6 }; /* the most polynomials */

/* (9.26): x^-n j_n(x), spherical Bessel functions, n = 0 .. most - 1. */
static void waves(double x, int most, double v[CHAIN])
{
    double u = x * x;
    if (x < 3) {
        double first = 1;
        for (int n = 0; n < most; n++) {
            double term = first, sum = 0;
            for (int m = 1; m < 24; m++) {
                sum += term;
                term *= -u / (2 * m * (2 * (n + m) + 1));
            }
            v[n] = sum;
            first /= 2 * n + 3;
        }
        return;
    }
    v[0] = sin(x) / x;
    v[1] = (v[0] - cos(x)) / u;
    for (int n = 2; n < most; n++)
        v[n] = ((2 * n - 1) * v[n - 1] - v[n - 2]) / u;
}

/* (9.27), Gaussian: Boys' functions of x = (xi r)^2. */
static void gaussian_chain(double xi, double r, int most, double g[CHAIN])
{
    double x = xi * xi * r * r, front = M_2_SQRTPI * xi * exp(-x);
    for (int n = 0; n < most; n++) {
        double term = 1.0 / (2 * n + 1), sum = 0;
        for (int m = 1; m < 600 && term > 1e-18 * sum; m++) {
            sum += term;
            term *= 2 * x / (2 * (n + m) + 1);
        }
        g[n] = front * sum;
        front *= 2 * xi * xi;
    }
}

/* (9.25), prolate: E' is its own cosine transform. */
static void prolate_chain(const struct split *split, double r, int most,
                          double g[CHAIN])
{
    enum { PARTS = 3, NODES = 24 };
    const double *x, *w;
    poly_gauss(NODES, &x, &w);
    memset(g, 0, (size_t)most * sizeof *g);
    for (int i = 0; i < PARTS * NODES; i++) {
        double s = (i / NODES + (1 + x[i % NODES]) / 2) / PARTS, v[CHAIN];
        double k = split->c * s;
        double part = split_de(split, s) * w[i % NODES] / (2 * PARTS);
        waves(k * r, most, v);
        for (int n = 0; n < most; n++, part *= k * k)
            g[n] += part * v[n];
    }
    for (int n = 0; n < most; n++)
        g[n] *= split_de(split, 0);
}

/* ---- yukawa_dipole: e^(-kappa r)/r */

/* (9.39): x^-n i_n(x), modified spherical Bessel functions, n = 0 .. 3. */
static void growing(double x, double v[4])
{
    double first = 1, u = x * x;
    for (int n = 0; n < 4; n++) {
        double term = first, sum = 0;
        for (int m = 1; m < 400 && term > 1e-18 * sum; m++) {
            sum += term;
            term *= u / (2 * m * (2 * (n + m) + 1));
        }
        v[n] = sum;
        first /= 2 * n + 3;
    }
}

/* (9.38), Gaussian: the substitution t = xi e^-u makes it smooth. */
static void screened_gaussian(double xi, double kappa, double r, double g[4])
{
    enum { NODES = 24, PARTS = 20 };
    const double *x, *w, width = 2;
    poly_gauss(NODES, &x, &w);
    memset(g, 0, 4 * sizeof *g);
    for (int i = 0; i < PARTS * NODES; i++) {
        double u = width * (i / NODES + (1 + x[i % NODES]) / 2);
        double t = xi * exp(-u), b = kappa / (2 * t);
        double part = M_2_SQRTPI * w[i % NODES] * width / 2 * t
                      * exp(-r * r * t * t - b * b);
        for (int n = 0; n < 4; n++, part *= 2 * t * t)
            g[n] += part;
    }
}

/* The integral of (9.37), prolate.  even: the values v at k = i kappa that are
 * subtracted, so that no pole is near; or NULL. */
static void screened_waves(const struct split *split, double kappa, double r,
                           const double *even, double g[4])
{
    enum { NODES = 24, PARTS = 5 };
    static const double ends[PARTS + 1] = {0,       1.0 / 12, 1.0 / 6,
                                           1.0 / 3, 2.0 / 3,  1};
    const double *x, *w;
    poly_gauss(NODES, &x, &w);
    memset(g, 0, 4 * sizeof *g);
    for (int i = 0; i < PARTS * NODES; i++) {
        double from = ends[i / NODES], half = (ends[i / NODES + 1] - from) / 2;
        double s = from + half * (1 + x[i % NODES]), k = split->c * s, v[CHAIN];
        double part = w[i % NODES] * half * k * k / (k * k + kappa * kappa);
        double power = split_de(split, s);
        waves(k * r, 4, v);
        for (int n = 0; n < 4; n++, power *= k * k)
            g[n] += part * (power * v[n] - (even ? even[n] : 0));
    }
    for (int n = 0; n < 4; n++)
        g[n] *= split_de(split, 0);
}

/* (9.37): times sinh(kappa r)/r, for f_0 to f_3 */
static void screened_rest(double kappa, double r, double v[4])
{
    double power = kappa;
    growing(kappa * r, v);
    for (int n = 0; n < 4; n++, power *= -kappa * kappa)
        v[n] *= power;
}

static void screened_prolate(const struct pair *pair, const struct split *split,
                             double r, double g[4])
{
    double kappa = pair->kappa, gain = pair_yukawa_gain(pair, split), edge[4],
           rest[4];
    double inside[4], end[4], pole = split_de(split, 0) / (gain * kappa);
    const int near = kappa < 2;
    screened_rest(kappa, 1, edge);
    screened_rest(kappa, r, rest);
    for (int n = 0; n < 4; n++) {
        end[n] = pole * edge[n];
        inside[n] = pole * rest[n];
    }
    screened_waves(split, kappa, 1, near ? end : NULL, edge);
    screened_waves(split, kappa, r, near ? inside : NULL, g);
    /* G_0 is e^-kappa at the cutoff */
    double more = (exp(-kappa) - gain * edge[0]) / sinh(kappa);
    for (int n = 0; n < 4; n++)
        g[n] = gain * g[n] + more * rest[n];
}

static void screened_chain(const struct pair *pair, const struct split *split,
                           double r, double g[4])
{
    if (split->xi > 0)
        screened_gaussian(split->xi, pair->kappa, r, g);
    else
        screened_prolate(pair, split, r, g);
}

/* ---- all */

static void moments_chain(const struct pair *pair, const struct split *split,
                          double r, double g[CHAIN])
{
    if (pair->kappa > 0)
        screened_chain(pair, split, r, g);
    else if (split->xi > 0)
        gaussian_chain(split->xi, r, pair->polys, g);
    else
        prolate_chain(split, r, pair->polys, g);
}

static double moments_base(double v, const struct pair *pair,
                           const struct split *split)
{
    double g[CHAIN];
    moments_chain(pair, split, sqrt(fmax(v + 1, 0) / 2), g);
    return g[pair->polys - 1];
}

/* G_n = -1/4 of the integral of G_(n+1) by v.  It is exact at v = 0, so that
 * its error is smallest in the middle. */
static void moments_near(const double *base, int n, const struct pair *pair,
                         const struct split *split, double c[][NEAR_MAX])
{
    double g[CHAIN];
    int last = pair->polys - 1;
    moments_chain(pair, split, M_SQRT1_2, g);
    memcpy(c[last], base, (size_t)n * sizeof *base);
    for (int k = last - 1; k >= 0; k--) {
        c[k][0] = g[k];
        for (int i = 1; i < n; i++)
            c[k][i] = -0.25 * c[k + 1][i - 1] / i;
    }
}

static void moments_exact(const struct pair *pair, const struct split *split,
                          double r, double value[], double weight[])
{
    /* a system that has few dipoles now may have some later */
    double q = pair->charge, p = fmax(pair->dipole, 0.01);
    moments_chain(pair, split, r, value);
    weight[0] = 0; /* the check of its derivatives suffices */
    weight[1] = q * q * r + q * p;
    weight[2] = q * p * r * r + 3 * p * p * r;
    weight[3] = p * p * r * r * r;
}

/* The same with quadrupoles. */
static void quadrupole_exact(const struct pair *pair, const struct split *split,
                             double r, double value[], double weight[])
{
    double q = pair->charge, p = pair->dipole, r2 = r * r;
    double Q = fmax(pair->quadrupole, 0.01);
    moments_exact(pair, split, r, value, weight);
    weight[2] += Q * (q * r + p);
    weight[3] += Q * (q * r * r2 / 2 + 3 * p * r2 + 3 * Q * r);
    weight[4] = Q * r2 * r * (p * r / 2 + 2 * Q);
    weight[5] = Q * Q * r2 * r2 * r / 4;
}

static void moments_full(const struct pair *pair, double r, double v[2])
{
    (void)pair;
    v[1] = 1 / r;
    v[0] = v[1] / r;
}

static double moments_square(const double *q)
{
    return q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3];
}

/* What all kernels with moments have. */
#define MOMENTS_KIND                                                           \
    .power = 1, .degree = 1, .gradient = 1, .front = 4 * M_PI, .fall = 1,      \
    .smooth = pair_gamma_smooth, .slope = pair_gamma_slope,                    \
    .base = moments_base, .near = moments_near, .lift = 1, .own = 1

const struct pair_kind pair_kind_charge_dipole = {
    MOMENTS_KIND,
    .charged = 1,
    .moments = 1,
    .exact = moments_exact,
    .integrals = 3,
    .square = moments_square,
    .bare = moments_full,
};

static double quadrupole_square(const double *q)
{
    return moments_square(q) + pair_quadrupole_square(q + 4);
}

const struct pair_kind pair_kind_charge_quadrupole = {
    MOMENTS_KIND,
    .charged = 1,
    .moments = 2,
    .exact = quadrupole_exact,
    .integrals = 5,
    .square = quadrupole_square,
    .bare = moments_full,
};

const struct pair_kind pair_kind_yukawa_dipole = {
    MOMENTS_KIND,
    .moments = 1,
    .screened = 1,
    .limit = 1,
    .gain = pair_yukawa_gain,
    .exact = moments_exact,
    .integrals = 3,
    .square = moments_square,
    .bare = pair_yukawa_bare,
};
