/* SPDX-License-Identifier: Apache-2.0 */
/* window.c: choice of a window for a tolerance, by the aliases of its own
 * transform and by the rounding that the division by it amplifies (docs/math.md
 * section 8). */
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/hypot.h"
#include "math/poly.h"
#include "mesh/mesh.h"

/* Fractions of the tolerance allowed for aliases, and for aliases and rounding
 * together.  The rest covers deviations from the mean over points, and fits. */
#define ALIAS_SHARE 0.6
#define ERROR_SHARE 0.9

/* The constants of (8.9), in units of the precision's rounding; fitted
 * to errors of all variants on the host (docs/accuracy-measurements.md). */
static const double round_once = 1, round_axis = 2, round_transform = 0.25,
                    round_sum = 0.09, round_place = 1.6;

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

/* Means over modes: of the squares of their aliases over them, (8.1), and of
 * 1/hat^2. */
struct means {
    double alias, inverse;
};

static void means_add(struct means *sum, double weight, const struct aliases *a,
                      double theta)
{
    const struct window *w = a->window;
    double even[REACH + 1] = {0}, odd[REACH + 1] = {0}, aliases = a->tail;
    for (int i = 0; i < w->n_quad; i++) {
        double c = cos(theta * w->node[i]), s = sin(theta * w->node[i]);
        for (int m = 0; m <= REACH; m++) {
            even[m] += a->even[m][i] * c;
            odd[m] += a->odd[m][i] * s;
        }
    }
    for (int m = 1; m <= REACH; m++) /* both signs of m */
        aliases += 2 * (even[m] * even[m] + odd[m] * odd[m]);
    double inverse = 1 / (even[0] * even[0]);
    sum->alias += weight * aliases * inverse;
    sum->inverse += weight * inverse;
}

/* The means over an axis' modes: (8.2).  They rise steeply at the band's edge,
 * where a mode of an even count has no counterpart. */
static struct means axis_means(const struct aliases *a,
                               const struct mesh_band *band)
{
    enum { NODES = 8, FEW = 32 };
    struct means sum = {0};
    double N = (double)band->modes;
    if (band->modes > 0 && band->modes <= FEW) {
        for (int64_t k = 0; k <= band->modes / 2; k++) {
            int twin = k > 0 && 2 * k < band->modes;
            means_add(&sum, (1 + twin) / N, a, (double)k * band->step);
        }
        return sum;
    }
    double half = band->modes > 0 ? (double)(band->modes / 2) : 1;
    double edge = half * band->step, inner = 0.85 * edge;
    /* a sum over modes is the integral plus at most half of each end */
    double all = band->modes > 0 ? 2 * half / N : 1;
    const double *x, *weight;
    poly_gauss(NODES, &x, &weight);
    for (int i = 0; i < NODES; i++) {
        double t = (x[i] + 1) / 2, w = all * weight[i] / 2;
        means_add(&sum, w * 0.85, a, inner * t);
        means_add(&sum, w * 0.15, a, inner + (edge - inner) * t);
    }
    if (band->modes > 0)
        means_add(&sum, 1 / N, a, edge);
    return sum;
}

/* Parts of the relative error of a transform. */
struct window_errors {
    double alias;    /* (8.3) */
    double rounding; /* (8.9) */
};

/* Rounding, squared, (8.9), from the squares of the factors (8.8). */
static double rounding(const struct window *w, const farsum_mesh_problem *p,
                       const struct mesh_band band[3], const double factor[3])
{
    double f64 = 0.5 * DBL_EPSILON, points = 1, modes = 0;
    double eps = p->precision == FARSUM_F32 ? 0.5 * FLT_EPSILON : f64;
    double sums = (double)p->n_points * fmax(p->crowding, 1);
    for (int d = 0; d < 3; d++) {
        double M = (double)p->mesh[d];
        points *= M;
        sums *= w->support / M; /* contributions to a mesh point */
        double N =
            band[d].modes > 0 ? (double)band[d].modes : M / p->upsampling;
        modes += N * N;
    }
    double each = round_transform * log2(points);
    if (p->uses & FARSUM_MESH_SPREAD)
        each += round_sum * sums;
    return eps * eps
               * (round_once * round_once
                  + round_axis * round_axis
                        * (factor[0] + factor[1] + factor[2])
                  + each * factor[0] * factor[1] * factor[2])
           + round_place * round_place * f64 * f64 * modes;
}

static struct window_errors window_error(const struct window *w,
                                         const farsum_mesh_problem *p,
                                         const struct mesh_band band[3])
{
    double sum = 0, square = window_square(w), zero = window_hat(w, 0);
    double factor[3];
    struct means last = {0};
    struct aliases a;
    aliases_set(&a, w);
    for (int d = 0; d < 3; d++) {
        int same = d > 0 && band[d].modes == band[d - 1].modes
                   && band[d].step == band[d - 1].step;
        last = same ? last : axis_means(&a, &band[d]);
        sum += last.alias;
        /* a window wider than the axis overlaps itself */
        factor[d] =
            last.inverse * fmax(square, zero * zero / (double)p->mesh[d]);
    }
    return (struct window_errors){sqrt(sum),
                                  sqrt(rounding(w, p, band, factor))};
}

/* Sets the shape of a prolate window with the smallest error, by golden-section
 * search around the usual one.  Returns that error, or that of the usual shape
 * if it is hopeless. */
static farsum_status best_shape(struct window *w, int support,
                                const farsum_mesh_problem *p,
                                const struct mesh_band band[3], double *shape,
                                struct window_errors *error)
{
    enum { STEPS = 5 };
    double sigma = p->upsampling, tolerance = p->tolerance;
    const double g = (sqrt(5) - 1) / 2, usual = mesh_shape(support, sigma);
    double lo = 0.88 * usual, hi = 1.1 * usual;
    *shape = usual;
    TRY(window_set(w, "prolate", support, usual, sigma, 0));
    *error = window_error(w, p, band);
    if (error->alias > 5 * tolerance || error->alias < 0.1 * tolerance)
        return FARSUM_OK;
    double x[2] = {hi - g * (hi - lo), lo + g * (hi - lo)};
    struct window_errors e[2];
    for (int i = 0; i < 2; i++) {
        TRY(window_set(w, "prolate", support, x[i], sigma, 0));
        e[i] = window_error(w, p, band);
    }
    for (int step = 0; step < STEPS; step++) {
        /* the interval end that becomes an inner point */
        int i = e[0].alias > e[1].alias;
        if (e[i].alias < error->alias) {
            *error = e[i];
            *shape = x[i];
        }
        *(i ? &lo : &hi) = x[!i];
        x[!i] = x[i];
        e[!i] = e[i];
        x[i] = i ? lo + g * (hi - lo) : hi - g * (hi - lo);
        TRY(window_set(w, "prolate", support, x[i], sigma, 0));
        e[i] = window_error(w, p, band);
    }
    return FARSUM_OK;
}

/* The smallest tolerance that windows up to `support` can meet. */
static farsum_status reached(struct window *w, int support,
                             const farsum_mesh_problem *p,
                             const struct mesh_band band[3], double *least)
{
    *least = INFINITY;
    for (int P = WINDOW_MIN; P <= support; P++) {
        TRY(window_set(w, "prolate", P, mesh_shape(P, p->upsampling),
                       p->upsampling, 0));
        struct window_errors e = window_error(w, p, band);
        *least =
            fmin(*least, fmax(e.alias / ALIAS_SHARE,
                              hypot_of(e.alias, e.rounding) / ERROR_SHARE));
    }
    return FARSUM_OK;
}

/* Chooses the smallest support whose aliases are small enough.  A wider one
 * would amplify rounding more. */
static farsum_status by_tolerance(struct window *w,
                                  const farsum_mesh_problem *p,
                                  const struct mesh_band band[3], double *shape,
                                  double *estimate)
{
    const char *precision = p->precision == FARSUM_F32 ? "f32" : "f64";
    double sigma = p->upsampling, least = mesh_least(p->precision);
    struct window_errors error = {0};
    if (p->tolerance < least)
        FAIL(ERR_TOLERANCE, "tolerance %.3g: %s reaches %.2g", p->tolerance,
             precision, least);
    /* aliases fall by this power of 10 for each mesh point of support */
    double a_point = M_PI * sqrt(1 - 1 / sigma) / log(10);
    int P = (int)(-log10(p->tolerance) / a_point);
    for (P = P > WINDOW_MIN ? P : WINDOW_MIN; P <= WINDOW_MAX; P++) {
        TRY(best_shape(w, P, p, band, shape, &error));
        *estimate = hypot_of(error.alias, error.rounding);
        if (error.alias <= ALIAS_SHARE * p->tolerance)
            break;
    }
    if (P <= WINDOW_MAX && *estimate <= ERROR_SHARE * p->tolerance)
        return window_set(w, "prolate", P, *shape, sigma, 0);
    TRY(reached(w, P < WINDOW_MAX ? P : WINDOW_MAX, p, band, &least));
    if (P <= WINDOW_MAX)
        FAIL(ERR_TOLERANCE,
             "tolerance %.3g at upsampling %.3g: with its rounding %s reaches "
             "%.2g%s",
             p->tolerance, sigma, precision, least,
             sigma < 2                    ? "; upsample more"
             : p->precision == FARSUM_F32 ? "; use f64"
                                          : "");
    FAIL(ERR_TOLERANCE,
         "tolerance %.3g at upsampling %.3g: the widest window, "
         "of %d points, reaches %.2g; upsample more",
         p->tolerance, sigma, WINDOW_MAX, least);
}

farsum_status mesh_window(struct window *window,
                          const farsum_mesh_problem *problem,
                          const struct mesh_band band[3], int dry,
                          double *estimate)
{
    const farsum_mesh_problem *p = problem;
    double fit = p->precision == FARSUM_F32 ? 1e-8 : 1e-15, shape = p->shape;
    int support = p->support;
    *estimate = 0;
    if (p->tolerance > 0) {
        TRY(by_tolerance(window, p, band, &shape, estimate));
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
