/* SPDX-License-Identifier: Apache-2.0 */
/* kernels_flow.c: reference formulas of flow kernels, math.md 7.2. */
#include "reference/kernels.h"

#include "base/hypot.h"

#include <math.h>
#include <string.h>

extern const struct reference_kind reference_stokeslet, reference_rotlet,
    reference_stresslet;

static double dot(const double *a, const double *b)
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* 1 - E, E' and E'' of E = erf(xi r). */
struct shape {
    double rest, slope, bend;
};
static struct shape shape_at(double xi, double r)
{
    double u = xi * r, slope = M_2_SQRTPI * xi * exp(-u * u);
    return (struct shape){erfc(u), slope, -2 * xi * xi * r * slope};
}

static void vector_load(const double *q, double *c)
{
    memcpy(c, q, 3 * sizeof *c);
}

/* The length of the vector sum. */
static double vector_net(int64_t n, const double *q)
{
    long double sum[3] = {0}, square = 0;
    for (int64_t i = 0; i < 3 * n; i++)
        sum[i % 3] += q[i];
    for (int d = 0; d < 3; d++)
        square += sum[d] * sum[d];
    return (double)sqrtl(square);
}

static double vector_square(const double *q)
{
    return dot(q, q);
}

/* ---- stokeslet, (7.4) */

static void stokeslet_near(const struct reference_split *p, const double d[3],
                           double r2, const double *f, double *v)
{
    double r = sqrt(r2);
    struct shape e = shape_at(p->xi, r);
    double across = e.rest / r - e.slope;
    double along = (e.rest / r + e.slope) / r2 * dot(f, d);
    for (int a = 0; a < 3; a++)
        v[a] = across * f[a] + along * d[a];
}

static void stokeslet_self(const struct reference_split *p, const double *f,
                           double *v)
{
    for (int a = 0; a < 3; a++)
        v[a] = -2 * M_2_SQRTPI * p->xi * f[a];
}

static void stokeslet_far(const struct reference_split *p, const double k[3],
                          double s[][2], double v[][2])
{
    double k2 = dot(k, k), u = k2 / (4 * p->xi * p->xi);
    double g = 8 * M_PI * (1 + u) * exp(-u) / (k2 * k2);
    for (int i = 0; i < 2; i++) {
        double ks = k[0] * s[0][i] + k[1] * s[1][i] + k[2] * s[2][i];
        for (int a = 0; a < 3; a++)
            v[a][i] = g * (k2 * s[a][i] - k[a] * ks);
    }
}

/* (7.24) */
static void stokeslet_gauge(const struct reference_split *p,
                            const struct reference_open *o, const double *f,
                            double *v)
{
    double along, phi = reference_gauge(p, o, &along);
    double on = dot(f, o->axis);
    for (int a = 0; a < 3; a++) {
        double axial = on * o->axis[a], rest = f[a] - axial;
        v[a] = o->axes == 2 ? phi * rest
                            : 2 * phi * axial + (phi + 2 / o->period) * rest;
    }
}

static double stokeslet_random(double s, double u)
{
    return hypot_of(2.3 * sqrt(u), 0.85 * s * s / u);
}

static double stokeslet_aligned(double s, double u)
{
    return 7.1 * u * u / s;
}

const struct reference_kind reference_stokeslet = {
    .name = "stokeslet",
    .strengths = 3,
    .channels = 3,
    .values = REFERENCE_FLOW,
    .load = vector_load,
    .near = stokeslet_near,
    .self = stokeslet_self,
    .far = stokeslet_far,
    .gauge = stokeslet_gauge,
    .net_channels = 3,
    .net = vector_net,
    .square = vector_square,
    .power = 1,
    .random = stokeslet_random,
    .aligned = stokeslet_aligned,
};

/* ---- rotlet, (7.5) */

static void rotlet_near(const struct reference_split *p, const double d[3],
                        double r2, const double *t, double *v)
{
    double r = sqrt(r2);
    struct shape e = shape_at(p->xi, r);
    double g = (e.rest / r + e.slope) / r2;
    for (int a = 0; a < 3; a++) {
        int b = (a + 1) % 3, c = (a + 2) % 3;
        v[a] = g * (t[b] * d[c] - t[c] * d[b]);
    }
}

static void rotlet_far(const struct reference_split *p, const double k[3],
                       double s[][2], double v[][2])
{
    double k2 = dot(k, k), g = 4 * M_PI * exp(-k2 / (4 * p->xi * p->xi)) / k2;
    for (int a = 0; a < 3; a++) { /* i (k x s) */
        int b = (a + 1) % 3, c = (a + 2) % 3;
        v[a][0] = -g * (k[b] * s[c][1] - k[c] * s[b][1]);
        v[a][1] = g * (k[b] * s[c][0] - k[c] * s[b][0]);
    }
}

static double rotlet_random(double s, double u)
{
    (void)s;
    return 2.3 / sqrt(u);
}

static double rotlet_aligned(double s, double u)
{
    return 7.1 * u / s;
}

const struct reference_kind reference_rotlet = {
    .name = "rotlet",
    .strengths = 3,
    .channels = 3,
    .values = REFERENCE_FLOW,
    .load = vector_load,
    .near = rotlet_near,
    .far = rotlet_far,
    .net = vector_net,
    .square = vector_square,
    .power = 2,
    .random = rotlet_random,
    .aligned = rotlet_aligned,
};

/* ---- stresslet, (7.6): strengths q, n; h is their symmetric product, xx yy zz
 * xy xz yz */

static void stresslet_load(const double *q, double *h)
{
    const double *n = q + 3;
    for (int a = 0; a < 3; a++)
        h[a] = q[a] * n[a];
    h[3] = 0.5 * (q[0] * n[1] + q[1] * n[0]);
    h[4] = 0.5 * (q[0] * n[2] + q[2] * n[0]);
    h[5] = 0.5 * (q[1] * n[2] + q[2] * n[1]);
}

/* h w */
static void stresslet_times(const double h[6], const double w[3], double v[3])
{
    v[0] = h[0] * w[0] + h[3] * w[1] + h[4] * w[2];
    v[1] = h[3] * w[0] + h[1] * w[1] + h[5] * w[2];
    v[2] = h[4] * w[0] + h[5] * w[1] + h[2] * w[2];
}

static void stresslet_near(const struct reference_split *p, const double d[3],
                           double r2, const double *h, double *v)
{
    double r = sqrt(r2), hd[3], trace = h[0] + h[1] + h[2];
    struct shape e = shape_at(p->xi, r);
    stresslet_times(h, d, hd);
    double b = -e.bend / r;
    double a = -2 * (3 * e.rest / r + 3 * e.slope - r * e.bend) / (r2 * r2);
    double along = a * dot(d, hd) + b * trace;
    for (int i = 0; i < 3; i++)
        v[i] = along * d[i] + 2 * b * hd[i];
}

static void stresslet_far(const struct reference_split *p, const double k[3],
                          double s[][2], double v[][2])
{
    double k2 = dot(k, k), u = k2 / (4 * p->xi * p->xi);
    double g = 8 * M_PI * (1 + u) * exp(-u) / (k2 * k2);
    for (int i = 0; i < 2; i++) {
        double h[6], hk[3];
        for (int c = 0; c < 6; c++)
            h[c] = s[c][i];
        stresslet_times(h, k, hk);
        double along = k2 * (h[0] + h[1] + h[2]) - 2 * dot(k, hk);
        /* multiplies by i */
        double sign = i ? -1 : 1;
        for (int a = 0; a < 3; a++)
            v[a][!i] = sign * g * (2 * k2 * hk[a] + along * k[a]);
    }
}

/* (7.7) */
static void stresslet_mean(const struct reference_split *p, double volume,
                           long double sum[][4], double mean[][4])
{
    long double front = 8 * M_PI / (long double)volume;
    (void)p;
    for (int a = 0; a < 3; a++) {
        for (int d = 0; d < 4; d++)
            mean[a][d] = 0;
        for (int c = 0; c < 3; c++) { /* trace of h: q.n */
            mean[a][0] += (double)(front * sum[c][1 + a]);
            mean[a][1 + a] -= (double)(front * sum[c][0]);
        }
    }
}

static double stresslet_net(int64_t n, const double *q)
{
    long double sum = 0;
    for (int64_t i = 0; i < n; i++)
        for (int d = 0; d < 3; d++)
            sum += (long double)q[6 * i + d] * q[6 * i + 3 + d];
    return (double)sum;
}

static double stresslet_square(const double *q)
{
    return dot(q, q) * dot(q + 3, q + 3);
}

static double stresslet_random(double s, double u)
{
    return 5 * s * s / sqrt(u);
}

static double stresslet_aligned(double s, double u)
{
    return 42 * u * s;
}

const struct reference_kind reference_stresslet = {
    .name = "stresslet",
    .strengths = 6,
    .channels = 6,
    .values = REFERENCE_FLOW,
    .load = stresslet_load,
    .near = stresslet_near,
    .far = stresslet_far,
    .mean = stresslet_mean,
    .net = stresslet_net,
    .square = stresslet_square,
    .power = 2,
    .random = stresslet_random,
    .aligned = stresslet_aligned,
};
