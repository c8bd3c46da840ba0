/* SPDX-License-Identifier: Apache-2.0 */
/* error.c: the error integrals, math.md (6.1)-(6.6), (6.8), (6.11)-(6.13). */
#include "tune/error_shared.h"

#include <math.h>
#include <string.h>

#include "math/poly.h"
#include "math/quick.h"

enum { REACH_MOST = 4 };

/* cos and sin of i a, i < n, by the addition theorem for i = STEP high + low.
 * As accurate as a product of three factors, unlike the cosine of theta times a
 * node. */
static void alias_turns(double a, int n, double *cosine, double *sine)
{
    enum { STEP = 7 };
    double c[STEP], s[STEP];
    for (int low = 0; low < STEP; low++) {
        c[low] = cos(low * a);
        s[low] = sin(low * a);
    }
    for (int high = 0; high < n; high += STEP) {
        double ch = cos(high * a), sh = sin(high * a);
        for (int low = 0; low < STEP && high + low < n; low++) {
            cosine[high + low] = ch * c[low] - sh * s[low];
            sine[high + low] = sh * c[low] + ch * s[low];
        }
    }
}

/* hat[(m + reach) NODES + i] is the transform at theta = pi i/(NODES - 1)
 * + 2 pi m. */
static void alias_hats(const struct window *window, int reach, double *hat)
{
    enum { n = ALIAS_NODES };
    double cosine[ALIAS_NODES], sine[ALIAS_NODES];
    if (strcmp(window_name(window), "bspline") == 0) { /* has a closed
                                                          formula */
        for (int m = -reach; m <= reach; m++)
            for (int i = 0; i < n; i++)
                hat[(m + reach) * n + i] =
                    window_hat(window, M_PI * i / (n - 1) + 2 * M_PI * m);
        return;
    }
    memset(hat, 0, (size_t)((2 * reach + 1) * n) * sizeof *hat);
    for (int q = 0; q < window->n_quad; q++) {
        double v = window->value[q], u = window->node[q];
        alias_turns(M_PI / (n - 1) * u, n, cosine, sine);
        for (int m = 0; m <= reach; m++) {
            /* whole turns of 2 pi m u are subtracted exactly */
            double turn = 2 * M_PI * (m * u - nearbyint(m * u));
            double c = v * cos(turn), s = v * sin(turn);
            double *up = hat + (reach + m) * n, *down = hat + (reach - m) * n;
            for (int i = 0; i < n; i++) {
                double even = c * cosine[i], odd = s * sine[i];
                up[i] += even - odd;
                down[i] += m ? even + odd : 0;
            }
        }
    }
}

/* One node of the alias tables, from the transforms of alias_hats. */
static void alias_node(struct alias *alias, const struct window *window,
                       int reach, double (*hat)[ALIAS_NODES], int i)
{
    double theta = M_PI * i / (ALIAS_NODES - 1), own = hat[reach][i];
    double s0 = 0, s1 = 0, s2 = 0, near = 0;
    for (int m = -reach; m <= reach; m++) {
        double at = theta + 2 * M_PI * m;
        /* (6.12): the derivative of the pieces omits the jump at the edge */
        double jump = 2 * window->edge * sin(at * window->support / 2)
                      / (2 * M_PI * own);
        double b = m ? hat[m + reach][i] / own : 0, e = m * b - jump;
        s0 += b * b;
        s1 += b * e;
        s2 += e * e;
        if (m == 1 || m == -1)
            near += b;
    }
    s0 = fmax(s0, 1e-34); /* rounding error of the transform */
    s2 = fmax(s2, 1e-34);
    alias->log0[i] = log(s0);
    alias->log2[i] = log(s2);
    alias->mean[i] = s1 / s0;
    alias->logs[i] = log(fmax(fabs(near), 1e-17));
    alias->sign[i] = near < 0 ? -1 : 1;
}

struct place {
    int i;
    double part;
};

static struct place alias_place(double theta)
{
    double x = theta / M_PI * (ALIAS_NODES - 1);
    int i = x >= ALIAS_NODES - 1 ? ALIAS_NODES - 2 : (int)x;
    return (struct place){i, x - i < 1 ? x - i : 1};
}

static double alias_at(const double *table, struct place at)
{
    return table[at.i] + at.part * (table[at.i + 1] - table[at.i]);
}

/* beta_1 + beta_-1; linear between two nodes where the sign changes. */
static double alias_sum(const struct alias *a, struct place at)
{
    if (a->sign[at.i] == a->sign[at.i + 1])
        return a->sign[at.i] * exp(alias_at(a->logs, at));
    double low = a->sign[at.i] * exp(a->logs[at.i]);
    double high = a->sign[at.i + 1] * exp(a->logs[at.i + 1]);
    return low + at.part * (high - low);
}

enum { ANGULAR = 16 };
/* An alias at the directions mu = (1 + y)/2 of one k: the sum of beta_m^2, its
 * mean m, the sum of beta_m^2 m^2, and |beta_1 + beta_-1|. */
struct alias_values {
    double square[ANGULAR], mean[ANGULAR], far[ANGULAR], near[ANGULAR];
};

static void alias_values(const struct alias *alias, double theta,
                         const double *y, struct alias_values *to)
{
    struct place place[ANGULAR];
    for (int j = 0; j < ANGULAR; j++) {
        double at = theta * ((1 + y[j]) / 2);
        place[j] = alias_place(at < M_PI ? at : M_PI);
        to->square[j] = alias_at(alias->log0, place[j]);
        to->mean[j] = alias_at(alias->mean, place[j]);
        to->far[j] = alias_at(alias->log2, place[j]);
        to->near[j] = alias_at(alias->logs, place[j]);
    }
    for (int j = 0; j < ANGULAR; j++) {
        to->square[j] = quick_exp(to->square[j]);
        to->far[j] = quick_exp(to->far[j]);
        to->near[j] = quick_exp(to->near[j]);
    }
    for (int j = 0; j < ANGULAR; j++)
        if (alias->sign[place[j].i] != alias->sign[place[j].i + 1])
            to->near[j] = fabs(alias_sum(alias, place[j]));
}

/* (9.30): w continues beyond its end as w(h) J_0(b sqrt(u^2/h^2 - 1)), h = P/2,
 * for prolate and Kaiser-Bessel windows of shape b; es has a steeper end, the
 * Gaussian continues as itself, and the B-spline ends at 0. */
static void alias_ended(struct alias *alias, const struct window *window)
{
    double h = window->support / 2.0, b = window->shape, b2 = b * b;
    double turn = 4 * M_PI * M_PI;
    if (strcmp(window_name(window), "gaussian") == 0)
        b2 = 2 * b;
    else if (strcmp(window_name(window), "es") == 0)
        b2 *= 2;
    alias->ended[0] = b2 / (h * turn);
    alias->ended[1] = b2 * b2 * b2 / (12 * h * h * h * turn * turn);
    alias->ended[2] = pow(b2, 5) / (320 * pow(h, 5) * turn * turn * turn);
}

/* Means of one k over its directions, at node i. */
static void alias_sphere(struct alias *alias, const struct window *window,
                         const double *hat, int i)
{
    const double *y, *v;
    double theta = 2 * M_PI * i / (SPHERE_NODES - 1), sum[4] = {0};
    struct alias_values at;
    poly_gauss(ANGULAR, &y, &v);
    alias_values(alias, theta, y, &at);
    for (int j = 0; j < ANGULAR; j++) {
        double w = v[j] / 2, mu = (1 + y[j]) / 2;
        sum[0] += w * at.square[j];
        sum[1] += w * mu * at.mean[j] * at.square[j];
        sum[2] += w * at.far[j];
        /* a sum that vanishes by chance does not reduce the estimate */
        sum[3] += w * at.near[j];
    }
    alias->all0[i] = log(sum[0]);
    alias->all1[i] = sum[1] / sum[0];
    alias->all2[i] = log(sum[2]);
    alias->alls[i] = log(fmax(sum[3], 1e-17));
    /* directions: as if each had the mean component */
    double end = window->edge / hat[i / 2];
    alias->ends[i] = log(fmax(end * end, 1e-34));
}

void alias_set(struct alias *alias, const struct window *window)
{
    int reach = window_reach(window);
    double hat[2 * REACH_MOST + 1][ALIAS_NODES];
    alias_hats(window, reach, hat[0]);
    for (int i = 0; i < ALIAS_NODES; i++)
        alias_node(alias, window, reach, hat, i);
    alias_ended(alias, window);
    for (int i = 0; i < SPHERE_NODES; i++)
        alias_sphere(alias, window, hat[reach], i);
}

void alias_means(const struct alias *alias, const struct band *band,
                 double spacing, struct alias_means *to)
{
    for (int i = 0; i < BAND_NODES; i++) {
        double x = band->k[i] * spacing * ((SPHERE_NODES - 1) / (2 * M_PI));
        int at = x < SPHERE_NODES - 2 ? (int)x : SPHERE_NODES - 2;
        struct place place = {at, x - at < 1 ? x - at : 1};
        to->square[i] = alias_at(alias->all0, place);
        to->mean[i] = alias_at(alias->all1, place);
        to->far[i] = alias_at(alias->all2, place);
        to->near[i] = alias_at(alias->alls, place);
        to->ends[i] = alias_at(alias->ends, place);
    }
    for (int i = 0; i < BAND_NODES; i++) {
        to->square[i] = quick_exp(to->square[i]);
        to->far[i] = quick_exp(to->far[i]);
        to->near[i] = quick_exp(to->near[i]);
        to->ends[i] = quick_exp(to->ends[i]);
    }
}

/* F of (6.11): replaces k^-2 in (6.5).  F is smooth and has the same integral
 * as k^-2 from k_0 on.  The second function is its integral over the band. */
double band_fall(double k, double lowest)
{
    double q = M_PI / 4 * lowest, d = k * k + q * q;
    return k * k / (d * d);
}

double band_fall_whole(const struct band *band, double lowest)
{
    double q = M_PI / 4 * lowest, c = band->c;
    return atan(c / q) / (2 * q) - c / (2 * (c * c + q * q));
}

/* Moments, (9.28): a source's mean square at |k|^2 = k2, over square(). */
static double moments_at(const struct pair *pair, double k2)
{
    if (!pair->kind->moments)
        return 1;
    return pair->charge * pair->charge + pair->dipole * pair->dipole * k2 / 3
           + pair->quadrupole * pair->quadrupole * k2 * k2 / 30;
}

/* An alias's mean squares: of beta; of beta times its wave vector; of beta
 * times the square of that; and times its cube.  With the window's end. */
struct alias_powers {
    double one, two, four, six;
};

/* two: without the window's end. */
static struct alias_powers powers_of(const struct alias *alias, double one,
                                     double two, double far, double ends)
{
    double f2 = far * far;
    return (struct alias_powers){
        one, two + f2 * alias->ended[0] * ends,
        two * two / one + f2 * f2 * alias->ended[1] * ends,
        two * two * two / (one * one) + f2 * f2 * f2 * alias->ended[2] * ends};
}

/* (9.28): an alias of interp at the target, and of spread at the source. */
static void moments_parts(const struct pair *pair, const struct alias_powers *a,
                          double k2, int potential, double *gather,
                          double *spread)
{
    double q = pair->charge * pair->charge;
    double p = pair->dipole * pair->dipole / 3, s = moments_at(pair, k2);
    double Q = pair->quadrupole * pair->quadrupole / 30;
    *gather = s * (potential ? a->one : q * a->two + p * a->four + Q * a->six);
    *spread =
        (q * a->one + p * a->two + Q * a->four) * (potential ? 1 : k2 * s);
}

/* The same as error_axis for sources with moments. */
static struct error_parts error_moments(const struct band *band,
                                        const struct alias *alias,
                                        double lowest, double spacing,
                                        double far, int potential)
{
    double along = 2 * M_PI / spacing, own = 0, zero[2];
    double whole = band_fall_whole(band, lowest), start = band->start;
    const struct pair *pair = &band->pair;
    struct error_parts p = {0};
    struct alias_means all;
    struct alias_powers a =
        powers_of(alias, exp(alias->log0[0]), far * far * exp(alias->log2[0]),
                  far, exp(alias->ends[0]));
    moments_parts(pair, &a, 0, potential, &zero[0], &zero[1]);
    alias_means(alias, band, spacing, &all);
    for (int i = 0; i < BAND_NODES; i++) {
        double k = band->k[i], g = band->gamma[i], one[2];
        double part = 2 * band->weight[i] * band_fall(k, lowest);
        double t0 = all.square[i];
        a = powers_of(alias, t0,
                      k * k * t0 + 2 * k * along * all.mean[i] * t0
                          + far * far * all.far[i],
                      far, all.ends[i]);
        moments_parts(pair, &a, k * k, potential, &one[0], &one[1]);
        own += band->weight[i] * g * all.near[i]
               * moments_at(pair, potential ? k * far / 2 : k * far);
        p.gather += part * (g * g * one[0] - start * start * zero[0]);
        p.spread += part * (g * g * one[1] - start * start * zero[1]);
    }
    p.gather += 2 * start * start * zero[0] * whole;
    p.spread += 2 * start * start * zero[1] * whole;
    p.self = 2 * own * own / (M_PI * M_PI) * (potential ? 4 : far * far);
    return p;
}

/* (9.29): beyond the cutoff the prolate split's E' continues as E'(1) J_0(c
 * sqrt(r^2 - 1)).  Its derivatives there are the forces of pairs with dipoles
 * and quadrupoles. */
static double moments_cut_far(const struct band *band, int potential)
{
    const struct pair *pair = &band->pair;
    double q = pair->charge * pair->charge, p = pair->dipole * pair->dipole;
    double Q = pair->quadrupole * pair->quadrupole / 30;
    double c2 = band->c * band->c, jump = band->edge * band->edge * c2;
    double all = band->cut_far[potential];
    if (!pair->kind->moments)
        return all;
    if (band->xi > 0) {
        double s = moments_at(pair, c2);
        return potential ? s * all : s * s * all;
    }
    if (potential)
        return q * all + p / 3 * band->cut_far[0] + Q * 2 * M_PI * jump;
    /* 4 pi times the integrals of the squares of E's derivatives 3, 4 and 5,
     * over jump c^4, c^8, c^12 */
    const double third = M_PI / 6, fourth = M_PI / 160, fifth = M_PI / 8064;
    double c4 = c2 * c2;
    return q * q * all + 2 * q * p * fmax(2 * M_PI / 3 * jump, all * c2 / 3)
           + (p * p / 9 + 2 * q * Q) * third * jump * c4
           + 2 * p / 3 * Q * fourth * jump * c4 * c4
           + Q * Q * fifth * jump * c4 * c4 * c4;
}

void error_set_cut(struct error_parts *parts, const struct band *band,
                   double volume, int potential)
{
    const struct pair *pair = &band->pair;
    double c2 = band->c * band->c, s = moments_at(pair, c2), self = 0;
    if (potential)
        self = band->self;
    else if (pair->kind->moments)
        self = band->self * pair->dipole * c2
               * (pair->charge / 3 + pair->quadrupole * c2 / 15);
    parts->cut_near =
        (potential ? s : s * s) * band->cut_near[potential] / volume;
    parts->cut_far = moments_cut_far(band, potential) / volume;
    parts->self = self * self;
}

/* Axis d of (6.5): gamma^2/k^2 times the mean over directions of sum_m beta_m^2
 * times |k + m K|^2 (gather) or k^2 (spread).  Also the square of (6.6), the
 * coherent sum of a particle's own aliases. */
static struct error_parts error_axis(const struct band *band,
                                     const struct alias *alias, double lowest,
                                     double spacing, double far, int potential)
{
    double along = 2 * M_PI / spacing, own = 0;
    double zero = potential ? exp(alias->log0[0])
                            : far * far * exp(alias->log2[0]);
    zero *= band->start * band->start;
    double whole = band_fall_whole(band, lowest);
    struct error_parts p = {0};
    struct alias_means all;
    alias_means(alias, band, spacing, &all);
    for (int i = 0; i < BAND_NODES; i++) {
        double k = band->k[i], g = band->gamma[i], t0 = all.square[i];
        double part = band->weight[i] * band_fall(k, lowest);
        double s = potential ? t0
                             : k * k * t0 + 2 * k * along * all.mean[i] * t0
                                   + far * far * all.far[i];
        own += band->weight[i] * g * all.near[i];
        p.gather += 2 * part * (g * g * s - zero);
        p.spread += 2 * part
                    * (g * g * t0 * (potential ? 1 : k * k)
                       - (potential ? zero : 0));
    }
    p.gather += 2 * zero * whole;
    p.spread += potential ? 2 * zero * whole : 0;
    p.self = 2 * own * own / (M_PI * M_PI) * (potential ? 4 : far * far);
    if (band->pair.kind->own == 0) /* odd in k: the sum vanishes */
        p.self = 0;
    return p;
}

void error_set(struct error_parts *parts, const struct band *band,
               const struct alias *alias, const struct cell *cell,
               const int64_t mesh[3], int potential)
{
    struct error_parts sum = {0}, axis = {0};
    error_set_cut(&sum, band, cell->volume, potential);
    double last_edge = 0, last_far = 0, lowest = cell_lowest(cell);
    for (int d = 0; d < 3; d++) {
        const double *a = cell->a + 3 * d;
        double edge = sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2])
                      / (double)mesh[d];
        /* |b_d| = 2 pi / height: the alias is M_d b_d away */
        double far = 2 * M_PI * (double)mesh[d] / cell->height[d];
        if (edge != last_edge || far != last_far)
            axis =
                band->pair.kind->moments
                    ? error_moments(band, alias, lowest, edge, far, potential)
                    : error_axis(band, alias, lowest, edge, far, potential);
        sum.gather += 4 / cell->volume * axis.gather;
        sum.spread += 4 / cell->volume * axis.spread;
        sum.self += axis.self;
        last_edge = edge;
        last_far = far;
    }
    *parts = sum;
}
