/* SPDX-License-Identifier: Apache-2.0 */
/* copy.h: runs a host transform; a mesh on a device is copied to the host and
 * back, which synchronises with the device.  Several lines or planes are copied
 * together. */
#ifndef FARSUM_STAGE_FFT_COPY_H
#define FARSUM_STAGE_FFT_COPY_H

#include "stage/fft/fft.h"

struct fft_copy {
    void *mesh; /* owned; NULL on the host */
    int count;  /* meshes that it holds: several lines or planes */
};

int64_t fft_mesh_bytes(const struct fft_args *args);
farsum_status fft_copy_create(struct fft_copy *copy,
                              const struct fft_args *args);
void fft_copy_clear(struct fft_copy *copy);
/* Additional bytes of state and host memory of a variant. */
int64_t fft_copy_bytes(const struct fft_args *args);
/* Seconds of the copies there and back; 0 on the host. */
double fft_copy_cost(const struct fft_args *args);
/* Transforms `count` meshes on the host, fft_step apart. */
typedef void fft_transform(void *state, void *data, int count, int backward);
/* Runs `transform` on all meshes, on the host or a device. */
farsum_status fft_copy_run(const struct fft_copy *copy,
                           const struct fft_args *args, const struct fft_io *io,
                           fft_transform *transform, void *state);
#endif
