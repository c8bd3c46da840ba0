/* SPDX-License-Identifier: Apache-2.0 */
/* multipole_lattice.c: sums of S over an orthorhombic lattice, (10.13), as
 * Ewald sums.  The direct sum has the tails of S weighted by incomplete gamma
 * functions; the rest is summed over wave vectors.  Both converge like exp(-x)
 * for every degree. */
#include <math.h>
#include <string.h>

#include "math/multipole.h"

struct lattice {
    int p;
    const double *cell, *near, *d;
    double a, volume, most; /* the sums end at a^2 r^2, k^2/4a^2 <= most */
    double *s;
};

/* All terms are positive, so no digits cancel. */
void multipole_gammas(int p, double x, double *high, double *low)
{
    double e = exp(-x), t[MULTIPOLE_DEGREES + 1];
    t[0] = 2 * sqrt(x / M_PI) * e; /* e^-x x^(j + 1/2)/Gamma(j + 3/2) */
    for (int j = 0; j < p; j++)
        t[j + 1] = t[j] * x / (j + 1.5);
    high[0] = erfc(sqrt(x));
    for (int n = 0; n < p; n++)
        high[n + 1] = high[n] + t[n];
    double last = t[p], sum = 0;
    for (int j = p; last > 1e-20 * sum && last > 0; j++) {
        sum += last;
        last *= x / (j + 1.5);
    }
    low[p] = sum;
    for (int n = p - 1; n >= 0; n--)
        low[n] = low[n + 1] + t[n];
}

static void lattice_near_term(struct lattice *w, const double at[3])
{
    double r2 = at[0] * at[0] + at[1] * at[1] + at[2] * at[2];
    double high[MULTIPOLE_DEGREES], low[MULTIPOLE_DEGREES];
    double term[MULTIPOLE_FIELD];
    int near = 1;
    for (int c = 0; c < 3; c++)
        near &= fabs(at[c]) < w->near[c];
    if (r2 == 0) {
        w->s[0] -= 2 * w->a / sqrt(M_PI);
        return;
    }
    double x = w->a * w->a * r2;
    if (x > w->most && !near)
        return;
    multipole_gammas(w->p, x, high, low);
    multipole_singular(w->p, at, term);
    for (int n = 0, k = 0; n <= w->p; n++)
        for (; k < multipole_size(n); k++)
            w->s[k] += term[k] * (near ? -low[n] : high[n]);
}

static void lattice_near_sum(struct lattice *w)
{
    double radius = sqrt(w->most) / w->a;
    int64_t low[3], high[3], m[3];
    for (int c = 0; c < 3; c++) {
        double reach = fmax(radius, w->near[c]);
        low[c] = (int64_t)ceil((-reach - w->d[c]) / w->cell[c]);
        high[c] = (int64_t)floor((reach - w->d[c]) / w->cell[c]);
    }
    for (m[2] = low[2]; m[2] <= high[2]; m[2]++)
        for (m[1] = low[1]; m[1] <= high[1]; m[1]++)
            for (m[0] = low[0]; m[0] <= high[0]; m[0]++) {
                double at[3];
                for (int c = 0; c < 3; c++)
                    at[c] = w->d[c] + w->cell[c] * (double)m[c];
                lattice_near_term(w, at);
            }
}

/* The terms of k and -k together. */
static void lattice_far_term(struct lattice *w, const double k[3])
{
    double half[3], r[MULTIPOLE_FIELD], k2 = 0, angle = 0;
    for (int c = 0; c < 3; c++) {
        half[c] = k[c] / (2 * w->a);
        k2 += half[c] * half[c];
        angle += k[c] * w->d[c];
    }
    if (k2 > w->most)
        return;
    /* 4 pi^(3/2) a^n/(V Gamma(n + 1/2)), k^2 = 4 a^2 k2 */
    double front = 2 * M_PI * exp(-k2) / (w->volume * 2 * w->a * w->a * k2);
    multipole_regular(w->p, half, r);
    for (int n = 0, j = 0; n <= w->p; n++) {
        double wave = n % 2 ? sin(angle) : cos(angle);
        double f = 2 * front * wave * (n / 2 % 2 ? -1 : 1);
        for (; j < multipole_size(n); j++)
            w->s[j] += f * r[j];
        front *= w->a / (n + 0.5);
    }
}

static void lattice_far_sum(struct lattice *w)
{
    int64_t most[3], n[3];
    for (int c = 0; c < 3; c++)
        most[c] = (int64_t)(2 * w->a * sqrt(w->most) * w->cell[c]
                            / (2 * M_PI));
    for (n[0] = 0; n[0] <= most[0]; n[0]++)
        for (n[1] = -most[1]; n[1] <= most[1]; n[1]++)
            for (n[2] = -most[2]; n[2] <= most[2]; n[2]++) {
                if (n[0] == 0 && (n[1] < 0 || (n[1] == 0 && n[2] <= 0)))
                    continue;
                double k[3];
                for (int c = 0; c < 3; c++)
                    k[c] = 2 * M_PI * (double)n[c] / w->cell[c];
                lattice_far_term(w, k);
            }
}

farsum_status multipole_lattice(int p, const double cell[3],
                                const double near[3], const double d[3],
                                double *s)
{
    struct lattice w = {.p = p, .cell = cell, .near = near, .d = d, .s = s};
    if (p < 0 || p >= MULTIPOLE_DEGREES)
        FAIL(ERR_INTERNAL, "a lattice sum of degree %d", p);
    w.volume = cell[0] * cell[1] * cell[2];
    w.a = sqrt(M_PI) / cbrt(w.volume);
    w.most = 50 + p + 6 * sqrt(p);
    memset(s, 0, (size_t)multipole_size(p) * sizeof *s);
    lattice_near_sum(&w);
    lattice_far_sum(&w);
    s[0] -= M_PI / (w.a * w.a * w.volume);
    return FARSUM_OK;
}
