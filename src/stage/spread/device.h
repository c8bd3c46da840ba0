/* SPDX-License-Identifier: Apache-2.0 */
/* device.h: common host code of the spread variants on devices. */
#ifndef FARSUM_STAGE_SPREAD_DEVICE_H
#define FARSUM_STAGE_SPREAD_DEVICE_H

#include "points/device/set.h"
#include "stage/device.h"
#include "cost/expected_rates.h"
#include "stage/spread/spread.h"

/* First member of a variant's state. */
struct spread_gpu {
    struct spread_args args;
    struct jit jit;
    const struct points *points; /* borrowed since the last set */
    int64_t n;
};

/* OK if args name a device and are within the kernels' integer limits.  The
 * second: also with slopes. */
farsum_status spread_gpu_fits(const struct spread_args *args);
farsum_status spread_gpu_slopes_fit(const struct spread_args *args);
/* Begins a kernel text and defines the constants of stage/spread/strengths.kh
 * except ADD. */
void spread_gpu_channels(struct jit *jit, const struct spread_args *args,
                         const char *file);
/* Sets args, begins the variant's text and defines the window as well. */
void spread_gpu_begin(struct spread_gpu *gpu, const struct spread_args *args,
                      const char *file);
void spread_gpu_clear(struct spread_gpu *gpu);
/* Takes the points; fails if they are not on this device. */
farsum_status spread_gpu_set(struct spread_gpu *gpu,
                             const struct points *points);
/* Kernel arguments without io. */
struct mesh_args spread_gpu_mesh(const struct spread_gpu *gpu);
/* Kernel arguments for a run; fails if io's buffers are not on this device or
 * too small. */
farsum_status spread_gpu_io(const struct spread_gpu *gpu,
                            const struct spread_io *io, struct mesh_args *mesh);
/* Zeroes every channel of the mesh, including its padding. */
farsum_status spread_gpu_zero(const struct spread_gpu *gpu,
                              const struct spread_io *io);

/* mesh0 mesh1 ldz: rows of the spreading operator as a matrix, one per mesh
 * point and empty ones for the padding. */
int64_t spread_gpu_rows(const struct spread_args *args);
/* P^3 */
double spread_gpu_cube(const struct spread_args *args);
/* Reals per mesh point or particle. */
double spread_gpu_reals(const struct spread_args *args);

/* Bytes of all channels of the mesh, with padding. */
double spread_gpu_bytes(const struct spread_args *args);
struct gpu_rates spread_gpu_rates(const struct spread_args *args);
/* Particles that add to the fullest mesh point, beyond those of a uniform
 * distribution. */
double spread_gpu_peak(const struct spread_args *args);
/* Seconds to zero the mesh, or to write it once. */
double spread_gpu_write(const struct spread_args *args);
#endif
