/* SPDX-License-Identifier: Apache-2.0 */
/* split_error.c: error data of a split, math.md (6.2), (6.3). */
#include "tune/error_shared.h"

#include <math.h>
#include <string.h>

#include "math/poly.h"

/* Nodes beyond the band: Gauss quadrature on intervals of k. */
enum { TAIL_STRETCH = 12, TAIL_WIDTH = 5 };

/* Integrals over k > c of gamma^2, gamma^2/k^2 and gamma.  Gauss quadrature on
 * intervals; beyond them the envelope E'(1) sin(k)/k of a split that ends at
 * the cutoff. */
static void band_tail(struct band *band, const struct split *split)
{
    const double *x, *w, width = TAIL_WIDTH;
    double from = split->c, own = 0, sum[2] = {0};
    poly_gauss(TAIL_STRETCH, &x, &w);
    for (int s = 0; s < TAIL_NODES / TAIL_STRETCH; s++, from += width)
        for (int i = 0; i < TAIL_STRETCH; i++) {
            int at = (s + 1) * TAIL_STRETCH - 1 - i; /* x descends */
            double k = band->tail_k[at], g = split_hat(split, k);
            double part = w[i] * width / 2;
            sum[0] += part * g * g;
            sum[1] += part * g * g / (k * k);
            own += part * g;
            band->tail_g[at] = g;
            band->tail[at] = part * g;
        }
    double edge = split->xi > 0 ? 0 : split_de(split, 1), all = 0;
    sum[0] += edge * edge / (2 * from);
    sum[1] += edge * edge / (6 * from * from * from);
    for (int p = 0; p < 2; p++)
        band->cut_far[p] = 8 * sum[p]; /* (6.3) */
    band->self = 2 / M_PI * own;
    band->xi = split->xi;
    for (int i = 0; i < BAND_NODES; i++)
        all += band->weight[i] * band->gamma[i] * band->gamma[i];
    band->lost = sum[0] / (sum[0] + all);
    band->edge = edge;
    band->centre = split_de(split, 0);
    /* the rest behaves as sin(k + a phase)/k: its integral is its slope */
    double after = split_dhat(split, from);
    for (int i = TAIL_NODES - 1; i >= 0; i--) {
        band->tail_sum[i] = after + band->tail[i] / 2;
        after += band->tail[i];
    }
}

/* 4 pi times the integral over r > 1 of (r times the near kernel)^2, (6.2).
 * Zero for a split of compact support. */
static void band_beyond(struct band *band, const struct split *split)
{
    enum { NODES = 24 };
    const double *x, *w;
    if (!(split->xi > 0))
        return;
    /* e^{-2 xi^2 (r^2 - 1)} is negligible after a few 1/(4 xi^2) */
    double width = 12 / (4 * split->xi * split->xi);
    poly_gauss(NODES, &x, &w);
    for (int i = 0; i < NODES; i++) {
        double r = 1 + width * (1 + x[i]) / 2, z = split->xi * r;
        double e = erfc(z), part = 4 * M_PI * w[i] * width / 2;
        double f = e / r + 2 * split->xi / sqrt(M_PI) * exp(-z * z);
        band->cut_near[0] += part * f * f;
        band->cut_near[1] += part * e * e;
    }
}

void band_begin(struct band *band, double c, const struct pair *pair)
{
    const double *x, *w;
    memset(band, 0, sizeof *band);
    poly_gauss(BAND_NODES, &x, &w);
    band->pair = *pair;
    band->c = c;
    band->start = 1;
    for (int i = 0; i < BAND_NODES; i++) {
        band->k[i] = c * (1 + x[i]) / 2;
        band->weight[i] = w[i] * c / 2;
    }
    poly_gauss(TAIL_STRETCH, &x, &w);
    double from = c;
    for (int s = 0; s < TAIL_NODES / TAIL_STRETCH; s++, from += TAIL_WIDTH)
        for (int i = 0; i < TAIL_STRETCH; i++) /* x descends */
            band->tail_k[(s + 1) * TAIL_STRETCH - 1 - i] =
                from + TAIL_WIDTH * (1 + x[i]) / 2;
}

void band_set(struct band *band, const struct split *split,
              const struct pair *pair)
{
    band_begin(band, split->c, pair);
    for (int i = 0; i < BAND_NODES; i++)
        band->gamma[i] = split_hat(split, band->k[i]);
    band_tail(band, split);
    band_beyond(band, split);
    if (!pair->kind->charged && !pair->kind->moments) /* else as for 1/r */
        band_flow(band, split);
}
