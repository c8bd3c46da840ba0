/* SPDX-License-Identifier: Apache-2.0 */
/* nufft.h: internal state of farsum_nufft. */
#ifndef FARSUM_MESH_NUFFT_H
#define FARSUM_MESH_NUFFT_H

#include "mesh/mesh.h"

struct nufft_ranks;

/* The same for a NUFFT (mesh/ranks/nufft.h). */
struct nufft_over {
    farsum_status (*points)(struct farsum_nufft *nufft);
    farsum_status (*execute)(struct farsum_nufft *nufft, void *c, void *f);
    void (*destroy)(struct nufft_ranks *ranks);
};

struct farsum_nufft {
    farsum_nufft_problem problem; /* all zeros replaced by defaults */
    farsum_mesh_options options;
    struct device *device; /* NULL: the host */
    int owns_device;
    struct nufft_ranks *ranks; /* owned; NULL: one process */
    const struct nufft_over *over; /* NULL: one process */
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

/* nufft.c */
/* Copies the caller's problem and replaces zeros by defaults.  Fails with the
 * reason if the problem is invalid. */
farsum_status nufft_check(const farsum_nufft_problem *given,
                          farsum_nufft_problem *problem);
/* Tables of the modes' scales; fft and mesh must be set. */
farsum_status nufft_tables(struct farsum_nufft *n);
/* The step for a mesh of that many reals. */
int64_t nufft_step(const struct farsum_nufft *n, int64_t reals);
/* Fails if arrays are on a device and the NUFFT is not. */
farsum_status nufft_places(const struct farsum_nufft *n);
/* Adds the bytes allocated since `before`, except the mesh's. */
void nufft_holds(struct farsum_nufft *n, struct mesh_held before, int64_t bytes,
                 int64_t device_bytes);
/* nufft_run.c: splits the batch's interleaved complex vectors at c, of the
 * points of the mesh, into separate parts, or joins them. */
void nufft_split(const struct farsum_nufft *n, void *c, int to);
/* The address `reals` reals behind p. */
static inline char *nufft_at(const struct farsum_nufft *n, void *p,
                             int64_t reals)
{
    return (char *)p + reals * (int64_t)nufft_real(n);
}

/* nufft_tune.c: chooses batch, and the mesh problem with the lowest cost. */
farsum_status nufft_tune(struct farsum_nufft *n, farsum_mesh_problem *best);
#endif
