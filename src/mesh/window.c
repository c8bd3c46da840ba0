/* SPDX-License-Identifier: Apache-2.0 */
/* window.c: choice of a window for a tolerance, by the aliases of its own
 * transform (docs/math.md section 8). */
#include <float.h>
#include <math.h>
#include <string.h>

#include "math/poly.h"
#include "mesh/mesh.h"

/* Fraction of the tolerance allowed for aliases.  The rest covers deviations
 * from the mean over points, fits, and rounding. */
#define ALIAS_SHARE 0.6

double mesh_shape(int support, double sigma)
{
    return M_PI * support * (1 - 1 / (2 * sigma)) - 0.05;
}

double mesh_least(farsum_precision precision)
{
    return precision == FARSUM_F32 ? 3e-6 : 1e-14;
}

/* The aliases theta + 2 pi m, |m| = 1 .. REACH, of one window.  Its quadrature
 * is accurate for |theta| <= 9 pi.  Beyond, only the jump at the window's edge
 * contributes. */
enum { REACH = 4 };
struct aliases {
    const struct window *window;
    double even[REACH + 1][WINDOW_QUAD]; /* value cos(2 pi m u) */
    double odd[REACH + 1][WINDOW_QUAD];  /* value sin(2 pi m u) */
    double tail;                         /* sum of squares of the aliases beyond
                                            REACH */
};

static void aliases_set(struct aliases *a, const struct window *w)
{
    double squares = M_PI * M_PI / 6; /* sum of 1/m^2, m > REACH */
    a->window = w;
    for (int m = 0; m <= REACH; m++) {
        squares -= m > 0 ? 1.0 / (m * m) : 0;
        for (int i = 0; i < w->n_quad; i++) {
            a->even[m][i] = w->value[i] * cos(2 * M_PI * m * w->node[i]);
            a->odd[m][i] = w->value[i] * sin(2 * M_PI * m * w->node[i]);
        }
    }
    /* (2 edge sin(theta P/2)/theta)^2, its mean, on both sides */
    a->tail = 4 * w->edge * w->edge * squares / (4 * M_PI * M_PI);
}

/* The aliases of the mode at theta, squared, over the mode: (8.1). */
static double alias(const struct aliases *a, double theta)
{
    const struct window *w = a->window;
    double even[REACH + 1] = {0}, odd[REACH + 1] = {0}, sum = a->tail;
    for (int i = 0; i < w->n_quad; i++) {
        double c = cos(theta * w->node[i]), s = sin(theta * w->node[i]);
        for (int m = 0; m <= REACH; m++) {
            even[m] += a->even[m][i] * c;
            odd[m] += a->odd[m][i] * s;
        }
    }
    for (int m = 1; m <= REACH; m++) /* both signs of m */
        sum += 2 * (even[m] * even[m] + odd[m] * odd[m]);
    return sum / (even[0] * even[0]);
}

/* The mean of that over an axis' modes: (8.2).  It rises steeply at the band's
 * edge, where a mode of an even count has no counterpart. */
static double axis_alias(const struct aliases *a, const struct mesh_band *band)
{
    enum { NODES = 8, FEW = 32 };
    double sum = 0, N = (double)band->modes;
    if (band->modes > 0 && band->modes <= FEW) {
        for (int64_t k = 0; k <= band->modes / 2; k++) {
            int twin = k > 0 && 2 * k < band->modes;
            sum += (1 + twin) * alias(a, (double)k * band->step);
        }
        return sum / N;
    }
    double half = band->modes > 0 ? (double)(band->modes / 2) : 1;
    double edge = half * band->step, inner = 0.85 * edge;
    const double *x, *weight;
    poly_gauss(NODES, &x, &weight);
    for (int i = 0; i < NODES; i++) {
        double t = (x[i] + 1) / 2, w = weight[i] / 2;
        sum += w * 0.85 * alias(a, inner * t);
        sum += w * 0.15 * alias(a, inner + (edge - inner) * t);
    }
    /* a sum over modes is the integral plus at most half of each end */
    return band->modes == 0 ? sum : (2 * half * sum + alias(a, edge)) / N;
}

/* The relative error of a transform with this window: (8.3). */
static double window_error(const struct window *w,
                           const struct mesh_band band[3])
{
    double sum = 0, last = 0;
    struct aliases a;
    aliases_set(&a, w);
    for (int d = 0; d < 3; d++) {
        int same = d > 0 && band[d].modes == band[d - 1].modes
                   && band[d].step == band[d - 1].step;
        last = same ? last : axis_alias(&a, &band[d]);
        sum += last;
    }
    return sqrt(sum);
}

/* Sets the shape of a prolate window with the smallest error, by golden-section
 * search around the usual one.  Returns that error, or that of the usual shape
 * if it is hopeless. */
static farsum_status best_shape(struct window *w, int support, double sigma,
                                const struct mesh_band band[3],
                                double tolerance, double *shape, double *error)
{
    enum { STEPS = 5 };
    const double g = (sqrt(5) - 1) / 2, usual = mesh_shape(support, sigma);
    double lo = 0.88 * usual, hi = 1.1 * usual;
    *shape = usual;
    TRY(window_set(w, "prolate", support, usual, sigma, 0));
    *error = window_error(w, band);
    if (*error > 5 * tolerance || *error < 0.1 * tolerance)
        return FARSUM_OK;
    double x[2] = {hi - g * (hi - lo), lo + g * (hi - lo)}, e[2];
    for (int i = 0; i < 2; i++) {
        TRY(window_set(w, "prolate", support, x[i], sigma, 0));
        e[i] = window_error(w, band);
    }
    for (int step = 0; step < STEPS; step++) {
        int i = e[0] > e[1]; /* the interval end that becomes an inner point */
        if (e[i] < *error) {
            *error = e[i];
            *shape = x[i];
        }
        *(i ? &lo : &hi) = x[!i];
        x[!i] = x[i];
        e[!i] = e[i];
        x[i] = i ? lo + g * (hi - lo) : hi - g * (hi - lo);
        TRY(window_set(w, "prolate", support, x[i], sigma, 0));
        e[i] = window_error(w, band);
    }
    return FARSUM_OK;
}

/* Chooses the smallest sufficient support. */
static farsum_status by_tolerance(struct window *w,
                                  const farsum_mesh_problem *p,
                                  const struct mesh_band band[3], double *shape)
{
    int f32 = p->precision == FARSUM_F32;
    double sigma = p->upsampling, least = mesh_least(p->precision), error = 0;
    if (p->tolerance < least)
        FAIL(ERR_TOLERANCE, "tolerance %.3g: %s reaches %.2g", p->tolerance,
             f32 ? "f32" : "f64", least);
    /* aliases fall by this power of 10 for each mesh point of support */
    double a_point = M_PI * sqrt(1 - 1 / sigma) / log(10);
    int P = (int)(-log10(p->tolerance) / a_point);
    for (P = P > WINDOW_MIN ? P : WINDOW_MIN; P <= WINDOW_MAX; P++) {
        TRY(best_shape(w, P, sigma, band, p->tolerance, shape, &error));
        if (error <= ALIAS_SHARE * p->tolerance)
            return window_set(w, "prolate", P, *shape, sigma, 0);
    }
    FAIL(ERR_TOLERANCE,
         "tolerance %.3g at upsampling %.3g: the widest window, "
         "of %d points, reaches %.2g; upsample more",
         p->tolerance, sigma, WINDOW_MAX, error / ALIAS_SHARE);
}

farsum_status mesh_window(struct window *window,
                          const farsum_mesh_problem *problem,
                          const struct mesh_band band[3], int dry)
{
    const farsum_mesh_problem *p = problem;
    double fit = p->precision == FARSUM_F32 ? 1e-8 : 1e-15, shape = p->shape;
    int support = p->support;
    if (p->tolerance > 0) {
        TRY(by_tolerance(window, p, band, &shape));
        support = window->support;
        /* the error of the pieces is white noise; the division amplifies it
         * most at the band's edge */
        double edge =
            window_hat(window, M_PI / p->upsampling) / window_hat(window, 0);
        fit = fmax(fit, 0.03 * p->tolerance * edge);
    } else if (shape == 0 && strcmp(p->window, "prolate") == 0) {
        shape = mesh_shape(support, p->upsampling);
    }
    TRY(window_set(window, p->window, support, shape, p->upsampling,
                   dry ? 0 : fit));
    if (dry) /* sufficient for a cost prediction */
        window->degree =
            support + 3 < WINDOW_DEGREE ? support + 3 : WINDOW_DEGREE;
    return FARSUM_OK;
}
