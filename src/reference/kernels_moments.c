/* SPDX-License-Identifier: Apache-2.0 */
/* kernels_moments.c: reference formulas of charges with dipoles, math.md 7.6,
 * and of screened ones. */
#include "reference/kernels.h"

#include <math.h>
#include <string.h>

extern const struct reference_kind reference_charge_dipole,
    reference_yukawa_dipole;

/* Where the values begin: potential, field, gradient, w, and its gradient by x,
 * y and z. */
enum { PHI, E = REFERENCE_PHI, G = REFERENCE_FIELD, W = G + 6, DW = W + 6 };
_Static_assert(DW + 18 == REFERENCE_MOMENTS, "all values");

/* The axes of the six numbers of a symmetric tensor. */
static const int axis[6][2] = {{0, 0}, {0, 1}, {0, 2}, {1, 1}, {1, 2}, {2, 2}};

static double moments_net(int64_t n, const double *q)
{
    long double sum = 0;
    for (int64_t i = 0; i < n; i++)
        sum += q[4 * i];
    return (double)sum;
}

static double moments_square(const double *q)
{
    return q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3];
}

static void moments_load(const double *q, double *c)
{
    memcpy(c, q, 4 * sizeof *c);
}

/* f_0 to f_3 of erfc(xi r)/r, or of its screened form (7.15a), f_(n+1) =
 * -f_n'/r, (7.15). */
static void chain(const struct reference_split *s, double r2, double f[4])
{
    double r = sqrt(r2), xi = s->xi, kappa = s->screen, step = 2 * xi * xi;
    double plus = 0, minus = 2 * exp(-kappa * r), more = 0;
    if (xi > 0) {
        double b = kappa / (2 * xi), x = xi * r;
        /* kappa r = 2 b x is at most (x + b)^2/2 */
        plus = x + b < 26 ? exp(kappa * r) * erfc(x + b) : 0;
        minus = exp(-kappa * r) * erfc(x - b);
        more = M_2_SQRTPI * xi * exp(-x * x - b * b);
    }
    double last = kappa * (minus - plus) / 2; /* kappa^2 f_(n-1) */
    f[0] = (plus + minus) / (2 * r);
    for (int n = 0; n < 3; n++, more *= step) {
        f[n + 1] = ((2 * n + 1) * f[n] + last + more) / r2;
        last = kappa * kappa * f[n];
    }
}

/* w's gradient by axis c, (7.16): a = q f_1 + (p.d) f_2, b = q f_2 + (p.d)
 * f_3. */
static double near_slope(const double f[4], double a, double b, const double *d,
                         const double *p, int i, int c)
{
    int e = axis[i][0], g = axis[i][1];
    double sum = d[e] * d[g] * (p[c] * f[2] - d[c] * b)
                 + f[2] * d[c] * (p[e] * d[g] + d[e] * p[g]);
    if (e == c)
        sum += d[g] * a - f[1] * p[g];
    if (g == c)
        sum += d[e] * a - f[1] * p[e];
    return sum;
}

static void moments_near(const struct reference_split *s, const double d[3],
                         double r2, const double *q, double *v)
{
    const double *p = q + 1;
    double f[4], along = p[0] * d[0] + p[1] * d[1] + p[2] * d[2];
    chain(s, r2, f);
    double a = q[0] * f[1] + along * f[2], b = q[0] * f[2] + along * f[3];
    v[PHI] = q[0] * f[0] + along * f[1];
    for (int e = 0; e < 3; e++)
        v[E + e] = a * d[e] - f[1] * p[e];
    for (int i = 0; i < 6; i++) {
        int e = axis[i][0], g = axis[i][1];
        double both = d[e] * p[g] + p[e] * d[g];
        v[G + i] = b * d[e] * d[g] - f[2] * both - (e == g ? a : 0);
        v[W + i] = a * d[e] * d[g] - f[1] * both;
        for (int c = 0; c < 3; c++)
            v[DW + 6 * c + i] = near_slope(f, a, b, d, p, i, c);
    }
}

/* (7.17), minus f_0 and f_1 of the near part less the kernel at r = 0 */
static void moments_self(const struct reference_split *s, const double *q,
                         double *v)
{
    double xi = s->xi, kappa = s->screen, b = kappa / (2 * xi);
    double more = M_2_SQRTPI * xi * exp(-b * b), f0 = more - kappa * erfc(b);
    double f1 = (2 * xi * xi * more - kappa * kappa * f0) / 3;
    memset(v, 0, REFERENCE_MOMENTS * sizeof *v);
    v[PHI] = -f0 * q[0];
    for (int e = 0; e < 3; e++)
        v[E + e] = f1 * q[1 + e];
    for (int i = 0; i < 6; i++) {
        int e = axis[i][0], g = axis[i][1];
        v[G + i] = e == g ? f1 * q[0] : 0;
        v[DW + 6 * e + i] += f1 * q[1 + g];
        v[DW + 6 * g + i] += f1 * q[1 + e];
    }
}

/* v = m z, and v = i m z. */
static void times(double m, const double z[2], double v[2])
{
    v[0] = m * z[0];
    v[1] = m * z[1];
}
static void times_i(double m, const double z[2], double v[2])
{
    v[0] = -m * z[1];
    v[1] = m * z[0];
}

static double moments_hat(const struct reference_split *p, double k2)
{
    double all = k2 + p->screen * p->screen;
    return 4 * M_PI * exp(-all / (4 * p->xi * p->xi)) / all;
}

/* (7.18) */
static void moments_far(const struct reference_split *p, const double k[3],
                        double s[][2], double v[][2])
{
    double k2 = k[0] * k[0] + k[1] * k[1] + k[2] * k[2];
    double over = 1 / (4 * p->xi * p->xi), all = k2 + p->screen * p->screen;
    double g = moments_hat(p, k2), h = -2 * g * (1 / all + over);
    double z[2] = {s[0][0], s[0][1]}; /* S = sum (q - i k.p) e^{-ik.y} */
    for (int a = 0; a < 3; a++) {
        z[0] += k[a] * s[1 + a][1];
        z[1] -= k[a] * s[1 + a][0];
    }
    times(g, z, v[PHI]);
    for (int a = 0; a < 3; a++)
        times_i(-g * k[a], z, v[E + a]);
    for (int i = 0; i < 6; i++) {
        int a = axis[i][0], b = axis[i][1];
        double kk = k[a] * k[b], w = h * kk + (a == b ? g : 0);
        times(-g * kk, z, v[G + i]);
        times(w, z, v[W + i]);
        for (int c = 0; c < 3; c++)
            times_i(w * k[c], z, v[DW + 6 * c + i]);
    }
}

/* Vacuum surroundings, (7.19), with M = sum q x + p. */
static void mean_vacuum(double volume, long double sum[][4], int first,
                        double mean[][4])
{
    double m[3], front = 4 * M_PI / (3 * volume);
    for (int a = 0; a < 3; a++) {
        m[a] = front * (double)(sum[0][1 + a] + sum[1 + a][0]);
        mean[PHI][1 + a] = m[a];
        mean[E + a][0] = -m[a];
    }
    for (int i = 0; i < 6; i++) {
        int a = axis[i][0], b = axis[i][1];
        for (int c = 0; c < 3; c++) {
            double t =
                (a == b ? m[c] : 0) - (b == c ? m[a] : 0) - (a == c ? m[b] : 0);
            mean[first + i][1 + c] = t;
            mean[first + 6 + 6 * c + i][0] = t;
        }
    }
}

void reference_mean_moments(const struct reference_split *p, double volume,
                            long double sum[][4], int first, double mean[][4])
{
    double net = (double)(-M_PI / (p->xi * p->xi * volume) * sum[0][0]);
    memset(mean, 0, REFERENCE_VALUES * sizeof *mean);
    if (p->vacuum)
        mean_vacuum(volume, sum, first, mean);
    mean[PHI][0] = net;
    for (int i = 0; i < 6; i++)
        if (axis[i][0] == axis[i][1])
            mean[first + i][0] = net;
}

static void moments_mean(const struct reference_split *p, double volume,
                         long double sum[][4], double mean[][4])
{
    reference_mean_moments(p, volume, sum, W, mean);
}

/* The screened kernel's mode k = 0: a constant potential. */
static void screened_mean(const struct reference_split *p, double volume,
                          long double sum[][4], double mean[][4])
{
    double net = (double)(moments_hat(p, 0) / volume * sum[0][0]);
    memset(mean, 0, REFERENCE_VALUES * sizeof *mean);
    mean[PHI][0] = net;
    for (int i = 0; i < 6; i++)
        if (axis[i][0] == axis[i][1])
            mean[W + i][0] = net;
}

/* One or two periodic axes, (7.22), (7.23).  A slab's far mean is -(2 pi/A) (z
 * erf(xi z) + e^(-xi^2 z^2)/(xi sqrt pi)), a wire's phi - xi^2 rho^2/L near 0:
 * their curvatures are the gradient. */
static void moments_gauge(const struct reference_split *p,
                          const struct reference_open *o, const double *sum,
                          double *v)
{
    double along, phi = reference_gauge(p, o, &along);
    double bend = o->axes == 2 ? -4 * sqrt(M_PI) * p->xi / o->period
                               : -2 * p->xi * p->xi / o->period;
    memset(v, 0, REFERENCE_MOMENTS * sizeof *v);
    v[PHI] = phi * sum[0];
    for (int i = 0; i < 6; i++) {
        double tt = o->axis[axis[i][0]] * o->axis[axis[i][1]];
        double rest = (axis[i][0] == axis[i][1]) - tt;
        v[G + i] = bend * (o->axes == 2 ? tt : rest) * sum[0];
        v[W + i] = along * (o->axes == 2 ? rest : tt) * sum[0];
    }
}

/* The field of charges in the same way as yukawa's; a dipole source and a
 * gradient are one more derivative each, which the cut at rc or at the largest
 * k multiplies by 2 s^2/u. */
static double derivatives(double s, double u)
{
    double one = fmax(1, 2 * s * s / u);
    return one * one;
}

static double moments_random(double s, double u)
{
    return derivatives(s, u)
           * (2.9 / sqrt(u) + 1.4 * sqrt(u) / (s * s) + 0.64 / u);
}

static double moments_aligned(double s, double u)
{
    return derivatives(s, u) * (7.1 * u / s + 3.6 * u * u / (s * s * s));
}

const struct reference_kind reference_charge_dipole = {
    .name = "charge_dipole",
    .strengths = 4,
    .channels = 4,
    .moments = 1,
    .values = REFERENCE_MOMENTS,
    .load = moments_load,
    .near = moments_near,
    .self = moments_self,
    .far = moments_far,
    .mean = moments_mean,
    .gauge = moments_gauge,
    .net_channels = 1,
    .net = moments_net,
    .square = moments_square,
    .power = 1,
    .random = moments_random,
    .aligned = moments_aligned,
};

const struct reference_kind reference_yukawa_dipole = {
    .name = "yukawa_dipole",
    .strengths = 4,
    .channels = 4,
    .moments = 1,
    .values = REFERENCE_MOMENTS,
    .load = moments_load,
    .near = moments_near,
    .self = moments_self,
    .far = moments_far,
    .mean = screened_mean,
    .net = moments_net,
    .square = moments_square,
    .power = 1,
    .random = moments_random,
    .aligned = moments_aligned,
};
