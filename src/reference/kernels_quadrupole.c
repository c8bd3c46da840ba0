/* SPDX-License-Identifier: Apache-2.0 */
/* kernels_quadrupole.c: reference formulas of charges with dipoles and
 * quadrupoles, math.md 7.6. */
#include "reference/kernels.h"

#include <math.h>
#include <string.h>

#define CARTESIAN_REAL double
#define CARTESIAN_FN static
#include "reference/cartesian.h"

extern const struct reference_kind reference_charge_quadrupole;

/* Where the values begin: the potential's derivatives, w, its first and second
 * derivatives. */
enum {
    PHI,
    E = 1,
    G = 4,
    T = 10,
    W = REFERENCE_THIRD,
    DW = W + 6,
    DDW = DW + 18
};
_Static_assert(DDW + 36 == REFERENCE_QUADRUPOLE, "all values");
_Static_assert(REFERENCE_QUADRUPOLE == (int)REFERENCE_VALUES, "the most");

/* The axes of the six numbers of a symmetric tensor. */
static const int axis[6][2] = {{0, 0}, {0, 1}, {0, 2}, {1, 1}, {1, 2}, {2, 2}};

static double quadrupole_net(int64_t n, const double *q)
{
    long double sum = 0;
    for (int64_t i = 0; i < n; i++)
        sum += q[10 * i];
    return (double)sum;
}

static double quadrupole_square(const double *q)
{
    double sum = 0;
    for (int k = 0; k < 10; k++)
        sum += q[k] * q[k];
    return sum;
}

static void quadrupole_load(const double *q, double *c)
{
    memcpy(c, q, 10 * sizeof *c);
}

/* All values from the chain f_0 to f_5 at d. */
static void values(const double f[6], const double d[3], const double *q,
                   double *v)
{
    double t[CARTESIAN_ALL];
    cartesian_set(d, f, CARTESIAN_ORDER, t);
    cartesian_potential(t, q, 3, v);
    cartesian_strains(d, t, v, q, v + W);
    for (int a = 0; a < 3; a++) /* E = -grad phi */
        v[E + a] = -v[E + a];
}

/* (7.15): erfc(xi r)/r; xi = 0: 1/r. */
static void quadrupole_near(const struct reference_split *s, const double d[3],
                            double r2, const double *q, double *v)
{
    double r = sqrt(r2), xi = s->xi, x = xi * r, f[6];
    double more = M_2_SQRTPI * xi * exp(-x * x);
    f[0] = erfc(x) / r;
    for (int n = 0; n < 5; n++, more *= 2 * xi * xi)
        f[n + 1] = ((2 * n + 1) * f[n] + more) / r2;
    values(f, d, q, v);
}

/* (7.17): -erf(xi r)/r at r = 0 */
static void quadrupole_self(const struct reference_split *s, const double *q,
                            double *v)
{
    static const double d[3] = {0, 0, 0};
    double f[6], power = -M_2_SQRTPI * s->xi;
    for (int n = 0; n < 6; n++, power *= 2 * s->xi * s->xi)
        f[n] = power / (2 * n + 1);
    values(f, d, q, v);
}

/* v = i^turns m z. */
static void times(int turns, double m, const double z[2], double v[2])
{
    double sign = turns & 2 ? -m : m;
    v[0] = sign * (turns & 1 ? -z[1] : z[0]);
    v[1] = sign * (turns & 1 ? z[0] : z[1]);
}

/* (7.18) */
static void quadrupole_far(const struct reference_split *p, const double k[3],
                           double s[][2], double v[][2])
{
    double k2 = k[0] * k[0] + k[1] * k[1] + k[2] * k[2];
    double over = 1 / (4 * p->xi * p->xi);
    double g = 4 * M_PI * exp(-k2 * over) / k2, h = -2 * g * (1 / k2 + over);
    /* S = sum (q - i k.p - k.Q.k/2) e^{-ik.y} */
    double z[2] = {s[0][0], s[0][1]};
    for (int a = 0; a < 3; a++) {
        z[0] += k[a] * s[1 + a][1];
        z[1] -= k[a] * s[1 + a][0];
    }
    for (int i = 0; i < 6; i++) {
        int a = axis[i][0], b = axis[i][1];
        double part = (a == b ? 0.5 : 1) * k[a] * k[b];
        z[0] -= part * s[4 + i][0];
        z[1] -= part * s[4 + i][1];
    }
    times(0, g, z, v[PHI]);
    for (int a = 0, c = 0; a < 3; a++) {
        times(1, -g * k[a], z, v[E + a]);
        for (int b = a; b < 3; b++)
            for (int e = b; e < 3; e++, c++)
                times(3, g * k[a] * k[b] * k[e], z, v[T + c]);
    }
    for (int i = 0; i < 6; i++) {
        int a = axis[i][0], b = axis[i][1];
        double w = h * k[a] * k[b] + (a == b ? g : 0);
        times(2, g * k[a] * k[b], z, v[G + i]);
        times(0, w, z, v[W + i]);
        for (int c = 0; c < 3; c++)
            times(1, w * k[c], z, v[DW + 6 * c + i]);
        for (int c = 0; c < 6; c++)
            times(2, w * k[axis[c][0]] * k[axis[c][1]], z, v[DDW + 6 * c + i]);
    }
}

static void quadrupole_mean(const struct reference_split *p, double volume,
                            long double sum[][4], double mean[][4])
{
    reference_mean_moments(p, volume, sum, W, mean);
}

/* One or two periodic axes: a slab's normal n has the projection n n, a wire's
 * direction e 1 - e e; (7.22), (7.23), (7.24a). */
static void quadrupole_gauge(const struct reference_split *p,
                             const struct reference_open *o, const double *sum,
                             double *v)
{
    double along, phi = reference_gauge(p, o, &along), open[3][3];
    double bend = o->axes == 2 ? -4 * sqrt(M_PI) * p->xi / o->period
                               : -2 * p->xi * p->xi / o->period;
    for (int a = 0; a < 3; a++)
        for (int b = 0; b < 3; b++) {
            double tt = o->axis[a] * o->axis[b];
            open[a][b] = o->axes == 2 ? tt : (a == b) - tt;
        }
    memset(v, 0, REFERENCE_VALUES * sizeof *v);
    v[PHI] = phi * sum[0];
    for (int i = 0; i < 6; i++) {
        int a = axis[i][0], b = axis[i][1];
        v[G + i] = bend * open[a][b] * sum[0];
        v[W + i] = along * ((a == b) - open[a][b]) * sum[0];
        for (int k = 0; k < 6; k++) {
            int c = axis[k][0], e = axis[k][1];
            v[DDW + 6 * k + i] =
                bend * sum[0]
                * ((a == b) * open[c][e] - open[a][b] * open[c][e]
                   - open[a][c] * open[b][e] - open[a][e] * open[b][c]);
        }
    }
}

/* The field of charges in the same way as yukawa's; a quadrupole is two
 * derivatives more, and the third derivatives two more than the field.  The
 * cut at rc or at the largest k multiplies each by 2 s^2/u. */
static double derivatives(double s, double u)
{
    double two = pow(fmax(1, 2 * s * s / u), 2);
    return two * two;
}

static double quadrupole_random(double s, double u)
{
    return derivatives(s, u)
           * (2.9 / sqrt(u) + 1.4 * sqrt(u) / (s * s) + 0.64 / u);
}

static double quadrupole_aligned(double s, double u)
{
    return derivatives(s, u) * (7.1 * u / s + 3.6 * u * u / (s * s * s));
}

const struct reference_kind reference_charge_quadrupole = {
    .name = "charge_quadrupole",
    .strengths = 10,
    .channels = 10,
    .moments = 2,
    .values = REFERENCE_QUADRUPOLE,
    .load = quadrupole_load,
    .near = quadrupole_near,
    .self = quadrupole_self,
    .far = quadrupole_far,
    .mean = quadrupole_mean,
    .gauge = quadrupole_gauge,
    .net_channels = 1,
    .net = quadrupole_net,
    .square = quadrupole_square,
    .power = 1,
    .random = quadrupole_random,
    .aligned = quadrupole_aligned,
};
