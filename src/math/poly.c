/* SPDX-License-Identifier: Apache-2.0 */
/* poly.c: Chebyshev fits and Gauss-Legendre quadrature.  Uses long double where
 * digits would be lost. */
#include "math/poly.h"

#include <math.h>
#include <stdatomic.h>

#include "base/fork.h"

static const long double pi = 3.14159265358979323846264338327950288L;

void poly_fit(double (*f)(double v, const void *data), const void *data, int n,
              double *coef)
{
    long double value[POLY_MAX], cheb[POLY_MAX], turn[4 * POLY_MAX];
    long double prev[POLY_MAX] = {0}, here[POLY_MAX] = {0}, sum[POLY_MAX] = {0};
    for (int m = 0; m <= n; m++) { /* cos(pi m/2n) around the full circle */
        turn[m] = m < n ? cosl(pi * m / (2 * n)) : 0;
        turn[2 * n - m] = -turn[m];
    }
    for (int m = 1; m < 2 * n; m++)
        turn[2 * n + m] = turn[2 * n - m];
    for (int i = 0; i < n; i++)
        value[i] = f((double)turn[2 * i + 1], data);
    for (int k = 0; k < n; k++) {
        long double s = 0;
        for (int i = 0; i < n; i++)
            s += value[i] * turn[k * (2 * i + 1) % (4 * n)];
        cheb[k] = (k ? 2 : 1) * s / n;
    }
    /* T_0 = 1, T_1 = v, T_{k+1} = 2 v T_k - T_{k-1} */
    here[0] = 1;
    for (int k = 0; k < n; k++) {
        for (int i = 0; i <= k; i++)
            sum[i] += cheb[k] * here[i];
        long double next[POLY_MAX] = {0};
        for (int i = 0; i <= k && i + 1 < n; i++)
            next[i + 1] = (k ? 2 : 1) * here[i];
        for (int i = 0; i < n; i++) {
            next[i] -= k ? prev[i] : 0;
            prev[i] = here[i];
            here[i] = next[i];
        }
    }
    for (int i = 0; i < n; i++)
        coef[i] = (double)sum[i];
}

double poly_eval(const double *coef, int n, double v)
{
    double s = 0;
    for (int k = n - 1; k >= 0; k--)
        s = s * v + coef[k];
    return s;
}

void poly_derivative(const double *coef, int n, double *deriv)
{
    for (int k = 0; k + 1 < n; k++)
        deriv[k] = (k + 1) * coef[k + 1];
    deriv[n - 1] = 0;
}

/* Computes one rule by Newton's method from Tricomi's initial guess. */
static void gauss_rule(int n, double *node, double *weight)
{
    for (int i = 0; i < n; i++) {
        long double x = cosl(pi * (i + 0.75L) / (n + 0.5L)), slope = 1;
        for (int step = 0; step < 100; step++) {
            long double p0 = 1, p1 = x;
            for (int k = 2; k <= n; k++) {
                long double p2 = ((2 * k - 1) * x * p1 - (k - 1) * p0) / k;
                p0 = p1;
                p1 = p2;
            }
            slope = n * (x * p1 - p0) / (x * x - 1);
            long double dx = p1 / slope;
            x -= dx;
            if (fabsl(dx) < 1e-18L)
                break;
        }
        node[i] = (double)x;
        weight[i] = (double)(2 / ((1 - x * x) * slope * slope));
    }
}

/* The rules up to GAUSS_MAX nodes.  Each is computed at first use and constant
 * afterwards. */
static double nodes[GAUSS_MAX + 1][GAUSS_MAX];
static double weights[GAUSS_MAX + 1][GAUSS_MAX];
static atomic_int made[GAUSS_MAX + 1];
static struct fork_lock making = FORK_LOCK;

void poly_gauss(int n, const double **node, const double **weight)
{
    if (!atomic_load_explicit(&made[n], memory_order_acquire)) {
        fork_lock(&making);
        if (!atomic_load(&made[n]))
            gauss_rule(n, nodes[n], weights[n]);
        atomic_store_explicit(&made[n], 1, memory_order_release);
        fork_unlock(&making);
    }
    *node = nodes[n];
    *weight = weights[n];
}

double poly_integral(double (*f)(double t, const void *data), const void *data,
                     double a, double b)
{
    enum { NODES = 24, STRETCHES = 3 };
    const double *x, *w;
    double half = (b - a) / (2 * STRETCHES), sum = 0;
    poly_gauss(NODES, &x, &w);
    for (int s = 0; s < STRETCHES; s++)
        for (int i = 0; i < NODES; i++)
            sum += w[i] * half * f(a + (2 * s + 1 + x[i]) * half, data);
    return sum;
}
