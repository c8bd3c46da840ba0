/* error.c: the error integrals, math.md (6.1)-(6.6), (6.8), (6.11)-(6.13). */
#include "method/error.h"

#include <math.h>
#include <string.h>

#include "math/poly.h"

static void alias_node(struct alias *alias, const struct window *window, int i)
{
    double theta = M_PI * i / (ALIAS_NODES - 1), own = window_hat(window, theta);
    double s0 = 0, s1 = 0, s2 = 0, near = 0;
    int reach = window_reach(window);
    for (int m = -reach; m <= reach; m++) {
        double at = theta + 2 * M_PI * m;
        /* (6.12): the pieces' derivative leaves out the jump at the edge */
        double jump = 2 * window->edge * sin(at * window->support / 2)
                      / (2 * M_PI * own);
        double b = m ? window_hat(window, at) / own : 0, e = m * b - jump;
        s0 += b * b;
        s1 += b * e;
        s2 += e * e;
        if (m == 1 || m == -1)
            near += b;
    }
    s0 = fmax(s0, 1e-34); /* rounding of the transform */
    s2 = fmax(s2, 1e-34);
    alias->log0[i] = log(s0);
    alias->log2[i] = log(s2);
    alias->mean[i] = s1 / s0;
    alias->logs[i] = log(fmax(fabs(near), 1e-17));
    alias->sign[i] = near < 0 ? -1 : 1;
}

void alias_set(struct alias *alias, const struct window *window)
{
    for (int i = 0; i < ALIAS_NODES; i++)
        alias_node(alias, window, i);
}

/* Integrals over k > c of gamma^2, gamma^2/k^2 and gamma: Gauss on stretches,
 * then the envelope E'(1) sin(k)/k of a split that ends at the cutoff. */
static void band_tail(struct band *band, const struct split *split)
{
    enum { NODES = 12, STRETCHES = 3 };
    const double *x, *w;
    double from = split->c, width = 5, own = 0, sum[2] = {0};
    poly_gauss(NODES, &x, &w);
    for (int s = 0; s < STRETCHES; s++, from += width)
        for (int i = 0; i < NODES; i++) {
            double k = from + width * (1 + x[i]) / 2;
            double g = split_hat(split, k), part = w[i] * width / 2;
            sum[0] += part * g * g;
            sum[1] += part * g * g / (k * k);
            own += part * g;
            int at = s * NODES + NODES - 1 - i; /* x falls */
            band->tail_k[at] = k;
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
    /* the rest goes as sin(k + some phase)/k: its integral is its slope */
    double after = split_dhat(split, from);
    for (int i = TAIL_NODES - 1; i >= 0; i--) {
        band->tail_sum[i] = after + band->tail[i] / 2;
        after += band->tail[i];
    }
}

/* 4 pi integral over r > 1 of (r times the near kernel)^2, (6.2): zero for a
 * split of compact support. */
static void band_beyond(struct band *band, const struct split *split)
{
    enum { NODES = 24 };
    const double *x, *w;
    if (!(split->xi > 0))
        return;
    /* e^{-2 xi^2 (r^2 - 1)} is gone after a few 1/(4 xi^2) */
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

void band_set(struct band *band, const struct split *split)
{
    const double *x, *w;
    memset(band, 0, sizeof *band);
    poly_gauss(BAND_NODES, &x, &w);
    band->c = split->c;
    for (int i = 0; i < BAND_NODES; i++) {
        band->k[i] = split->c * (1 + x[i]) / 2;
        band->weight[i] = w[i] * split->c / 2;
        band->gamma[i] = split_hat(split, band->k[i]);
    }
    band_tail(band, split);
    band_beyond(band, split);
}

struct place {
    int i;
    double part;
};

static struct place alias_place(double theta)
{
    double x = theta / M_PI * (ALIAS_NODES - 1);
    int i = x >= ALIAS_NODES - 1 ? ALIAS_NODES - 2 : (int)x;
    return (struct place){i, fmin(x - i, 1)};
}

static double alias_at(const double *table, struct place at)
{
    return table[at.i] + at.part * (table[at.i + 1] - table[at.i]);
}

/* beta_1 + beta_-1; linear where its sign changes between two nodes. */
static double alias_sum(const struct alias *a, struct place at)
{
    if (a->sign[at.i] == a->sign[at.i + 1])
        return a->sign[at.i] * exp(alias_at(a->logs, at));
    double low = a->sign[at.i] * exp(a->logs[at.i]);
    double high = a->sign[at.i + 1] * exp(a->logs[at.i + 1]);
    return low + at.part * (high - low);
}

/* k_0 of (6.11): where an integral over k of k^-2 must begin to be the sum over
 * the cell's modes, V/(2 pi^2 k_0) = sum over k != 0 of k^-4. */
static double error_lowest(const struct cell *cell)
{
    enum { REACH = 4 };
    double edge[3], longest = 0, sum = 0;
    int most[3];
    for (int d = 0; d < 3; d++) {
        const double *a = cell->a + 3 * d;
        edge[d] = sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2]);
        longest = fmax(longest, edge[d]);
    }
    double limit = 2 * M_PI * REACH / longest;
    for (int d = 0; d < 3; d++)
        most[d] = (int)(REACH * edge[d] / longest);
    for (int i = -most[0]; i <= most[0]; i++)
        for (int j = -most[1]; j <= most[1]; j++)
            for (int l = -most[2]; l <= most[2]; l++) {
                double k2 = 0;
                for (int x = 0; x < 3; x++) {
                    const double *b = cell->inv + 3 * x;
                    double k = 2 * M_PI * (i * b[0] + j * b[1] + l * b[2]);
                    k2 += k * k;
                }
                if (k2 > 0 && k2 <= limit * limit)
                    sum += 1 / (k2 * k2);
            }
    return 1 / (2 * M_PI * M_PI / cell->volume * sum + 1 / limit);
}

/* F of (6.11): what stands for k^-2 in (6.5), smooth and with the same integral
 * as k^-2 from k_0 on; and its integral over the band. */
static double band_fall(double k, double lowest)
{
    double q = M_PI / 4 * lowest, d = k * k + q * q;
    return k * k / (d * d);
}

static double band_fall_whole(const struct band *band, double lowest)
{
    double q = M_PI / 4 * lowest, c = band->c;
    return atan(c / q) / (2 * q) - c / (2 * (c * c + q * q));
}

/* Axis d of (6.5): gamma^2/k^2 times the mean over directions of sum_m beta_m^2
 * times |k + m K|^2 (gather) or k^2 (spread), and the square of (6.6), the
 * coherent sum of a particle's own aliases. */
static struct error_parts error_axis(const struct band *band,
                                     const struct alias *alias, double lowest,
                                     double spacing, double far, int potential)
{
    enum { ANGULAR = 16 };
    const double *y, *v;
    double along = 2 * M_PI / spacing, own = 0;
    double zero = potential ? exp(alias->log0[0])
                            : far * far * exp(alias->log2[0]);
    double whole = band_fall_whole(band, lowest);
    struct error_parts p = {0};
    poly_gauss(ANGULAR, &y, &v);
    for (int i = 0; i < BAND_NODES; i++) {
        double k = band->k[i], g = band->gamma[i], s = 0, t = 0, z = 0;
        double part = band->weight[i] * band_fall(k, lowest);
        for (int j = 0; j < ANGULAR; j++) {
            double mu = (1 + y[j]) / 2;
            struct place at = alias_place(fmin(k * mu * spacing, M_PI));
            double t0 = exp(alias_at(alias->log0, at));
            double t1 = alias_at(alias->mean, at) * t0;
            double t2 = exp(alias_at(alias->log2, at));
            s += v[j] / 2
                 * (potential ? t0
                              : k * k * t0 + 2 * k * mu * along * t1
                                    + far * far * t2);
            z += v[j] / 2 * t0 * (potential ? 1 : k * k);
            /* no credit for a sum that happens to vanish */
            t += v[j] / 2 * fabs(alias_sum(alias, at));
        }
        own += band->weight[i] * g * t;
        p.gather += 2 * part * (g * g * s - zero);
        p.spread += 2 * part * (g * g * z - (potential ? zero : 0));
    }
    p.gather += 2 * zero * whole;
    p.spread += potential ? 2 * zero * whole : 0;
    p.self = 2 * own * own / (M_PI * M_PI) * (potential ? 4 : far * far);
    return p;
}

void error_set(struct error_parts *parts, const struct band *band,
               const struct alias *alias, const struct cell *cell,
               const int64_t mesh[3], int potential)
{
    struct error_parts sum = {0}, axis = {0};
    double last_edge = 0, last_far = 0, lowest = error_lowest(cell);
    for (int d = 0; d < 3; d++) {
        const double *a = cell->a + 3 * d;
        double edge = sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2])
                      / (double)mesh[d];
        /* |b_d| = 2 pi / height: the alias is M_d b_d away */
        double far = 2 * M_PI * (double)mesh[d] / cell->height[d];
        if (edge != last_edge || far != last_far)
            axis = error_axis(band, alias, lowest, edge, far, potential);
        sum.gather += 4 / cell->volume * axis.gather;
        sum.spread += 4 / cell->volume * axis.spread;
        sum.self += axis.self;
        last_edge = edge;
        last_far = far;
    }
    sum.cut_near = band->cut_near[potential] / cell->volume;
    sum.cut_far = band->cut_far[potential] / cell->volume;
    sum.self += potential ? band->self * band->self : 0;
    *parts = sum;
}

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

/* gamma at k > c and its integral from there on, between the tail's nodes. */
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

/* What the cut in k leaves out of a pair at r, a split that ends at the cutoff:
 * D of (6.13), D/r^2 - D'/r or D/r.  Inside, where it is small, E is taken for
 * the Gaussian of the same height; outside, lambda for 1. */
static double pair_cut_compact(const struct band *band, double r, int potential)
{
    double d, slope;
    if (r < 1) {
        double z = sqrt(M_PI) / 2 * band->centre * r;
        d = band->lost * erf(z);
        slope = band->lost * band->centre * exp(-z * z);
        if (z < 0.05) /* E/r^2 - E'/r cancels */
            return potential ? slope : slope * 2 / 3 * z * z / r;
    } else {
        band_at(band, band->c * r, &slope, &d);
        d *= band->centre / band->c;
        slope *= -band->centre;
    }
    return potential ? d / r : (d / r - slope) / r;
}

/* What cutoff and bandwidth of a Gaussian split leave out of a pair at r. */
static double pair_cut(const struct band *band, double r, int potential)
{
    double sum = 0;
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

/* Its RMS over from .. to, with the sign of the middle: around r = 1 it has a
 * narrow peak, further out it swings. */
static double shell_cut(const struct band *band, double from, double to,
                        int potential)
{
    double middle = pair_cut(band, (from + to) / 2, potential), sum = 0;
    int n = band->xi > 0 ? 1 : (int)fmin(2 + 12 * (to - from), 24);
    if (to < 0.9 || from == to || n == 1)
        return middle;
    for (int i = 0; i < n; i++) {
        double r = from + (i + 0.5) / n * (to - from);
        double f = r * pair_cut(band, r, potential); /* r^2: the volume's */
        sum += f * f;
    }
    double r2 = (from * from + from * to + to * to) / 3;
    return copysign(sqrt(sum / n / r2), middle);
}

/* integral over mu in [-1, 1] of |beta| at each node of the band, for the
 * axis with the longest spacing; *far: the sum over the axes of K_d^2. */
static void pair_beta(const struct band *band, const struct alias *alias,
                      const struct cell *cell, const int64_t mesh[3],
                      double beta[BAND_NODES], double *far)
{
    enum { ANGULAR = 5 };
    const double *y, *v;
    double longest = 0;
    poly_gauss(ANGULAR, &y, &v);
    *far = 0;
    for (int d = 0; d < 3; d++) {
        const double *a = cell->a + 3 * d;
        double k = 2 * M_PI * (double)mesh[d] / cell->height[d];
        longest = fmax(longest,
                       sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2])
                           / (double)mesh[d]);
        *far += k * k;
    }
    for (int i = 0; i < BAND_NODES; i++) {
        beta[i] = 0;
        for (int j = 0; j < ANGULAR; j++) {
            double theta = band->k[i] * (1 + y[j]) / 2 * longest;
            beta[i] += v[j] / 2
                       * fabs(alias_sum(alias, alias_place(fmin(theta, M_PI))));
        }
    }
}

void error_pairs(struct error_pair *pair, const double *edge, int n,
                 const struct band *band, const struct alias *alias,
                 const struct cell *cell, const int64_t mesh[3], int potential)
{
    double beta[BAND_NODES] = {0}, far = 0;
    if (mesh[0] > 0)
        pair_beta(band, alias, cell, mesh, beta, &far);
    double scale = sqrt(2 * (potential ? 3 : far)) / M_PI, z = sqrt(6) / M_PI;
    for (int k = 0; k < n; k++) {
        double r = (edge[k] + edge[k + 1]) / 2;
        pair[k] = (struct error_pair){
            shell_cut(band, edge[k], edge[k + 1], potential), 0, 0};
        for (int i = 0; mesh[0] > 0 && i < BAND_NODES; i++) {
            double own = band->weight[i] * band->gamma[i] * beta[i]
                         * sinc(band->k[i] * r);
            pair[k].gather += scale * own;
            pair[k].spread += z * own * (potential ? 1 : band->k[i]);
        }
    }
}

void error_pairs_whole(const struct band *band, const struct alias *alias,
                       const struct cell *cell, const int64_t mesh[3],
                       int potential, double *gather, double *spread)
{
    double beta[BAND_NODES], far, lowest = error_lowest(cell);
    pair_beta(band, alias, cell, mesh, beta, &far);
    double zero = 4 * beta[0] * beta[0] / cell->volume;
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
