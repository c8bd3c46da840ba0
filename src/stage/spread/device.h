/* SPDX-License-Identifier: Apache-2.0 */
/* device.h: what the room's rows on a device have in common. */
#ifndef FARSUM_STAGE_SPREAD_DEVICE_H
#define FARSUM_STAGE_SPREAD_DEVICE_H

#include "points/device/set.h"
#include "stage/device.h"
#include "cost/expected_rates.h"
#include "stage/spread/spread.h"

/* The first field of a row's state. */
struct spread_gpu {
    struct spread_args args;
    struct jit jit;
    const struct points *points; /* borrowed; since the last set */
    int64_t n;
};

/* OK if args are for a device, and within what kernels count with. */
farsum_status spread_gpu_fits(const struct spread_args *args);
/* Begins a text with what stage/spread/strengths.kh wants but ADD. */
void spread_gpu_channels(struct jit *jit, const struct spread_args *args,
                         const char *file);
/* args, and the row's text with the window too. */
void spread_gpu_begin(struct spread_gpu *gpu, const struct spread_args *args,
                      const char *file);
void spread_gpu_clear(struct spread_gpu *gpu);
/* Points that are on this device, or a message. */
farsum_status spread_gpu_set(struct spread_gpu *gpu,
                             const struct points *points);
/* What kernels are told when there is no io. */
struct mesh_args spread_gpu_mesh(const struct spread_gpu *gpu);
/* And in a run; checks that io's buffers are on this device and large
 * enough. */
farsum_status spread_gpu_io(const struct spread_gpu *gpu,
                            const struct spread_io *io, struct mesh_args *mesh);
/* Zeroes every channel of the mesh, its padding too. */
farsum_status spread_gpu_zero(const struct spread_gpu *gpu,
                              const struct spread_io *io);

/* mesh0 mesh1 ldz: rows of the spreading operator as a matrix, one for each
 * mesh point and empty ones for the padding. */
int64_t spread_gpu_rows(const struct spread_args *args);
/* P^3 */
double spread_gpu_cube(const struct spread_args *args);
/* Reals that a mesh point, or a particle, has. */
double spread_gpu_reals(const struct spread_args *args);

/* Bytes of all channels of the mesh, with padding. */
double spread_gpu_bytes(const struct spread_args *args);
struct gpu_rates spread_gpu_rates(const struct spread_args *args);
/* Particles that add to the one mesh point that gets most, beyond what uniform
 * ones would. */
double spread_gpu_peak(const struct spread_args *args);
/* Seconds that zeroing the mesh, or writing it once, takes. */
double spread_gpu_write(const struct spread_args *args);
#endif
