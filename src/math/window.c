/* SPDX-License-Identifier: Apache-2.0 */
/* window.c: the windows: their table, pieces and transforms. */
#include "math/window.h"

#include <math.h>
#include <string.h>

#include "base/text.h"
#include "math/poly.h"
#include "math/prolate.h"

enum { STRETCH = WINDOW_QUAD / (WINDOW_MAX / 2) }; /* nodes between knots */

struct window_kind {
    const char *name;
    /* w at z = 2u/P in [-1, 1] with shape b; a: Legendre series or NULL */
    double (*value)(const double *a, int terms, int support, double b,
                    double z);
    double usual; /* shape = usual * pi P (1 - 1/(2 sigma)); 0: none */
};

static double window_prolate(const double *a, int terms, int support, double b,
                             double z)
{
    (void)support;
    (void)b;
    return prolate_value(a, terms, z);
}

static double bessel_i0(double x)
{
    /* sum ((x/2)^k / k!)^2: all terms positive */
    double term = 1, sum = 1;
    for (int k = 1; term > 1e-18 * sum; k++) {
        term *= x / (2 * k) * (x / (2 * k));
        sum += term;
    }
    return sum;
}

static double window_kb(const double *a, int terms, int support, double b,
                        double z)
{
    (void)a, (void)terms, (void)support;
    return bessel_i0(b * sqrt(fmax(0, 1 - z * z))) / bessel_i0(b);
}

static double window_es(const double *a, int terms, int support, double b,
                        double z)
{
    (void)a, (void)terms, (void)support;
    return exp(b * (sqrt(fmax(0, 1 - z * z)) - 1));
}

static double window_gaussian(const double *a, int terms, int support, double b,
                              double z)
{
    (void)a, (void)terms, (void)support;
    return exp(-b * z * z);
}

/* Cardinal B-spline of order P (degree P - 1) by Cox and de Boor on integer
 * knots, centred. */
static double window_bspline(const double *a, int terms, int support, double b,
                             double z)
{
    (void)a, (void)terms, (void)b;
    double u = support * (z + 1) / 2, m[WINDOW_MAX + 1];
    for (int i = 0; i < support; i++)
        m[i] = u - i >= 0 && u - i < 1;
    for (int n = 2; n <= support; n++)
        for (int i = 0; i + n <= support; i++) {
            double x = u - i;
            m[i] = (x * m[i] + (n - x) * (i + 1 < support ? m[i + 1] : 0))
                   / (n - 1);
        }
    return m[0];
}

static const struct window_kind kinds[] = {
    {"prolate", window_prolate, 1.1},
    {"kaiser_bessel", window_kb, 1.1},
    {"es", window_es, 1.05},
    {"bspline", window_bspline, 0},
    {"gaussian", window_gaussian, 0.55},
};

const char *const window_names[] = {"prolate", "kaiser_bessel", "es",
                                    "bspline", "gaussian", NULL};

/* Data for the fit of one piece. */
struct piece {
    const struct window *window;
    const double *a;
    int terms, j;
};

static double window_value(const struct piece *p, double u)
{
    const struct window *w = p->window;
    double z = 2 * u / w->support;
    return fabs(z) > 1 ? 0
                       : w->kind->value(p->a, p->terms, w->support, w->shape,
                                        z)
                             / w->top;
}

static double piece_value(double t, const void *data)
{
    const struct piece *p = data;
    return window_value(p, (t + 1) / 2 + p->j - p->window->support / 2.0);
}

/* Fits all pieces with one degree, the lowest whose error is below
 * fit_error. */
static farsum_status window_fit(struct window *w, struct piece *p,
                                double fit_error)
{
    enum { PROBES = 24 };
    for (w->degree = 2; w->degree <= WINDOW_DEGREE; w->degree++) {
        double worst = 0;
        memset(w->coef, 0, sizeof w->coef);
        for (p->j = 0; p->j < w->support; p->j++) {
            double c[POLY_MAX];
            poly_fit(piece_value, p, w->degree + 1, c);
            for (int i = 0; i <= PROBES; i++) {
                double t = 2.0 * i / PROBES - 1;
                /* the last piece ends where w may jump to 0 */
                if (t == 1 || t == -1)
                    t *= 1 - 1e-9;
                double off = poly_eval(c, w->degree + 1, t) - piece_value(t, p);
                worst = fmax(worst, fabs(off));
            }
            for (int d = 0; d <= w->degree; d++)
                w->coef[d][p->j] = c[d];
        }
        w->fit_error = worst;
        if (worst <= fit_error)
            return FARSUM_OK;
    }
    w->degree = WINDOW_DEGREE;
    return FARSUM_OK; /* fit_error holds the error reached */
}

/* Gauss-Legendre rules on the intervals between the knots of half the window.
 * For odd support, the middle interval contributes the half that lies there. */
static void window_quadrature(struct window *w, const struct piece *p)
{
    const double *x, *weight;
    double left = w->support % 2 ? -0.5 : 0;
    poly_gauss(STRETCH, &x, &weight);
    w->edge = window_value(p, w->support / 2.0);
    w->n_quad = 0;
    for (; left < w->support / 2.0; left += 1)
        for (int i = left < 0 ? STRETCH / 2 : 0; i < STRETCH; i++) {
            double u = left + (1 + x[i]) / 2;
            w->node[w->n_quad] = u;
            w->value[w->n_quad++] = weight[i] * window_value(p, u);
        }
}

const struct window_kind *window_kind_of(const char *name)
{
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (strcmp(kinds[i].name, name) == 0)
            return &kinds[i];
    return NULL;
}

farsum_status window_set(struct window *window, const char *name, int support,
                         double shape, double sigma, double fit_error)
{
    if (support < WINDOW_MIN || support > WINDOW_MAX)
        FAIL(ERR_ARGUMENT, "window support %d is not in %d .. %d", support,
             WINDOW_MIN, WINDOW_MAX);
    if (shape < 0 || shape > 90 || !isfinite(shape))
        FAIL(ERR_ARGUMENT, "window shape %g is not in 0 .. 90", shape);
    const struct window_kind *kind = window_kind_of(name);
    if (!kind)
        return text_unknown("window", name, window_names);
    double a[PROLATE_TERMS];
    struct piece p = {window, a, 0, 0};
    window->kind = kind;
    window->support = support;
    window->shape = shape > 0
                        ? shape
                        : kind->usual * M_PI * support * (1 - 1 / (2 * sigma));
    window->top = 1;
    if (kind->value == window_prolate) {
        p.terms = prolate_series(window->shape, a);
        window->top = prolate_value(a, p.terms, 0);
    }
    window_quadrature(window, &p);
    return fit_error > 0 ? window_fit(window, &p, fit_error) : FARSUM_OK;
}

double window_square(const struct window *window)
{
    const double *x, *weight;
    double sum = 0;
    int odd = window->support % 2 ? STRETCH / 2 : 0;
    poly_gauss(STRETCH, &x, &weight);
    for (int k = 0; k < window->n_quad; k++)
        sum +=
            window->value[k] * window->value[k] / weight[(k + odd) % STRETCH];
    return sum;
}

const char *window_name(const struct window *window)
{
    return window->kind->name;
}

double window_hat(const struct window *window, double theta)
{
    double s = 0;
    if (window->kind->value == window_bspline) {
        double h = theta / 2;
        return fabs(h) < 1e-9 ? 1 : pow(sin(h) / h, window->support);
    }
    for (int i = 0; i < window->n_quad; i++)
        s += window->value[i] * cos(theta * window->node[i]);
    return s;
}

int window_reach(const struct window *window)
{
    return window->kind->value == window_bspline ? 4 : 3;
}
