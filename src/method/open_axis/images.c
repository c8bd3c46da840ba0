/* SPDX-License-Identifier: Apache-2.0 */
/* images.c: waves of the images above and below a slab, by kernel (math.md 9.7
 * and 9.9).
 *
 * A sheet of 1/r is a wave e^(i k.x + s e.x) beyond its sources, and one of r
 * is that wave times a number plus one of e.x.  A flow is made of derivatives
 * of either, in which the wave gives the complex vector K = i k + s e. */
#include "method/open_axis/images.h"

#include <complex.h>
#include <string.h>

typedef double complex number;

static number number_of(const double v[2])
{
    return v[0] + I * v[1];
}

static void numbers(const double v[][2], int n, number to[])
{
    for (int a = 0; a < n; a++)
        to[a] = number_of(v[a]);
}

static void put(double to[2], number v)
{
    to[0] = creal(v);
    to[1] = cimag(v);
}

static void wave_vector(const struct open_wave *w, number k[3])
{
    for (int d = 0; d < 3; d++)
        k[d] = w->size * w->e[d] + I * w->k[d];
}

static number dot(const number *a, const number *b)
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* A wave of r at distance z along e is once (z - lag - 1/s), (9.41). */
static double wave_once(const struct open_wave *w)
{
    return w->front / w->size;
}

static double wave_late(const struct open_wave *w)
{
    return w->lag + 1 / w->size;
}

static void scalar_sheet(const struct open_wave *wave, const double m[][2],
                         const double n[][2], double a[][2], double b[][2])
{
    number k[3], sum = wave->front * number_of(m[0]);
    (void)n;
    wave_vector(wave, k);
    put(a[0], sum);
    for (int d = 0; d < 3; d++)
        put(a[1 + d], k[d] * sum);
    memset(b, 0, 4 * sizeof *b);
}

static void scalar_plane(const double e[3], const double *channel,
                         double even[OPEN_VALUES], double slope[OPEN_VALUES])
{
    memset(even, 0, OPEN_VALUES * sizeof *even);
    even[0] = channel[0];
    slope[0] = 0;
    for (int d = 0; d < 3; d++)
        slope[1 + d] = channel[0] * e[d];
}

/* (9.42): (laplacian - nabla nabla) of r's waves. */
static void stokeslet_sheet(const struct open_wave *wave, const double m[][2],
                            const double n[][2], double a[][2], double b[][2])
{
    number k[3], f[3], fz[3];
    double once = wave_once(wave), late = wave_late(wave);
    wave_vector(wave, k);
    numbers(m, 3, f);
    numbers(n, 3, fz);
    number p = dot(k, f), pz = dot(k, fz), along = 0;
    for (int d = 0; d < 3; d++)
        along += wave->e[d] * f[d];
    for (int d = 0; d < 3; d++) {
        put(a[d], once
                      * (2 * wave->size * f[d] + k[d] * (late * p + pz - along)
                         - wave->e[d] * p));
        put(b[d], -once * k[d] * p);
    }
}

static void stokeslet_plane(const double e[3], const double *f,
                            double even[OPEN_VALUES], double slope[OPEN_VALUES])
{
    double along = e[0] * f[0] + e[1] * f[1] + e[2] * f[2];
    memset(slope, 0, OPEN_VALUES * sizeof *slope);
    for (int d = 0; d < 3; d++)
        even[d] = 2 * (f[d] - e[d] * along);
    even[3] = 0;
}

/* (9.43): K x t */
static void rotlet_sheet(const struct open_wave *wave, const double m[][2],
                         const double n[][2], double a[][2], double b[][2])
{
    number k[3], t[3];
    (void)n;
    wave_vector(wave, k);
    numbers(m, 3, t);
    for (int d = 0; d < 3; d++) {
        int p = (d + 1) % 3, q = (d + 2) % 3;
        put(a[d], wave->front * (k[p] * t[q] - k[q] * t[p]));
    }
    memset(b, 0, 3 * sizeof *b);
}

static void rotlet_plane(const double e[3], const double *t,
                         double even[OPEN_VALUES], double slope[OPEN_VALUES])
{
    memset(even, 0, OPEN_VALUES * sizeof *even);
    for (int d = 0; d < 3; d++) {
        int p = (d + 1) % 3, q = (d + 2) % 3;
        slope[d] = e[p] * t[q] - e[q] * t[p];
    }
    slope[3] = 0;
}

/* S v, S = xx xy xz yy yz zz. */
static void times(const number s[6], const number v[3], number to[3])
{
    to[0] = s[0] * v[0] + s[1] * v[1] + s[2] * v[2];
    to[1] = s[1] * v[0] + s[3] * v[1] + s[4] * v[2];
    to[2] = s[2] * v[0] + s[4] * v[1] + s[5] * v[2];
}

/* (9.44): (2 S nabla + tr(S) nabla) laplacian - 2 nabla (nabla.S nabla) of r's
 * waves. */
static void stresslet_sheet(const struct open_wave *wave, const double m[][2],
                            const double n[][2], double a[][2], double b[][2])
{
    number k[3], s[6], sz[6], sk[3], szk[3], along = 0;
    double once = 2 * wave_once(wave), late = wave_late(wave);
    wave_vector(wave, k);
    numbers(m, 6, s);
    numbers(n, 6, sz);
    times(s, k, sk);
    times(sz, k, szk);
    number p = dot(k, sk), pz = dot(k, szk), trace = s[0] + s[3] + s[5];
    for (int d = 0; d < 3; d++)
        along += wave->e[d] * sk[d];
    for (int d = 0; d < 3; d++) {
        put(a[d],
            once
                * (wave->size * (2 * sk[d] + trace * k[d])
                   + k[d] * (late * p + pz - 2 * along) - wave->e[d] * p));
        put(b[d], -once * k[d] * p);
    }
}

static void stresslet_plane(const double e[3], const double *channel,
                            double even[OPEN_VALUES], double slope[OPEN_VALUES])
{
    number s[6], n[3] = {e[0], e[1], e[2]}, se[3];
    for (int c = 0; c < 6; c++)
        s[c] = channel[c];
    times(s, n, se);
    double across = creal(dot(n, se)),
           trace = channel[0] + channel[3] + channel[5];
    memset(even, 0, OPEN_VALUES * sizeof *even);
    for (int d = 0; d < 3; d++)
        slope[d] = 2 * (2 * creal(se[d]) + (trace - 2 * across) * e[d]);
    slope[3] = 0;
}

static const struct open_images rows[] = {
    {"laplace", scalar_sheet, scalar_plane},
    {"yukawa", scalar_sheet, scalar_plane},
    {"stokeslet", stokeslet_sheet, stokeslet_plane},
    {"rotlet", rotlet_sheet, rotlet_plane},
    {"stresslet", stresslet_sheet, stresslet_plane},
};

const struct open_images *open_axis_images(const char *kernel)
{
    const struct open_images *row = rows;
    while (strcmp(row->kernel, kernel) != 0)
        row++;
    return row;
}
