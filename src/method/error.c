/* error.c: the error integrals, math.md (6.1)-(6.6). */
#include "method/error.h"

#include <math.h>
#include <string.h>

#include "math/poly.h"

void alias_set(struct alias *alias, const struct window *window)
{
    enum { REACH = 3 };
    for (int i = 0; i < ALIAS_NODES; i++) {
        double theta = M_PI * i / (ALIAS_NODES - 1);
        double own = window_hat(window, theta), s0 = 0, s1 = 0, s2 = 0;
        for (int m = -REACH; m <= REACH; m++) {
            if (m == 0)
                continue;
            double b = window_hat(window, theta + 2 * M_PI * m) / own;
            s0 += b * b;
            s1 += b * b * m;
            s2 += b * b * m * m;
        }
        s0 = fmax(s0, 1e-34); /* rounding of the transform */
        s2 = fmax(s2, s0);
        alias->log0[i] = log(s0);
        alias->log2[i] = log(s2);
        alias->mean[i] = s1 / s0;
    }
}

/* integral of f^2 from `from` to infinity for the tails of gamma: Gauss on
 * three stretches, then the envelope of E'(1) sin(k)/k. */
static double tail(const struct split *split, int power)
{
    enum { NODES = 12, STRETCHES = 3 };
    double x[NODES], w[NODES], sum = 0, from = split->c, width = 5;
    poly_gauss(NODES, x, w);
    for (int s = 0; s < STRETCHES; s++, from += width)
        for (int i = 0; i < NODES; i++) {
            double k = from + width * (1 + x[i]) / 2;
            double g = split_hat(split, k);
            sum += w[i] * width / 2 * g * g / (power ? k * k : 1);
        }
    double edge = split->xi > 0 ? 0 : split_de(split, 1);
    return sum + edge * edge / 2 / (power ? 3 * from * from * from : from);
}

/* Integral over r > 1 of (r times the near kernel)^2, (6.2): zero for a split
 * of compact support. */
static double beyond(const struct split *split, int potential)
{
    enum { NODES = 24 };
    double x[NODES], w[NODES], sum = 0;
    if (!(split->xi > 0))
        return 0;
    /* e^{-2 xi^2 (r^2 - 1)} is gone after a few 1/(4 xi^2) */
    double width = 12 / (4 * split->xi * split->xi);
    poly_gauss(NODES, x, w);
    for (int i = 0; i < NODES; i++) {
        double r = 1 + width * (1 + x[i]) / 2, z = split->xi * r;
        double e = erfc(z);
        double f = potential ? e
                             : e / r + 2 * split->xi / sqrt(M_PI) * exp(-z * z);
        sum += w[i] * width / 2 * f * f;
    }
    return sum;
}

void error_cut(const struct split *split, double volume, int potential,
               struct error_parts *parts)
{
    parts->cut_near = 4 * M_PI / volume * beyond(split, potential); /* (6.2) */
    parts->cut_far = 8 / volume * tail(split, potential);           /* (6.3) */
}

static double alias_at(const double *table, double theta)
{
    double x = theta / M_PI * (ALIAS_NODES - 1);
    int i = (int)x;
    i = i > ALIAS_NODES - 2 ? ALIAS_NODES - 2 : i;
    return table[i] + (x - i) * (table[i + 1] - table[i]);
}

/* Axis d of (6.5): integral over the band of gamma^2/k^2 times the mean over
 * directions of sum_m beta_m^2 (k^2 + |k + m K|^2). */
static double error_axis(const struct split *split, const struct alias *alias,
                         double spacing, double far, int potential)
{
    enum { RADIAL = 32, ANGULAR = 20 };
    double x[RADIAL], w[RADIAL], y[ANGULAR], v[ANGULAR], sum = 0;
    double along = 2 * M_PI / spacing;
    poly_gauss(RADIAL, x, w);
    poly_gauss(ANGULAR, y, v);
    for (int i = 0; i < RADIAL; i++) {
        double k = split->c * (1 + x[i]) / 2, g = split_hat(split, k), s = 0;
        for (int j = 0; j < ANGULAR; j++) {
            double mu = (1 + y[j]) / 2, theta = k * mu * spacing;
            if (theta > M_PI)
                theta = M_PI;
            double t0 = exp(alias_at(alias->log0, theta));
            double t1 = alias_at(alias->mean, theta) * t0;
            double t2 = exp(alias_at(alias->log2, theta));
            double both = potential ? 2 * t0
                                    : 2 * k * k * t0 + 2 * k * mu * along * t1
                                          + far * far * t2;
            s += v[j] / 2 * both;
        }
        sum += w[i] * split->c / 2 * g * g / (k * k) * s;
    }
    return 2 * sum;
}

double error_mesh(const struct split *split, const struct alias *alias,
                  const struct cell *cell, const int64_t mesh[3], int potential)
{
    double sum = 0;
    for (int d = 0; d < 3; d++) {
        const double *a = cell->a + 3 * d;
        double edge = sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2]);
        /* |b_d| = 2 pi / height: the alias is M_d b_d away */
        double far = 2 * M_PI * (double)mesh[d] / cell->height[d];
        sum += error_axis(split, alias, edge / (double)mesh[d], far, potential);
    }
    return 4 / cell->volume * sum;
}
