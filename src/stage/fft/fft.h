/* SPDX-License-Identifier: Apache-2.0 */
/* fft.h: three-dimensional transforms of several meshes, in place, not
 * normalised.
 *
 * Real: forward from real [mesh0][mesh1][ldz] to complex [mesh0][mesh1][ldz/2],
 * of which mesh2/2 + 1 are used, sign e^{-i}; backward the reverse, e^{+i}.
 * Complex: [mesh0][mesh1][ldz/2], of which mesh2 are used, both ways. */
#ifndef FARSUM_STAGE_FFT_FFT_H
#define FARSUM_STAGE_FFT_FFT_H

#include "device/buf.h"
#include "stage/stage.h"

struct fft_args {
    farsum_precision precision;
    int threads;
    int64_t mesh[3];
    int64_t ldz;  /* reals per row: 2 (mesh2/2 + 1) or more; for a complex mesh
                     2 mesh2 or more, even */
    int patient;  /* 1: plan with more effort */
    struct device *device; /* borrowed; NULL: the host */
    int is_complex;
    int batch[2];       /* meshes per run, forward and backward; 0: 1 */
    int64_t batch_step; /* reals from one mesh to the next; 0: contiguous */
};

struct fft_io {
    void *data;   /* 64-byte aligned, or whole steps behind such an address
                     if mesh0 is 1; on a device a struct buf * */
    int backward;
};

/* The smallest n' >= n that is fast: even, with only the factors 2, 3, 5, 7. */
int64_t fft_good_size(int64_t n);
/* The same for three axes on a device, where a larger length may be faster. */
int64_t fft_good_size_device(int64_t n, farsum_precision precision);
/* Seconds of one mesh's transform from the machine's constants; common to the
 * host variants. */
double fft_cost(const struct fft_args *args, double rate);
/* The same for a device's own transform. */
double fft_cost_device(const struct fft_args *args);

/* Complex numbers used per row when the mesh is in modes. */
static inline int64_t fft_half(const struct fft_args *args)
{
    return args->is_complex ? args->mesh[2] : args->mesh[2] / 2 + 1;
}

static inline int fft_batch(const struct fft_args *args, int backward)
{
    return args->batch[backward] > 1 ? args->batch[backward] : 1;
}
/* Reals from one mesh to the next. */
static inline int64_t fft_step(const struct fft_args *args)
{
    return args->batch_step ? args->batch_step
                            : args->mesh[0] * args->mesh[1] * args->ldz;
}
/* ops.c: for one real mesh (5/2) n log2 n operations; each axis is a pass over
 * the mesh. */
void fft_ops(const void *args, struct work *work);

extern const struct stage fft_stage;
#endif
