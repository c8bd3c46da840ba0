/* SPDX-License-Identifier: Apache-2.0 */
/* nufft_kern.h: kernels of nufft_kern.c for one instruction set: conversion
 * between the modes of a complex vector and the half spectra of its two real
 * meshes (docs/math.md section 8). */
#ifndef FARSUM_MESH_NUFFT_KERN_H
#define FARSUM_MESH_NUFFT_KERN_H

#include <stdint.h>

struct nufft_job {
    int64_t modes[3], mesh[3], ldz;
    int64_t step; /* reals between the meshes of real and imaginary part */
    int sign;
    const double *scale[3]; /* [|k_d|]: 1 / window_hat */
    void *grid, *f;         /* [2][mesh0][mesh1][ldz]; [N0][N1][N2], complex */
};

struct nufft_kern {
    /* Computes the modes (row / N1, row % N1, all) from the spectra: (8.5). */
    void (*collect)(const struct nufft_job *, int64_t row);
    /* Computes the spectra (row / mesh1, row % mesh1, all) from the modes:
     * (8.6). */
    void (*place)(const struct nufft_job *, int64_t row);
    /* The parts of both, for modes and spectra that lie elsewhere.  They read
     * only modes[2], ldz, step and scale[2] of the job.
     * modes: computes the modes first <= k2 < end from a row of the real part's
     * spectrum; conj: 1: the row is that of mode -k.  scale: product of the
     * other axes' scales.
     * spectra: computes a row from the rows of modes that begin at k2 = 0 at
     * plus and minus, NULL: all 0; k2 = turn k in plus and -turn k in minus. */
    void (*modes)(const struct nufft_job *, double scale, const void *row,
                  int conj, int64_t first, int64_t end, void *f);
    void (*spectra)(const struct nufft_job *, double scale, int64_t turn,
                    const void *plus, const void *minus, void *row);
};
#endif
