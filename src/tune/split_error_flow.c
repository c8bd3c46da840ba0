/* SPDX-License-Identifier: Apache-2.0 */
/* split_error_flow.c: error data of kernels other than laplace, math.md
 * (9.10)-(9.13), (9.22). */
#include "tune/error.h"

#include <math.h>

#include "base/hypot.h"
#include "math/poly.h"
#include "math/quick.h"

/* The counterpart of gamma in (6.3), (6.5), for the potential of one mode.
 * front includes the pair's gain. */
static double flow_gamma(const struct band *band, const struct split *split,
                         double front, double k)
{
    const struct pair_kind *kind = band->pair.kind;
    double kappa = band->pair.kappa;
    double g = kind->lift * front / (4 * M_PI) * pow(k, kind->order + 2)
               * kind->smooth(&band->pair, split, k);
    for (int i = 0; i < kind->fall; i++)
        g /= k * k + kappa * kappa;
    return g;
}

/* The near field's jump at the cutoff makes gamma/k of a stresslet oscillate
 * without decay, as minus the value of this function.  Its transform is a
 * spherical shell, on which no particle lies. */
static double flow_shell(const struct band *band, double k)
{
    return band->pair.kind->power == 2 && band->pair.kind->fall == 2
               ? -band->edge * cos(k)
               : 0;
}

/* Integral of flow_shell(k) sin(k r) over the band. */
static double flow_inside(const struct band *band, double r)
{
    double c = band->c, sum = (1 - cos((1 + r) * c)) / (1 + r);
    double x = r - 1;
    if (flow_shell(band, 0) == 0)
        return 0;
    sum += fabs(x * c) < 1e-6 ? x * c * c / 2 : (1 - cos(x * c)) / x;
    return -band->edge / 2 * sum;
}

/* Mean square at r > 1 of the near field that a Gaussian split has beyond the
 * cutoff. */
static double flow_beyond(const struct band *band, double r)
{
    double z = band->xi * r, e[3];
    e[0] = erfc(z);
    e[1] = -2 * band->xi / sqrt(M_PI) * exp(-z * z);
    e[2] = -2 * band->xi * z * e[1];
    return band->pair.kind->mean(&band->pair, e, r);
}

/* The remainder without the shell oscillates as bend sin(k)/k, with a large
 * bend = 3 E'(1) + E''(1), far beyond the tail's nodes.  This is -Ci(k |r - 1|)
 * from there on, with its logarithm and the mean of its oscillation. */
static double flow_after(const struct band *band, double r)
{
    double from = band->tail_k[TAIL_NODES - 1], x = from * fabs(r - 1);
    double ci = x < 1 ? -0.5772 - log(fmax(x, from / (band->c * band->c)))
                      : M_SQRT1_2 / x;
    return band->bend / (M_PI * r) * fmax(ci, 0);
}

/* The error of a potential or its field, with its sign. */
static double scalar_cut(const struct band *band, double r, int potential)
{
    const struct pair_edge edge = {band->c, band->xi,
                                   band->edge / band->centre};
    double sum = 0, v[2] = {0}, wave[2][TAIL_NODES];
    if (band->tail[0] != 0) { /* a transform that ends at c has no tail */
        for (int i = 0; i < TAIL_NODES; i++)
            wave[0][i] = quick_sin(band->tail_k[i] * r);
        for (int i = 0; i < TAIL_NODES; i++)
            wave[1][i] = quick_sin(band->tail_k[i] * r + M_PI / 2);
        for (int i = 0; i < TAIL_NODES; i++) {
            double k = band->tail_k[i], z = k * r, s = wave[0][i] / z;
            double j = z < 1e-2 ? z / 3 : (s - wave[1][i]) / z;
            sum += band->tail[i] * k * (potential ? s : k * j);
        }
    }
    if (r > 1)
        band->pair.kind->beyond(&band->pair, &edge, r, v);
    return 2 / M_PI * sum + v[potential];
}

double band_flow_cut(const struct band *band, double r, int potential)
{
    double sum = 0, after = flow_after(band, r), wave[TAIL_NODES];
    if (band->pair.kind->gradient)
        return scalar_cut(band, r, potential);
    for (int i = 0; i < TAIL_NODES; i++)
        wave[i] = quick_sin(band->tail_k[i] * r);
    for (int i = 0; i < TAIL_NODES; i++)
        sum += band->tail[i] * wave[i];
    sum = 2 / (M_PI * r) * (sum - flow_inside(band, r));
    return sqrt(sum * sum + after * after
                + (band->xi > 0 && r > 1 ? flow_beyond(band, r) : 0));
}

/* If the shell must be omitted: the integral of the square over space. */
static double flow_space(const struct band *band)
{
    enum { STEPS = 160 };
    double last = 4, sum = 0;
    for (int i = 0; i < STEPS; i++) {
        double r = last * (i + 0.5) / STEPS, f = r * band_flow_cut(band, r, 1);
        sum += 4 * M_PI * f * f * last / STEPS;
    }
    return sum;
}

static double flow_beyond_whole(const struct band *band)
{
    enum { NODES = 24 };
    const double *x, *w;
    double width = 12 / (4 * band->xi * band->xi), sum = 0;
    poly_gauss(NODES, &x, &w);
    for (int i = 0; i < NODES; i++) {
        double r = 1 + width * (1 + x[i]) / 2;
        sum += 4 * M_PI * w[i] * width / 2 * r * r * flow_beyond(band, r);
    }
    return sum;
}

/* 4 pi times the integrals over r > 1 of the squares of a potential's near
 * field beyond the cutoff. */
static void scalar_beyond(struct band *band)
{
    enum { NODES = 24, STRETCHES = 4 };
    const struct pair_edge edge = {band->c, band->xi,
                                   band->edge / band->centre};
    const double *x, *w;
    /* a Gaussian is negligible after a few 1/(4 xi^2); otherwise z = c sqrt(r^2
     * - 1) */
    double xi = band->xi, width = (xi > 0 ? 3 / (xi * xi) : 2 * band->c)
                                  / STRETCHES;
    poly_gauss(NODES, &x, &w);
    band->cut_near[0] = band->cut_near[1] = 0;
    for (int i = 0; i < NODES * STRETCHES; i++) {
        double at = width * (i / NODES + (1 + x[i % NODES]) / 2), v[2];
        double r = xi > 0 ? 1 + at : hypot_of(1, at / band->c);
        double part = 4 * M_PI * w[i % NODES] * width / 2 * r
                      * (xi > 0 ? r : at / (band->c * band->c));
        band->pair.kind->beyond(&band->pair, &edge, r, v);
        band->cut_near[0] += part * v[0] * v[0];
        band->cut_near[1] += part * v[1] * v[1];
    }
}

/* For potentials: the contribution of an oscillation edge sin(k)/k of gamma
 * beyond the tail's nodes.  Zero for r6, which is cut in k. */
static void scalar_after(struct band *band, double front, double square[2])
{
    double from = band->tail_k[TAIL_NODES - 1], edge = band->edge;
    if (band->pair.kind->fall == 0)
        return;
    edge *= front / (4 * M_PI);
    square[0] += edge * edge / (2 * from);
    square[1] += edge * edge / (6 * from * from * from);
}

/* Replaces tail by gamma/k without its shell, times weights. */
void band_flow(struct band *band, const struct split *split)
{
    const struct pair_kind *kind = band->pair.kind;
    double square[2] = {0}, own = 0, edge = band->edge;
    double front = kind->front * pair_gain(&band->pair, split);
    if (flow_shell(band, 0) != 0)
        band->bend = 3 * edge + split_d2e(split, 1);
    for (int i = 0; i < BAND_NODES; i++)
        band->gamma[i] = flow_gamma(band, split, front, band->k[i]);
    band->start = flow_gamma(band, split, front, 1e-6);
    double from = band->tail_k[TAIL_NODES - 1];
    for (int i = 0; i < TAIL_NODES; i++) {
        double k = band->tail_k[i], weight = band->tail[i] / band->tail_g[i];
        double g = flow_gamma(band, split, front, k);
        square[0] += weight * g * g;
        square[1] += weight * g * g / (k * k);
        own += weight * g;
        band->tail[i] = weight * (g / k - flow_shell(band, k));
    }
    /* two of three directions; g already contains the root */
    band->self = kind->own > 0 ? kind->lift * 2 / M_PI * fabs(own) : 0;
    if (kind->gradient) {
        scalar_after(band, front, square);
        scalar_beyond(band);
        band->cut_far[0] = 8 * square[0];
        band->cut_far[1] = 8 * square[1];
        return;
    }
    /* the rest oscillates as the edge does; the mean square is 1/3 of its
     * square */
    square[1] += edge * edge / (3 * from);
    band->cut_near[1] = band->xi > 0 ? flow_beyond_whole(band) : 0;
    band->cut_far[1] = flow_shell(band, 0) != 0
                           ? flow_space(band)
                                 + 4 * band->bend * band->bend / from
                           : 8 * square[1];
}
