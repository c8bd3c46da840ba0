/* SPDX-License-Identifier: Apache-2.0 */
/* prolate.c: the Legendre series of psi, math.md (2.6)-(2.9). */
#include "math/prolate.h"

#include <math.h>

/* Pivots of A - shift, A tridiagonal and symmetric. */
static void prolate_pivots(const long double *diag, const long double *off,
                           long double shift, long double *pivot, int n)
{
    pivot[0] = 1 / (diag[0] - shift);
    for (int j = 1; j < n; j++) {
        long double m = off[j - 1] * pivot[j - 1];
        pivot[j] = 1 / (diag[j] - shift - m * off[j - 1]);
    }
}

/* x := (A - shift)^-1 x, normalised. */
static void prolate_step(const long double *off, const long double *pivot,
                         long double *x, int n)
{
    long double norm = 0;
    for (int j = 1; j < n; j++)
        x[j] -= off[j - 1] * pivot[j - 1] * x[j - 1];
    x[n - 1] *= pivot[n - 1];
    for (int j = n - 2; j >= 0; j--)
        x[j] = (x[j] - off[j] * x[j + 1]) * pivot[j];
    for (int j = 0; j < n; j++)
        norm += x[j] * x[j];
    norm = 1 / sqrtl(norm);
    for (int j = 0; j < n; j++)
        x[j] *= norm;
}

/* Returns x^T A x for a normalised x, slightly reduced, so that A - shift is
 * never singular. */
static long double prolate_rayleigh(const long double *diag,
                                    const long double *off,
                                    const long double *x, int n)
{
    long double sum = 0;
    for (int j = 0; j < n; j++)
        sum += x[j] * (diag[j] * x[j]
                       + (j + 1 < n ? 2 * off[j] * x[j + 1] : 0));
    return sum * (1 - 1e-12L);
}

/* Inverse iteration on the symmetric tridiagonal matrix of (2.7) in normalised
 * even Legendre polynomials; its lowest eigenvector is psi. */
int prolate_series(double c, double a[PROLATE_TERMS])
{
    long double diag[PROLATE_TERMS] = {0}, off[PROLATE_TERMS] = {0};
    long double x[PROLATE_TERMS], pivot[PROLATE_TERMS];
    long double c2 = (long double)c * c;
    /* coefficients fall faster than any power once 2k > c */
    int n = (int)c + 40 < PROLATE_TERMS ? (int)c + 40 : PROLATE_TERMS;
    for (int j = 0; j < n; j++) {
        long double k = 2 * j;
        diag[j] = k * (k + 1)
                  + c2 * (2 * k * (k + 1) - 1) / ((2 * k + 3) * (2 * k - 1));
        off[j] = c2 * (k + 2) * (k + 1)
                 / ((2 * k + 3) * sqrtl((2 * k + 1) * (2 * k + 5)));
        x[j] = j == 0;
    }
    /* All eigenvalues are positive (chi > 0) and the lowest is about c.  So
     * plain inverse iteration converges as (chi_0/chi_2)^m, with a ratio near
     * 1/5.  Afterwards each step with Rayleigh's shift cubes the remaining
     * error. */
    prolate_pivots(diag, off, 0, pivot, n);
    for (int step = 0; step < 10; step++) {
        if (step >= 8)
            prolate_pivots(diag, off, prolate_rayleigh(diag, off, x, n), pivot,
                           n);
        prolate_step(off, pivot, x, n);
    }
    int used = 1;
    for (int j = n; j < PROLATE_TERMS; j++)
        a[j] = 0;
    for (int j = 0; j < n; j++) {
        a[j] = (double)(x[j] * sqrtl(4 * j + 1) / x[0]);
        if (fabs(a[j]) > 1e-20)
            used = j + 1;
    }
    return used;
}

/* Returns the sum over k of a[k] times the recurrence's term of degree 2k.
 * what = 0: value, 1: slope, 2: second derivative. */
static double prolate_sum(const double *a, int n, double x, int what)
{
    long double p0 = 1, p1 = x, d0 = 0, d1 = 1, e0 = 0, e1 = 0;
    long double s = what == 0 ? a[0] : 0;
    for (int k = 2; k < 2 * n; k++) {
        /* P' and P'' by P'_k = P'_{k-2} + (2k-1) P_{k-1} and its derivative */
        long double p2 = ((2 * k - 1) * x * p1 - (k - 1) * p0) / k;
        long double d2 = d0 + (2 * k - 1) * p1;
        long double e2 = e0 + (2 * k - 1) * d1;
        p0 = p1, p1 = p2, d0 = d1, d1 = d2, e0 = e1, e1 = e2;
        if (k % 2 == 0)
            s += a[k / 2] * (what == 0 ? p2 : what == 1 ? d2 : e2);
    }
    return (double)s;
}

/* (2k + 1)/(k + 1) and (k + 1)/(k + 2), tabulated because divisions took most
 * of a plan's time. */
#define STEP(k) {(2.0L * (k) + 1) / ((k) + 1), ((k) + 1.0L) / ((k) + 2)},
#define STEPS_4(k) STEP(k) STEP((k) + 1) STEP((k) + 2) STEP((k) + 3)
#define STEPS_16(k)                                                            \
    STEPS_4(k) STEPS_4((k) + 4) STEPS_4((k) + 8) STEPS_4((k) + 12)
#define STEPS_64(k)                                                            \
    STEPS_16(k) STEPS_16((k) + 16) STEPS_16((k) + 32) STEPS_16((k) + 48)
static const long double prolate_steps[2 * PROLATE_TERMS][2] = {
    STEPS_64(0) STEPS_64(64) STEPS_64(128) STEPS_64(192) STEPS_64(256)};

double prolate_value(const double *a, int n, double x)
{
    /* Clenshaw over all degrees, the odd ones with coefficient 0 */
    long double b1 = 0, b2 = 0;
    if (x == 0) { /* b1 stays 0 */
        for (int k = 2 * n - 2; k >= 2; k -= 2)
            b2 = a[k / 2] - prolate_steps[k][1] * b2;
        return (double)(a[0] - 0.5L * b2);
    }
    for (int k = 2 * n - 2; k >= 2; k -= 2) {
        const long double *even = prolate_steps[k], *odd = prolate_steps[k - 1];
        b2 = a[k / 2] + even[0] * x * b1 - even[1] * b2;
        b1 = odd[0] * x * b2 - odd[1] * b1;
    }
    return (double)(a[0] + x * b1 - 0.5L * b2);
}

double prolate_slope(const double *a, int n, double x)
{
    return prolate_sum(a, n, x, 1);
}

double prolate_curvature(const double *a, int n, double x)
{
    return prolate_sum(a, n, x, 2);
}

double prolate_integral(const double *a, int n, double x)
{
    /* integral of P_k from 0 = (P_{k+1} - P_{k-1})/(2k+1) for even k > 0 */
    long double p0 = 1, p1 = x, s = a[0] * (long double)x;
    for (int k = 2; k <= 2 * n; k++) {
        long double p2 = ((2 * k - 1) * x * p1 - (k - 1) * p0) / k;
        if (k % 2 == 1)
            s += a[(k - 1) / 2] * (p2 - p0) / (2 * k - 1);
        p0 = p1;
        p1 = p2;
    }
    return (double)s;
}

enum { BESSEL_MAX = 2 * PROLATE_TERMS + 2 };

/* Spherical Bessel functions j_0 .. j_m of x > 0 by Miller's downward
 * recurrence, scaled by sum (2k+1) j_k^2 = 1 (no zero of j_0 in the way). */
static void prolate_bessel(double x, int m, long double *j)
{
    int start = m + 20 > (int)x + 60 ? m + 20 : (int)x + 60;
    long double above = 0, here = 1e-150L, norm = 0, over = 1 / (long double)x;
    for (int k = start; k >= 0; k--) {
        if (k <= m)
            j[k] = here;
        norm += (2 * k + 1) * here * here;
        long double below = (2 * k + 1) * over * here - above;
        above = here;
        here = below;
        if (fabsl(here) > 1e100L) { /* so that its square fits a double too */
            long double s = 1e-100L;
            here *= s, above *= s, norm *= s * s;
            for (int i = k; i <= m; i++)
                j[i] *= s;
        }
    }
    /* `above` is j_0 unscaled; its sign is that of sin(x)/x, or j_1's */
    long double scale = 1 / sqrtl(norm);
    long double j0 = sinl(x) / x, j1 = j0 / x - cosl(x) / x;
    if (fabsl(j0) > fabsl(j1) ? j0 * j[0] < 0 : j1 * j[1] < 0)
        scale = -scale;
    for (int k = 0; k <= m; k++)
        j[k] *= scale;
}

/* 1/2 integral P_2k(t) cos(omega t) dt = (-1)^k j_2k(omega), (2.9) */
double prolate_hat(const double *a, int n, double omega)
{
    omega = fabs(omega);
    if (omega < 1e-8)
        return a[0];
    long double j[BESSEL_MAX], s = 0;
    prolate_bessel(omega, 2 * n, j);
    for (int k = n - 1; k >= 0; k--)
        s += (k % 2 ? -1 : 1) * a[k] * j[2 * k];
    return (double)s;
}

/* (2k+1) j_k' = k j_{k-1} - (k+1) j_{k+1} */
double prolate_hat_slope(const double *a, int n, double omega)
{
    double sign = omega < 0 ? -1 : 1;
    omega = fabs(omega);
    if (omega < 1e-8)
        return 0;
    long double j[BESSEL_MAX], s = 0;
    prolate_bessel(omega, 2 * n, j);
    for (int k = n - 1; k >= 0; k--) {
        int d = 2 * k;
        long double below = d ? d * j[d - 1] : 0;
        s += (k % 2 ? -1 : 1) * a[k] * (below - (d + 1) * j[d + 1])
             / (2 * d + 1);
    }
    return sign * (double)s;
}
