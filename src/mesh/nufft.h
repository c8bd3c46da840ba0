/* SPDX-License-Identifier: Apache-2.0 */
/* nufft.h: internal state of farsum_nufft. */
#ifndef FARSUM_MESH_NUFFT_H
#define FARSUM_MESH_NUFFT_H

#include "mesh/mesh.h"

struct farsum_nufft {
    farsum_nufft_problem problem; /* all zeros replaced by defaults */
    farsum_mesh_options options;
    struct device *device; /* NULL: the host */
    int owns_device;
    struct nufft_gpu *gpu;    /* owned; NULL: the host.  On a device it holds
                                 grid and planar */
    struct farsum_mesh *mesh; /* owned.  Channels: on the host 2 batch, the real
                                 and imaginary part of each vector; on a device
                                 batch, complex */
    int batch;                /* vectors per transform; divides channels */
    int64_t step;             /* reals between the meshes of two channels */
    struct fft_args fft;
    struct choice choice;
    void *state;      /* owned, of the fft */
    double *scale[3]; /* owned, [|k|]: 1 / window_hat */
    void *grid;       /* owned, [2 batch][step] */
    void *planar;     /* owned, [2 batch][n], if required */
    int64_t planar_capacity;
    int64_t bytes, device_bytes; /* without the mesh's */
    double seconds_fft, seconds_create;
};

static inline size_t nufft_real(const struct farsum_nufft *n)
{
    return n->problem.precision == FARSUM_F32 ? 4 : 8;
}
/* 1: strengths and values are split into `planar`. */
static inline int nufft_planar(const struct farsum_nufft *n)
{
    return n->problem.type == 2 || n->batch > 1;
}

/* nufft_tune.c: chooses batch, and the mesh problem with the lowest cost. */
farsum_status nufft_tune(struct farsum_nufft *n, farsum_mesh_problem *best);
#endif
