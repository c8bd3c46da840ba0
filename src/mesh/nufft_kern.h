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
};
#endif
