/* SPDX-License-Identifier: Apache-2.0 */
/* device.h: a slab's images above and below on a device (open_axis.h). */
#ifndef FARSUM_METHOD_OPEN_AXIS_DEVICE_H
#define FARSUM_METHOD_OPEN_AXIS_DEVICE_H

#include "method/spectral/device.h"

/* Creates the kernels. */
farsum_status gpu_open_axis_create(struct spectral_gpu *g,
                                   farsum_precision type);
void gpu_open_axis_destroy(struct gpu_open_axis *o); /* NULL is legal */
/* As open_axis_set_points, for positions that have been placed.  Waits. */
farsum_status gpu_open_axis_set_points(const struct task *task,
                                       struct spectral *s, int64_t n,
                                       int64_t m);
/* Adds the images to the results of one right-hand side, in units of the
 * cutoff. */
farsum_status gpu_open_axis_add(struct spectral *s,
                                const struct spectral_units *units);
#endif
