/* SPDX-License-Identifier: Apache-2.0 */
/* device.h: what the rows of interp on a device have in common. */
#ifndef FARSUM_STAGE_INTERP_DEVICE_H
#define FARSUM_STAGE_INTERP_DEVICE_H

#include "points/device/ordering.h"
#include "stage/device.h"
#include "cost/expected_rates.h"
#include "stage/interp/interp.h"

/* The host's twin of stage/interp/device.kh's struct. */
struct interp_gpu_args {
    struct mesh_args mesh;
    int64_t potential_channel, field_channel;
    double metric[9];
    int32_t potential, field;
};
_Static_assert(sizeof(struct interp_gpu_args) == 160,
               "must match stage/interp/device.kh");

/* State of a row; its first member, if it has more. */
struct interp_gpu {
    struct interp_args args;
    struct jit jit;
    struct kernel kernel;
    int64_t groups;              /* of a run, set by the row's set */
    double metric[9];            /* of the last set */
    const struct points *points; /* borrowed */
    struct gpu_kept kept;
};

/* OK if kernels can do it: a device, at most two parts, 32-bit indices. */
farsum_status interp_gpu_fits(const struct interp_args *args);
static inline int interp_gpu_values(const struct interp_args *args)
{
    return interp_channels(args) * interp_parts(args);
}
/* Begins a state: its text and what every kernel has defined; the row defines
 * more, then builds. */
void interp_gpu_begin(struct interp_gpu *s, const struct interp_args *args,
                      const char *file);
farsum_status interp_gpu_build(struct interp_gpu *s, const char *kernel,
                               int32_t group, int64_t arena);
void interp_gpu_clear(struct interp_gpu *s);
/* Points, which must be on the device, and metric; the row sorts and sets
 * `groups`. */
farsum_status interp_gpu_set(struct interp_gpu *s, const struct points *sources,
                             const struct points *targets);
/* What a run's kernel gets: results[]: potential, field; where one is not
 * wanted, the mesh stands in.  Checks the buffers. */
farsum_status interp_gpu_io(const struct interp_gpu *s,
                            const struct interp_io *io,
                            struct interp_gpu_args *args,
                            const struct buf *results[2]);

/* Bytes of all channels of the mesh, with padding. */
double interp_gpu_bytes(const struct interp_args *args);
struct gpu_rates interp_gpu_rates(const struct interp_args *args);
#endif
