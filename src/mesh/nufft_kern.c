/* SPDX-License-Identifier: Apache-2.0 */
/* nufft_kern.c: conversion between rows of modes and rows of half spectra. */
#include "mesh/nufft_kern.h"

#include "base/simd.h"

static inline int64_t wrapped(int64_t k, int64_t mesh)
{
    return k < 0 ? k + mesh : k;
}

/* Row (k0, k1) of the real part's half spectrum. */
static inline real *spectrum(const struct nufft_job *job, int64_t k0,
                             int64_t k1)
{
    return (real *)job->grid
           + (wrapped(k0, job->mesh[0]) * job->mesh[1]
              + wrapped(k1, job->mesh[1]))
                 * job->ldz;
}

static void modes_of(const struct nufft_job *job, double scale, const void *row,
                     int conj, int64_t first, int64_t end, void *to)
{
    real *f = to, c = conj ? R(-1) : R(1);
    for (int64_t k2 = first; k2 < end; k2++, f += 2) {
        int64_t size = k2 < 0 ? -k2 : k2;
        const real *re = (const real *)row + 2 * size;
        const real *im = re + job->step;
        real s = R(scale * job->scale[2][size]);
        f[0] = s * (re[0] - c * im[1]);
        f[1] = s * (c * re[1] + im[0]);
    }
}

static void collect(const struct nufft_job *job, int64_t row)
{
    int64_t n2 = job->modes[2], half = n2 / 2;
    int64_t k0 = row / job->modes[1] - job->modes[0] / 2;
    int64_t k1 = row % job->modes[1] - job->modes[1] / 2;
    double scale =
        job->scale[0][k0 < 0 ? -k0 : k0] * job->scale[1][k1 < 0 ? -k1 : k1];
    int turn = job->sign < 0 ? 1 : -1; /* the transform's sign is - */
    const real *plus = spectrum(job, turn * k0, turn * k1);
    const real *minus = spectrum(job, -turn * k0, -turn * k1);
    int64_t middle = turn > 0 ? 0 : 1; /* modes with turn k2 < 0 are conjugates
                                          of -k */
    real *f = (real *)job->f + row * n2 * 2;
    modes_of(job, scale, turn > 0 ? minus : plus, turn > 0, -half, middle, f);
    modes_of(job, scale, turn > 0 ? plus : minus, turn < 0, middle, n2 - half,
             f + 2 * (half + middle));
}

/* Row (k0, k1) of the modes; NULL if it is outside. */
static inline const real *modes(const struct nufft_job *job, int64_t k0,
                                int64_t k1)
{
    int64_t i0 = k0 + job->modes[0] / 2, i1 = k1 + job->modes[1] / 2;
    if (i0 < 0 || i0 >= job->modes[0] || i1 < 0 || i1 >= job->modes[1])
        return NULL;
    return (const real *)job->f
           + 2
                 * ((i0 * job->modes[1] + i1) * job->modes[2]
                    + job->modes[2] / 2);
}

static inline int64_t signed_mode(int64_t m, int64_t mesh)
{
    return 2 * m > mesh ? m - mesh : m;
}

static void spectra_of(const struct nufft_job *job, double scale, int64_t turn,
                       const void *of_plus, const void *of_minus, void *row)
{
    const real *plus = of_plus, *minus = of_minus;
    int64_t n2 = job->modes[2], half = n2 / 2, last = (n2 - 1) / 2;
    real *re = row, *im = re + job->step;
    int64_t end = plus || minus ? half + 1 : 0;
    for (int64_t k = 0; k < end; k++) {
        /* an even count has the mode -half, but not +half */
        int has_plus = plus && (k <= last || turn < 0);
        int has_minus = minus && (k <= last || turn > 0);
        const real *p = has_plus ? plus + 2 * turn * k : NULL;
        const real *m = has_minus ? minus - 2 * turn * k : NULL;
        real pr = p ? p[0] : 0, pi = p ? p[1] : 0;
        real mr = m ? m[0] : 0, mi = m ? m[1] : 0;
        real s = R(0.5 * scale * job->scale[2][k]);
        re[2 * k] = s * (pr + mr);
        re[2 * k + 1] = s * (pi - mi);
        im[2 * k] = s * (pi + mi);
        im[2 * k + 1] = s * (mr - pr);
    }
    for (int64_t z = 2 * end; z < job->ldz; z++)
        re[z] = im[z] = 0;
}

static void place(const struct nufft_job *job, int64_t row)
{
    int64_t k0 = signed_mode(row / job->mesh[1], job->mesh[0]);
    int64_t k1 = signed_mode(row % job->mesh[1], job->mesh[1]);
    int64_t turn = job->sign > 0 ? 1 : -1; /* the transform's sign is + */
    const real *plus = modes(job, turn * k0, turn * k1);
    const real *minus = modes(job, -turn * k0, -turn * k1);
    double scale = 0;
    if (plus || minus)
        scale =
            job->scale[0][k0 < 0 ? -k0 : k0] * job->scale[1][k1 < 0 ? -k1 : k1];
    spectra_of(job, scale, turn, plus, minus,
               (real *)job->grid + row * job->ldz);
}

extern const struct nufft_kern ISA_NAME(nufft);
const struct nufft_kern ISA_NAME(nufft) = {collect, place, modes_of,
                                           spectra_of};
