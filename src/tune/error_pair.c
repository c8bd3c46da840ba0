/* SPDX-License-Identifier: Apache-2.0 */
/* error_pair.c: error of a pair as a function of its distance, math.md
 * (6.8). */
#include "tune/error_shared.h"

#include <math.h>
#include <string.h>

#include "math/quick.h"

/* below it, sin(k r)/r is taken as k */
#define LEAST_R 1e-12

static double sinc(double x)
{
    return fabs(x) < 1e-3 ? 1 - x * x / 6 : sin(x) / x;
}

/* spherical Bessel function j_1 */
static double bessel_j1(double x)
{
    return fabs(x) < 1e-2 ? x / 3 - x * x * x / 30
                          : (sin(x) / x - cos(x)) / x;
}

/* gamma at k > c and its integral from k on, interpolated between the tail's
 * nodes. */
static void band_at(const struct band *band, double k, double *gamma,
                    double *rest)
{
    int i = 0;
    if (k >= band->tail_k[TAIL_NODES - 1]) {
        *gamma = band->edge * sin(k) / k;
        *rest = band->edge * cos(k) / k;
        return;
    }
    while (i < TAIL_NODES - 2 && band->tail_k[i + 1] < k)
        i++;
    double part = (k - band->tail_k[i])
                  / (band->tail_k[i + 1] - band->tail_k[i]);
    part = fmax(part, 0);
    *gamma = band->tail_g[i] + part * (band->tail_g[i + 1] - band->tail_g[i]);
    *rest = band->tail_sum[i]
            + part * (band->tail_sum[i + 1] - band->tail_sum[i]);
}

/* The error of a pair at r due to the cut in k, for a split that ends at the
 * cutoff: D of (6.13), as D/r^2 - D'/r or D/r.  Inside the cutoff, where it is
 * small, the Gaussian of equal height replaces E; outside, 1 replaces
 * lambda. */
static double pair_cut_compact(const struct band *band, double r, int potential)
{
    double d, slope;
    if (r < 1) {
        double xi = sqrt(M_PI) / 2 * band->centre, z = xi * r;
        d = band->lost * erf(z);
        slope = band->lost * band->centre * exp(-z * z);
        if (z < 0.05) /* E/r^2 - E'/r cancels */
            return potential ? slope : slope * 2 / 3 * xi * z;
    } else {
        band_at(band, band->c * r, &slope, &d);
        d *= band->centre / band->c;
        slope *= -band->centre;
    }
    return potential ? d / r : (d / r - slope) / r;
}

/* The error of a pair at r due to cutoff and bandwidth of a Gaussian split. */
static double pair_cut(const struct band *band, double r, int potential)
{
    double sum = 0;
    if (!band->pair.kind->charged && !band->pair.kind->moments)
        return band_flow_cut(band, fmax(r, 1e-3), potential);
    if (!(band->xi > 0))
        return pair_cut_compact(band, r, potential);
    for (int i = 0; i < TAIL_NODES; i++) {
        double k = band->tail_k[i];
        sum += band->tail[i] * (potential ? sinc(k * r) : k * bessel_j1(k * r));
    }
    sum *= 2 / M_PI;
    if (r > 1) {
        double z = band->xi * r, e = erfc(z) / r;
        sum += potential ? e
                         : (e + 2 * band->xi / sqrt(M_PI) * exp(-z * z)) / r;
    }
    return sum;
}

/* Adds the integrals of r^2 cut and r^2 cut^2 from `from` to `to`. */
static void shell_sums(const struct band *band, double from, double to, int n,
                       int potential, double sum[2])
{
    double step = (to - from) / n;
    for (int i = 0; i < n; i++) {
        double r = from + (i + 0.5) * step;
        double cut = pair_cut(band, r, potential);
        sum[0] += step * r * r * cut; /* r^2: volume element */
        sum[1] += step * r * r * cut * cut;
    }
}

/* Sets cut and vary of the shell from `from` to `to`.  Splits that end at the
 * cutoff: the error has a narrow peak near r = 1 and oscillates beyond; cut is
 * its RMS with the sign of its middle.  Gaussian splits: the error has a step
 * at r = 1, which acts between charges that screen each other; cut is its mean,
 * and vary its variance.  Beyond 1.5 they leave only small oscillations, and
 * each r costs a sum over the tail; there the value at the middle is used. */
static void shell_cut(struct error_pair *pair, const struct band *band,
                      double from, double to, int potential)
{
    double volume = (to * to * to - from * from * from) / 3, sum[2] = {0};
    double at = from < 1 && to > 1 && band->xi > 0 ? 1 : to;
    int n = (int)fmin(2 + 12 * (to - from), 24);
    pair->cut = pair_cut(band, (from + to) / 2, potential);
    pair->vary = 0;
    if (to < 0.9 || from == to || (band->xi > 0 && from > 1.5))
        return;
    shell_sums(band, from, at, n, potential, sum);
    if (at < to)
        shell_sums(band, at, to, n, potential, sum);
    if (band->xi > 0) {
        pair->cut = sum[0] / volume;
        pair->vary = fmax(sum[1] / volume - pair->cut * pair->cut, 0);
    } else {
        pair->cut = copysign(sqrt(sum[1] / volume), pair->cut);
    }
}

/* Means over directions of |beta| at each node of the band, for the axis with
 * the longest spacing.  *far: the sum over the axes of K_d^2. */
static void pair_beta(const struct band *band, const struct alias *alias,
                      const struct cell *cell, const int64_t mesh[3],
                      double beta[BAND_NODES], double *far)
{
    struct alias_means all;
    double longest = 0;
    *far = 0;
    for (int d = 0; d < 3; d++) {
        const double *a = cell->a + 3 * d;
        double k = 2 * M_PI * (double)mesh[d] / cell->height[d];
        longest = fmax(longest,
                       sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2])
                           / (double)mesh[d]);
        *far += k * k;
    }
    alias_means(alias, band, longest, &all);
    memcpy(beta, all.near, sizeof all.near);
}

void error_pairs(struct error_pair *pair, const double *edge, int n,
                 const struct band *band, const struct alias *alias,
                 const struct cell *cell, const int64_t mesh[3], int potential)
{
    double beta[BAND_NODES] = {0}, far = 0;
    if (mesh[0] > 0)
        pair_beta(band, alias, cell, mesh, beta, &far);
    double scale = sqrt(2 * (potential ? 3 : far)) / M_PI, z = sqrt(6) / M_PI;
    double gather[BAND_NODES], spread[BAND_NODES];
    for (int i = 0; i < BAND_NODES; i++) {
        double own = band->weight[i] * band->gamma[i] * beta[i];
        gather[i] = scale * own / band->k[i];
        spread[i] = z * own * (potential ? 1 / band->k[i] : 1);
    }
    for (int k = 0; k < n; k++) {
        double r = fmax((edge[k] + edge[k + 1]) / 2, LEAST_R);
        double wave[BAND_NODES], sum[2] = {0};
        shell_cut(&pair[k], band, edge[k], edge[k + 1], potential);
        for (int i = 0; i < BAND_NODES && mesh[0] > 0; i++)
            wave[i] = quick_sin(band->k[i] * r);
        for (int i = 0; i < BAND_NODES && mesh[0] > 0; i++) {
            sum[0] += gather[i] * wave[i];
            sum[1] += spread[i] * wave[i];
        }
        pair[k].gather = sum[0] / r;
        pair[k].spread = sum[1] / r;
    }
}

void error_pairs_whole(const struct band *band, const struct alias *alias,
                       const struct cell *cell, const int64_t mesh[3],
                       int potential, double *gather, double *spread)
{
    double beta[BAND_NODES], far, lowest = cell_lowest(cell);
    pair_beta(band, alias, cell, mesh, beta, &far);
    double zero = 4 * beta[0] * beta[0] * band->start * band->start
                  / cell->volume;
    double whole = zero * band_fall_whole(band, lowest);
    *gather = whole * (potential ? 3 : far);
    *spread = potential ? 3 * whole : 0;
    /* Parseval: integral of F^2 over space = 2 integral gamma^2 beta^2/k^2 */
    for (int i = 0; i < BAND_NODES; i++) {
        double x = band->gamma[i] * beta[i], w = band->weight[i];
        double part = 4 * x * x / cell->volume;
        double rest = w * (part - zero) * band_fall(band->k[i], lowest);
        *gather += rest * (potential ? 3 : far);
        *spread += 3 * (potential ? rest : w * part);
    }
}
