/* SPDX-License-Identifier: Apache-2.0 */
/* modes.c: fields of planes and rows of charges by their modes. */
#include "math/images/modes.h"

#include <math.h>
#include <string.h>

#include "base/hypot.h"
#include "math/bessel.h"

/* Adds the derivatives of front e^(b.d), b.b = 0: degree n has the factor
 * (-1)^n b_z^(n - m) (b_x + i b_y)^m/A_n^m.  zero, up: b_z, b_x + i b_y. */
static void add_wave(int p, struct cnum front, struct cnum zero, struct cnum up,
                     double *to)
{
    struct cnum top = front;
    for (int m = 0; m <= p; m++) {
        if (m > 0) {
            double f = -1 / sqrt((2.0 * m) * (2.0 * m - 1));
            top = (struct cnum){f * (top.re * up.re - top.im * up.im),
                                f * (top.re * up.im + top.im * up.re)};
        }
        struct cnum v = top;
        for (int n = m; n <= p; n++) {
            if (n > m) {
                double f = -1 / sqrt((double)(n - m) * (double)(n + m));
                v = (struct cnum){f * (v.re * zero.re - v.im * zero.im),
                                  f * (v.re * zero.im + v.im * zero.re)};
            }
            to[multipole_at(n, m)] += v.re;
            if (m > 0)
                to[multipole_at(n, -m)] += v.im;
        }
    }
}

/* The mode 0 of a plane, -2 pi |z|/A. */
static void add_mean(int p, int open, double z, double area, double *to)
{
    double slope = z > 0 ? 2 * M_PI / area : -2 * M_PI / area;
    to[0] -= 2 * M_PI * fabs(z) / area;
    if (p == 0)
        return;
    to[open == 0   ? multipole_at(1, 1)
       : open == 1 ? multipole_at(1, -1)
                   : multipole_at(1, 0)] += open == 2 ? slope : slope / M_SQRT2;
}

void multipole_plane_modes(int p, int open, const double cell[3],
                           const double d[3], double *to)
{
    int o = open, u = (o + 1) % 3, v = (o + 2) % 3;
    double z = d[o], area = cell[u] * cell[v];
    double most = multipole_modes_most(p) / fabs(z);
    int64_t iu = (int64_t)(most * cell[u] / (2 * M_PI));
    int64_t iv = (int64_t)(most * cell[v] / (2 * M_PI));
    add_mean(p, open, z, area, to);
    for (int64_t i = -iu; i <= iu; i++)
        for (int64_t j = -iv; j <= iv; j++) {
            double re[3] = {0}, im[3] = {0};
            im[u] = 2 * M_PI * (double)i / cell[u];
            im[v] = 2 * M_PI * (double)j / cell[v];
            double k = hypot_of(im[u], im[v]);
            if (k == 0 || k > most)
                continue;
            re[o] = z > 0 ? -k : k;
            double angle = im[u] * d[u] + im[v] * d[v];
            double f = 2 * M_PI / (area * k) * exp(-k * fabs(z));
            add_wave(p, (struct cnum){f * cos(angle), f * sin(angle)},
                     (struct cnum){re[2], im[2]},
                     (struct cnum){re[0] - im[1], im[0] + re[1]}, to);
        }
}

/* The mode 0 of a row along z, -2 ln(rho/L)/L.  turn: e^(i phi). */
static void add_line(int p, double rho, struct cnum turn, double edge,
                     double *to)
{
    struct cnum v = {1 / edge, 0};
    to[0] -= 2 * log(rho / edge) / edge;
    for (int m = 1; m <= p; m++) {
        /* 2^m (m - 1)!/(rho^m sqrt((2m)!)) */
        double f = m == 1 ? M_SQRT2 : (m - 1) / sqrt((m - 0.5) * m);
        v = (struct cnum){f / rho * (v.re * turn.re - v.im * turn.im),
                          f / rho * (v.re * turn.im + v.im * turn.re)};
        to[multipole_at(m, m)] += v.re;
        to[multipole_at(m, -m)] += v.im;
    }
}

/* Adds the modes k and -k of a row along z, (10.53). */
static void add_waves(int p, double k, const double d[3], double rho,
                      struct cnum turn, double edge, double *to)
{
    const double wave[4] = {cos(k * d[2]), -sin(k * d[2]), -cos(k * d[2]),
                            sin(k * d[2])};
    double bessel[2], g[2];
    struct cnum phase = {1, 0};
    bessel_k(k * rho, bessel);
    /* k^m K_m/sqrt((2m)!) of m and m + 1 */
    g[0] = 4 / edge * bessel[0];
    g[1] = 4 / edge * bessel[1] * k / M_SQRT2;
    for (int m = 0; m <= p; m++) {
        double v = g[0];
        for (int n = m; n <= p; n++) {
            if (n > m)
                v *= -k / sqrt((double)(n - m) * (double)(n + m));
            double f = v * wave[(n - m) % 4];
            to[multipole_at(n, m)] += f * phase.re;
            if (m > 0)
                to[multipole_at(n, -m)] += f * phase.im;
        }
        phase = (struct cnum){phase.re * turn.re - phase.im * turn.im,
                              phase.re * turn.im + phase.im * turn.re};
        double a = m + 1, two = sqrt((2 * a + 1) * (2 * a + 2));
        double next = k * k / (two * sqrt(2 * a * (2 * a - 1))) * g[0]
                      + 2 * a / (rho * two) * g[1];
        g[0] = g[1];
        g[1] = next;
    }
}

/* Exchanges x and z, then for a row along y x and y: phi becomes pi/2 - phi, a
 * factor i^m of the conjugate. */
static void row_turn(int p, int axis, const double *swap, double *s)
{
    double from[2 * MULTIPOLE_DEGREES];
    for (int n = 0; n <= p; n++) {
        int wide = 2 * n + 1;
        double *at = s + n * n;
        memcpy(from, at, (size_t)wide * sizeof *from);
        for (int i = 0; i < wide; i++, swap += wide) {
            /* real and imaginary parts do not mix */
            int first = i < n ? 0 : n, end = i < n ? n : wide;
            at[i] = 0;
            for (int j = first; j < end; j++)
                at[i] += swap[j] * from[j];
        }
        for (int m = 1; m <= n && axis == 1; m++) {
            static const double re[4] = {1, 0, -1, 0}, im[4] = {0, 1, 0, -1};
            double a = at[n + m], b = -at[n - m];
            at[n + m] = re[m % 4] * a - im[m % 4] * b;
            at[n - m] = re[m % 4] * b + im[m % 4] * a;
        }
    }
}

void multipole_row_modes(int p, int axis, double edge, const double *swap,
                         const double d[3], double *to)
{
    /* with the row along z; as row_turn, backwards */
    const double at[3] = {d[axis == 0   ? 2
                            : axis == 1 ? 2
                                        : 0],
                          d[axis == 1 ? 0 : 1], d[axis]};
    double rho = hypot_of(at[0], at[1]), most = multipole_modes_most(p) / rho;
    struct cnum turn = {at[0] / rho, at[1] / rho};
    int64_t modes = (int64_t)(most * edge / (2 * M_PI));
    memset(to, 0, (size_t)multipole_size(p) * sizeof *to);
    add_line(p, rho, turn, edge, to);
    for (int64_t i = 1; i <= modes; i++)
        add_waves(p, 2 * M_PI * (double)i / edge, at, rho, turn, edge, to);
    if (axis != 2)
        row_turn(p, axis, swap, to);
}
