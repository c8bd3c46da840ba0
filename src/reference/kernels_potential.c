/* SPDX-License-Identifier: Apache-2.0 */
/* kernels_potential.c: reference formulas of potential kernels, math.md 7.4. */
#include "reference/kernels.h"

#include <math.h>

extern const struct reference_kind reference_yukawa, reference_r6;

void reference_load_scalar(const double *q, double *c)
{
    c[0] = q[0];
}

static double scalar_net(int64_t n, const double *q)
{
    long double sum = 0;
    for (int64_t i = 0; i < n; i++)
        sum += q[i];
    return (double)sum;
}

static double scalar_square(const double *q)
{
    return q[0] * q[0];
}

/* phi, E, w of a charge with potential phi and field f d, (7.10) */
static void put_near(double phi, double f, const double d[3], double *v)
{
    v[0] = phi;
    for (int a = 0; a < 3; a++) {
        v[1 + a] = f * d[a];
        v[4 + a] = f * d[a] * d[a];
    }
    v[7] = f * d[0] * d[1];
    v[8] = f * d[0] * d[2];
    v[9] = f * d[1] * d[2];
}

/* The values of a mode with multiplier g and h = g'(k)/k, (7.11) */
static void put_far(double g, double h, const double k[3], double s[2],
                    double v[][2])
{
    for (int i = 0; i < 2; i++) {
        double sign = i ? -1 : 1; /* E = -i k g S */
        v[0][i] = g * s[i];
        for (int a = 0; a < 3; a++) {
            v[1 + a][!i] = -sign * k[a] * g * s[i];
            v[4 + a][i] = (g + h * k[a] * k[a]) * s[i];
        }
        v[7][i] = h * k[0] * k[1] * s[i];
        v[8][i] = h * k[0] * k[2] * s[i];
        v[9][i] = h * k[1] * k[2] * s[i];
    }
}

/* The value of the mode k = 0 with multiplier g. */
static void put_mean(double g, double volume, long double net,
                     double mean[][4])
{
    for (int a = 0; a < REFERENCE_VALUES; a++)
        for (int d = 0; d < 4; d++)
            mean[a][d] = 0;
    mean[0][0] = mean[4][0] = mean[5][0] = mean[6][0] =
        (double)(g / volume * net);
}

/* ---- laplace, 1/r, as (7.12) without screening */

static void laplace_near(const struct reference_split *p, const double d[3],
                         double r2, const double *c, double *v)
{
    double r = sqrt(r2), x = p->xi * r, phi = erfc(x) / r;
    put_near(c[0] * phi,
             c[0] * (phi + M_2_SQRTPI * p->xi * exp(-x * x)) / r2, d, v);
}

static void laplace_self(const struct reference_split *p, const double *c,
                         double *v)
{
    for (int a = 0; a < REFERENCE_VIRIAL; a++)
        v[a] = 0;
    v[0] = -c[0] * M_2_SQRTPI * p->xi;
}

static void laplace_far(const struct reference_split *p, const double k[3],
                        double s[][2], double v[][2])
{
    double k2 = k[0] * k[0] + k[1] * k[1] + k[2] * k[2];
    double over = 1 / (4 * p->xi * p->xi);
    double g = 4 * M_PI * exp(-k2 * over) / k2;
    put_far(g, -2 * g * (1 / k2 + over), k, s[0], v);
}

/* The background, and vacuum surroundings as in (7.19). */
static void laplace_mean(const struct reference_split *p, double volume,
                         long double sum[][4], double mean[][4])
{
    static const int at[6][2] = {{0, 0}, {1, 1}, {2, 2},
                                 {0, 1}, {0, 2}, {1, 2}};
    put_mean(-M_PI / (p->xi * p->xi), volume, sum[0][0], mean);
    for (int a = 0; p->vacuum && a < 3; a++) {
        double m = 4 * M_PI / (3 * volume) * (double)sum[0][1 + a];
        mean[0][1 + a] = m;
        mean[1 + a][0] = -m;
        for (int i = 0; i < 6; i++) {
            mean[4 + i][1 + a] += at[i][0] == at[i][1] ? m : 0;
            mean[4 + i][1 + at[i][1]] -= at[i][0] == a ? m : 0;
            mean[4 + i][1 + at[i][0]] -= at[i][1] == a ? m : 0;
        }
    }
}

double reference_gauge(const struct reference_split *p,
                       const struct reference_open *o, double *along)
{
    double phi;
    if (o->axes == 2) {
        phi = -2 * sqrt(M_PI) / (p->xi * o->period);
        *along = phi;
    } else {
        phi = ((double)REFERENCE_EULER + 2 * log(p->xi * o->period))
              / o->period;
        *along = phi - 2 / o->period;
    }
    return phi;
}

static void laplace_gauge(const struct reference_split *p,
                          const struct reference_open *o, const double *sum,
                          double *v)
{
    static const int of[6][2] = {{0, 0}, {1, 1}, {2, 2},
                                 {0, 1}, {0, 2}, {1, 2}};
    double along, phi = reference_gauge(p, o, &along);
    v[0] = phi * sum[0];
    v[1] = v[2] = v[3] = 0;
    for (int i = 0; i < 6; i++) {
        double tt = o->axis[of[i][0]] * o->axis[of[i][1]];
        double flat = o->axes == 1 ? tt : (of[i][0] == of[i][1]) - tt;
        v[4 + i] = along * flat * sum[0];
    }
}

/* ---- yukawa, e^(-kappa r)/r, (7.12) */

static void yukawa_near(const struct reference_split *p, const double d[3],
                        double r2, const double *c, double *v)
{
    double r = sqrt(r2), kappa = p->screen, xi = p->xi;
    double away = exp(-kappa * r), phi, slope;
    if (xi > 0) {
        double b = kappa / (2 * xi), x = xi * r;
        /* kappa r = 2 b x is at most (x + b)^2/2 */
        double plus = x + b < 26 ? exp(kappa * r) * erfc(x + b) : 0;
        double minus = away * erfc(x - b);
        slope = kappa * (minus - plus) / 2
                + M_2_SQRTPI * xi * exp(-x * x - b * b);
        phi = (plus + minus) / 2;
    } else {
        slope = kappa * away;
        phi = away;
    }
    put_near(c[0] * phi / r, c[0] * (phi / r + slope) / r2, d, v);
}

static void yukawa_self(const struct reference_split *p, const double *c,
                        double *v)
{
    double b = p->screen / (2 * p->xi);
    for (int a = 0; a < REFERENCE_VALUES; a++)
        v[a] = 0;
    v[0] = c[0] * (p->screen * erfc(b) - M_2_SQRTPI * p->xi * exp(-b * b));
}

static double yukawa_hat(const struct reference_split *p, double k2)
{
    double all = k2 + p->screen * p->screen;
    return 4 * M_PI * exp(-all / (4 * p->xi * p->xi)) / all;
}

static void yukawa_far(const struct reference_split *p, const double k[3],
                       double s[][2], double v[][2])
{
    double k2 = k[0] * k[0] + k[1] * k[1] + k[2] * k[2];
    double g = yukawa_hat(p, k2);
    double h = -2 * g * (1 / (k2 + p->screen * p->screen)
                         + 1 / (4 * p->xi * p->xi));
    put_far(g, h, k, s[0], v);
}

static void yukawa_mean(const struct reference_split *p, double volume,
                        long double sum[][4], double mean[][4])
{
    put_mean(yukawa_hat(p, 0), volume, sum[0][0], mean);
}

static double yukawa_random(double s, double u)
{
    return 2.9 / sqrt(u) + 1.4 * sqrt(u) / (s * s) + 0.64 / u;
}

static double yukawa_aligned(double s, double u)
{
    return 7.1 * u / s + 3.6 * u * u / (s * s * s);
}

const struct reference_kind reference_laplace = {
    .name = "laplace",
    .strengths = 1,
    .channels = 1,
    .values = REFERENCE_VIRIAL,
    .load = reference_load_scalar,
    .near = laplace_near,
    .self = laplace_self,
    .far = laplace_far,
    .mean = laplace_mean,
    .gauge = laplace_gauge,
    .net_channels = 1,
    .net = scalar_net,
    .square = scalar_square,
    .power = 1,
    .random = yukawa_random,
    .aligned = yukawa_aligned,
};

const struct reference_kind reference_yukawa = {
    .name = "yukawa",
    .strengths = 1,
    .channels = 1,
    .values = REFERENCE_VIRIAL,
    .load = reference_load_scalar,
    .near = yukawa_near,
    .self = yukawa_self,
    .far = yukawa_far,
    .mean = yukawa_mean,
    .net = scalar_net,
    .square = scalar_square,
    .power = 1,
    .random = yukawa_random,
    .aligned = yukawa_aligned,
};

/* ---- r6, 1/r^6, (7.13) */

static void r6_near(const struct reference_split *p, const double d[3],
                    double r2, const double *c, double *v)
{
    double x2 = p->xi * p->xi * r2, r6 = r2 * r2 * r2, e = exp(-x2) * c[0];
    double phi = e * (1 + x2 + x2 * x2 / 2) / r6;
    double f = 6 * e * (1 + x2 + x2 * x2 / 2 + x2 * x2 * x2 / 6) / (r6 * r2);
    put_near(phi, f, d, v);
}

static void r6_self(const struct reference_split *p, const double *c, double *v)
{
    double xi3 = p->xi * p->xi * p->xi;
    for (int a = 0; a < REFERENCE_VALUES; a++)
        v[a] = 0;
    v[0] = -c[0] * xi3 * xi3 / 6;
}

static void r6_far(const struct reference_split *p, const double k[3],
                   double s[][2], double v[][2])
{
    double xi = p->xi, k2 = k[0] * k[0] + k[1] * k[1] + k[2] * k[2];
    double b = sqrt(k2) / (2 * xi), e = exp(-b * b);
    double rest = sqrt(M_PI) * b * erfc(b);
    double front = M_PI * sqrt(M_PI) * xi * xi * xi / 3;
    double g = front * ((1 - 2 * b * b) * e + 2 * b * b * rest);
    /* dg/db = 6 front b (sqrt(pi) b erfc(b) - e^(-b^2)) */
    double h = 6 * front * (rest - e) / (4 * xi * xi);
    put_far(g, h, k, s[0], v);
}

static void r6_mean(const struct reference_split *p, double volume,
                    long double sum[][4], double mean[][4])
{
    put_mean(M_PI * sqrt(M_PI) * p->xi * p->xi * p->xi / 3, volume, sum[0][0],
             mean);
}

static double r6_random(double s, double u)
{
    double s3 = s * s * s;
    return 2.5 * s3 * s * s * pow(u, -5.5) + 0.9 * s3 * pow(u, -4.5)
           + 0.6 * s3 * s * s * pow(u, -6);
}

static double r6_aligned(double s, double u)
{
    return 6.3 * pow(s / u, 4) + 3.1 * s * s / (u * u * u);
}

const struct reference_kind reference_r6 = {
    .name = "r6",
    .strengths = 1,
    .channels = 1,
    .values = REFERENCE_VIRIAL,
    .load = reference_load_scalar,
    .near = r6_near,
    .self = r6_self,
    .far = r6_far,
    .mean = r6_mean,
    .cusp = 1,
    .net = scalar_net,
    .square = scalar_square,
    .power = 6,
    .random = r6_random,
    .aligned = r6_aligned,
};
