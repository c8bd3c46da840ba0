/* SPDX-License-Identifier: Apache-2.0 */
/* device.h: common host code of the interp variants on devices. */
#ifndef FARSUM_STAGE_INTERP_DEVICE_H
#define FARSUM_STAGE_INTERP_DEVICE_H

#include "points/device/ordering.h"
#include "stage/device.h"
#include "cost/expected_rates.h"
#include "stage/interp/interp.h"

/* Host counterpart of the struct in stage/interp/device.kh. */
struct interp_gpu_args {
    struct mesh_args mesh;
    int64_t potential_channel, field_channel;
    double metric[9];
    int32_t potential, field, gradient, pad;
};
_Static_assert(sizeof(struct interp_gpu_args) == 168,
               "must match stage/interp/device.kh");

/* First member of a variant's state. */
struct interp_gpu {
    struct interp_args args;
    struct jit jit;
    struct kernel kernel;
    int64_t groups;              /* thread blocks of a run, set by the variant's
                                    set */
    double metric[9];            /* from the last set */
    const struct points *points; /* borrowed */
    struct gpu_ordering *ordering; /* held */
};

/* OK on a device, for at most two parts and within 32-bit indices.  The second:
 * also with second derivatives. */
farsum_status interp_gpu_fits(const struct interp_args *args);
farsum_status interp_gpu_bends_fit(const struct interp_args *args);
/* Sums per mesh point relative to those of the potential, for costs. */
static inline double interp_gpu_sums(const struct interp_args *args)
{
    return args->outputs & FARSUM_GRADIENT ? 3
           : args->outputs & FARSUM_FIELD  ? 2
                                           : 1;
}
static inline int interp_gpu_values(const struct interp_args *args)
{
    return interp_channels(args) * interp_parts(args);
}
/* Begins a state: its kernel text and the constants of every kernel.  The
 * variant defines more, then builds. */
void interp_gpu_begin(struct interp_gpu *s, const struct interp_args *args,
                      const char *file);
farsum_status interp_gpu_build(struct interp_gpu *s, const char *kernel,
                               int32_t group, int64_t arena);
void interp_gpu_clear(struct interp_gpu *s);
/* Takes the points, which must be on the device, and the metric.  The variant
 * sorts and sets `groups`. */
farsum_status interp_gpu_set(struct interp_gpu *s, const struct points *sources,
                             const struct points *targets);
/* Kernel arguments of a run; results[]: potential, field; an unused one is
 * replaced by the mesh.  The same for the gradient.  Checks the buffers. */
farsum_status interp_gpu_io(const struct interp_gpu *s,
                            const struct interp_io *io,
                            struct interp_gpu_args *args,
                            const struct buf *results[2]);
static inline const struct buf *interp_gpu_gradient(const struct interp_io *io)
{
    return io->gradient ? io->gradient : io->mesh;
}

/* Bytes of all channels of the mesh, with padding. */
double interp_gpu_bytes(const struct interp_args *args);
struct gpu_rates interp_gpu_rates(const struct interp_args *args);
#endif
