/* SPDX-License-Identifier: Apache-2.0 */
/* math.c: splits, windows and fits against their definitions, integrated
 * independently. */
#include <string.h>

#include "check.h"
#include "math/pair.h"
#include "math/poly.h"
#include "math/prolate.h"
#include "math/window.h"

/* Simpson's rule, independent of the code under test. */
static double simpson(double (*f)(double x, const void *data), const void *data,
                      double low, double high, int steps)
{
    double h = (high - low) / (2 * steps), sum = f(low, data) + f(high, data);
    for (int i = 1; i < 2 * steps; i++)
        sum += (i % 2 ? 4 : 2) * f(low + i * h, data);
    return sum * h / 3;
}

struct wave {
    const struct split *split;
    const struct window *window;
    const double *a;
    int n;
    double k;
};

static double psi_wave(double t, const void *data)
{
    const struct wave *w = data;
    return prolate_value(w->a, w->n, t) * cos(w->k * t);
}

/* lambda psi(x) = integral of psi(t) cos(c x t) dt, math.md (2.5). */
static void prolate_is_its_own_transform(void)
{
    static const double cs[] = {1, 5, 12, 24, 40, 80};
    for (int i = 0; i < 6; i++) {
        double a[PROLATE_TERMS], c = cs[i];
        int n = prolate_series(c, a);
        struct wave w = {.a = a, .n = n, .k = 0};
        double norm = simpson(psi_wave, &w, -1, 1, 3000);
        CHECK_NEAR(norm, 2, 1e-12);
        double lambda = norm / prolate_value(a, n, 0);
        for (int j = 1; j <= 8; j++) {
            double x = j / 8.0;
            w.k = c * x;
            CHECK_NEAR(simpson(psi_wave, &w, -1, 1, 3000) / lambda
                           / prolate_value(a, n, 0),
                       prolate_value(a, n, x) / prolate_value(a, n, 0), 1e-12);
        }
        double h = 1e-5, x = 0.4, size = c * prolate_value(a, n, 0);
        CHECK_NEAR(prolate_slope(a, n, x),
                   (prolate_value(a, n, x + h) - prolate_value(a, n, x - h))
                       / (2 * h),
                   1e-8 * size * c * c);
        CHECK_NEAR(prolate_curvature(a, n, x),
                   (prolate_slope(a, n, x + h) - prolate_slope(a, n, x - h))
                       / (2 * h),
                   1e-8 * size * c * c * c);
        w.k = 0;
        CHECK_NEAR(prolate_integral(a, n, x), simpson(psi_wave, &w, 0, x, 400),
                   1e-12);
        CHECK_NEAR(prolate_integral(a, n, 1), 1, 1e-14);
    }
}

static double de_wave(double x, const void *data)
{
    const struct wave *w = data;
    return split_de(w->split, x) * cos(w->k * x);
}

static void splits_are_consistent(void)
{
    for (int s = 0; split_names[s]; s++)
        for (double c = 2; c < 60; c *= 1.7) {
            struct split split;
            CHECK_OK(split_set(&split, split_names[s], c));
            CHECK(strcmp(split_name(&split), split_names[s]) == 0, "name");
            double far = split.xi > 0 ? 12 / split.xi : 1, h = 1e-5;
            struct wave w = {.split = &split};
            CHECK_NEAR(split_e(&split, 0), 0, 1e-15);
            CHECK_NEAR(split_hat(&split, 0), 1, 1e-14);
            CHECK_NEAR(simpson(de_wave, &w, 0, far, 800), 1, 1e-12);
            for (double x = 0.1; x < 1; x += 0.2)
                CHECK_NEAR(split_de(&split, x),
                           (split_e(&split, x + h) - split_e(&split, x - h))
                               / (2 * h),
                           1e-8 * c * c);
            /* beyond the band too: the truncation is estimated from it */
            for (double k = 0.3; k < 1.5 * c + 4; k += c / 7) {
                w.k = k;
                CHECK_NEAR(split_hat(&split, k),
                           simpson(de_wave, &w, 0, far, 800), 1e-12);
                CHECK_NEAR(split_dhat(&split, k),
                           (split_hat(&split, k + h) - split_hat(&split, k - h))
                               / (2 * h),
                           1e-9);
            }
            CHECK_NEAR(split_curvature(&split),
                       (split_hat(&split, 1e-3 * c) - 1) / (1e-6 * c * c),
                       1e-5);
        }
    struct split split;
    CHECK_FAILS(split_set(&split, "prolte", 10), FARSUM_ERR_UNKNOWN);
    CHECK_SAYS("did you mean prolate?");
    CHECK_FAILS(split_set(&split, "prolate", 0.5), FARSUM_ERR_ARGUMENT);
    CHECK_FAILS(split_set(&split, "prolate", NAN), FARSUM_ERR_ARGUMENT);
    CHECK_FAILS(split_set(&split, "gaussian", 1e3), FARSUM_ERR_ARGUMENT);
}

static void near_polynomials(void)
{
    for (int s = 0; split_names[s]; s++)
        for (double c = 4; c < 40; c *= 1.5) {
            struct split split;
            struct near_poly poly;
            int before = 0;
            CHECK_OK(split_set(&split, split_names[s], c));
            for (double wanted = 1e-3; wanted > 1e-13; wanted *= 1e-3) {
                double worst = 0;
                CHECK_OK(pair_near_poly(pair_rows, &split, wanted, &poly));
                CHECK(poly.error <= wanted, "error %g, not %g", poly.error,
                      wanted);
                CHECK(poly.n >= before, "fewer terms for more digits");
                before = poly.n;
                for (double x = 0.2; x <= 1; x += 0.001) {
                    double v = 2 * x * x - 1, e = split_e(&split, x);
                    double g = (e / x - split_de(&split, x)) / (x * x);
                    worst = fmax(worst, x * fabs(poly_eval(poly.g, poly.n, v)
                                                 - g));
                    CHECK(fabs(poly_eval(poly.p, poly.n, v) - e / x) < wanted,
                          "P at %g", x);
                }
                CHECK(worst < 1.5 * wanted, "%s c=%g: error of G is %.3g, "
                      "%.3g was wanted", split_names[s], c, worst, wanted);
            }
            CHECK_FAILS(pair_near_poly(pair_rows, &split, 1e-22, &poly),
                        FARSUM_ERR_TOLERANCE);
        }
}

static double cubic(double v, const void *data)
{
    (void)data;
    return 2 - v + 3 * v * v - 0.5 * v * v * v;
}

static void fits_and_quadrature(void)
{
    double c[6], d[6];
    poly_fit(cubic, NULL, 6, c);
    static const double exact[] = {2, -1, 3, -0.5, 0, 0};
    for (int k = 0; k < 6; k++)
        CHECK_NEAR(c[k], exact[k], 1e-14);
    poly_derivative(c, 6, d);
    CHECK_NEAR(poly_eval(d, 6, 0.3), -1 + 6 * 0.3 - 1.5 * 0.09, 1e-13);
    for (int n = 2; n <= GAUSS_MAX; n++) {
        const double *x, *w;
        poly_gauss(n, &x, &w);
        for (int power = 0; power < 2 * n; power++) {
            double sum = 0;
            for (int i = 0; i < n; i++)
                sum += w[i] * pow(x[i], power);
            CHECK(fabs(sum - (power % 2 ? 0 : 2.0 / (power + 1))) < 1e-14,
                  "%d nodes, power %d: off by %g", n, power,
                  sum - (power % 2 ? 0 : 2.0 / (power + 1)));
        }
    }
}

/* w(u) from the pieces of the table, math.md (4.1) and (4.2). */
static double piece(const struct window *w, double u, double *slope)
{
    double at = u + w->support / 2.0;
    int j = (int)floor(at);
    double f = at - j, t = 2 * f - 1, s = 0, ds = 0;
    if (j < 0 || j >= w->support)
        return 0;
    for (int d = w->degree; d >= 0; d--) {
        ds = ds * t + s;
        s = s * t + w->coef[d][j];
    }
    if (slope)
        *slope = 2 * ds;
    return s;
}

static double i0(double x)
{
    double term = 1, sum = 1;
    for (int k = 1; k < 200; k++) {
        term *= x * x / (4.0 * k * k);
        sum += term;
    }
    return sum;
}

/* The definition of the named window; NAN: there is none here. */
static double define(const struct window *w, double u)
{
    double z = 2 * u / w->support, b = w->shape, root = sqrt(1 - z * z);
    const char *name = window_name(w);
    if (strcmp(name, "kaiser_bessel") == 0)
        return i0(b * root) / i0(b);
    if (strcmp(name, "es") == 0)
        return exp(b * (root - 1));
    if (strcmp(name, "gaussian") == 0)
        return exp(-b * z * z);
    if (strcmp(name, "prolate") == 0) {
        double a[PROLATE_TERMS];
        int n = prolate_series(b, a);
        return prolate_value(a, n, z) / prolate_value(a, n, 0);
    }
    return NAN;
}

/* The order of the pieces: piece j belongs to mesh point m0 + j, whose distance
 * from the particle is u_m - u = j - P/2 + f; a window is even. */
static void windows_are_their_definitions(void)
{
    for (int k = 0; window_names[k]; k++)
        for (int p = WINDOW_MIN; p <= WINDOW_MAX; p++) {
            struct window w;
            double worst = 0, bend = 0, h = 1e-6;
            CHECK_OK(window_set(&w, window_names[k], p, 0, 1.5, 1e-9));
            CHECK(strcmp(window_name(&w), window_names[k]) == 0, "name");
            int bspline = strcmp(window_names[k], "bspline") == 0;
            for (double u = -p / 2.0 + 0.003; u < p / 2.0; u += 0.0171) {
                double slope = 0, v = piece(&w, u, &slope), unused;
                if (fabs(u + p / 2.0 - nearbyint(u + p / 2.0)) < 2 * h)
                    continue;
                worst = fmax(worst, bspline ? fabs(v - piece(&w, -u, NULL))
                                            : fabs(v - define(&w, u)));
                double numeric = (piece(&w, u + h, &unused)
                                  - piece(&w, u - h, &unused)) / (2 * h);
                bend = fmax(bend, fabs(slope - numeric));
            }
            CHECK(worst < fmax(4 * w.fit_error, 1e-13), "%s P=%d: off by %.3g, "
                  "the fit has %.3g", window_names[k], p, worst, w.fit_error);
            CHECK(bend < 1e-7, "%s P=%d: slope off by %.3g", window_names[k], p,
                  bend);
            for (double f = 0; bspline && f < 1; f += 0.1) {
                double sum = 0; /* partition of unity */
                for (int j = 0; j < p; j++)
                    sum += piece(&w, j - p / 2.0 + f + 1e-12, NULL);
                CHECK_NEAR(sum, 1, 1e-8);
            }
        }
}

/* u = P/2 sin(phi): es and kaiser_bessel behave like a square root of u at
 * their ends. */
static double window_wave(double phi, const void *data)
{
    const struct wave *w = data;
    double half = w->window->support / 2.0, u = half * sin(phi);
    return define(w->window, u) * cos(w->k * u) * half * cos(phi);
}

static void window_transforms(void)
{
    for (int k = 0; window_names[k]; k++)
        for (int p = WINDOW_MIN; p <= WINDOW_MAX; p += 3) {
            struct window w;
            CHECK_OK(window_set(&w, window_names[k], p, 0, 1.3, 0));
            struct wave wave = {.window = &w};
            /* if a window ends with a jump, its aliases are far larger than the
             * error of a quadrature in u */
            double last = define(&w, 0.9999 * p / 2);
            double edge = 1e-12 + (isnan(last) ? 0 : 1e-3 * fabs(last));
            for (double theta = 0; theta < 9; theta += 0.7) {
                wave.k = theta;
                double exact = isnan(define(&w, 0))
                                   ? (theta == 0 ? 1 : pow(sin(theta / 2)
                                                           / (theta / 2), p))
                                   : simpson(window_wave, &wave, -M_PI / 2,
                                             M_PI / 2, 500);
                CHECK(fabs(window_hat(&w, theta) - exact) < edge,
                      "%s P=%d theta=%g: %.12g, not %.12g", window_names[k], p,
                      theta, window_hat(&w, theta), exact);
            }
        }
}

static void windows_refuse(void)
{
    struct window w;
    CHECK_FAILS(window_set(&w, "prolate", 1, 0, 1, 0), FARSUM_ERR_ARGUMENT);
    CHECK_FAILS(window_set(&w, "prolate", 17, 0, 1, 0), FARSUM_ERR_ARGUMENT);
    CHECK_FAILS(window_set(&w, "prolate", 6, -1, 1, 0), FARSUM_ERR_ARGUMENT);
    CHECK_FAILS(window_set(&w, "prolate", 6, NAN, 1, 0), FARSUM_ERR_ARGUMENT);
    CHECK_FAILS(window_set(&w, "kaiser", 6, 0, 1, 0), FARSUM_ERR_UNKNOWN);
    CHECK_SAYS("kaiser_bessel");
}

int main(void)
{
    RUN(prolate_is_its_own_transform);
    RUN(splits_are_consistent);
    RUN(near_polynomials);
    RUN(fits_and_quadrature);
    RUN(windows_are_their_definitions);
    RUN(window_transforms);
    RUN(windows_refuse);
    return check_end();
}
