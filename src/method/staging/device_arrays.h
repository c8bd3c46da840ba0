/* SPDX-License-Identifier: Apache-2.0 */
/* device_arrays.h: input and output arrays of a method on a device: a caller's
 * arrays on the device, or the method's own for a caller on the host, whose
 * right-hand sides are transferred one by one. */
#ifndef FARSUM_METHOD_STAGING_DEVICE_ARRAYS_H
#define FARSUM_METHOD_STAGING_DEVICE_ARRAYS_H

#include "device/buf.h"
#include "task/task.h"

/* Arrays on the device, of the caller's type; energy and virial f64. */
struct gpu_arrays {
    struct buf q, potential, field, gradient, energy, virial, velocity,
        particle_virial;
};

/* Numbers of sources and targets, bytes per number, numbers per strength. */
struct gpu_counts {
    int64_t n, m, size, strengths;
};

/* Input and output of one right-hand side. */
struct gpu_ends {
    const struct buf *q;
    const struct buf *potential, *field, *gradient, *energy, *virial, *velocity,
        *particle_virial;       /* NULL: not requested */
    int64_t first_q, first_out; /* its first index in q and in the results */
    int64_t rhs;                /* its index in energy and virial */
};

struct gpu_counts gpu_counts(const struct task *task, int64_t n, int64_t m);
/* Allocates one right-hand side of the plan's outputs, if its caller's arrays
 * are on the host. */
farsum_status gpu_arrays_reserve(struct gpu_arrays *arrays,
                                 const struct task *task, int64_t n, int64_t m);
void gpu_arrays_clear(struct gpu_arrays *arrays);
/* Borrows the caller's arrays of `rhs` right-hand sides.  Fails if the device
 * is found to be unable to use one of them. */
farsum_status gpu_arrays_given(struct gpu_arrays *arrays, struct device *device,
                               const struct gpu_counts *counts, int rhs,
                               const void *q, const farsum_result *result);
/* Uploads right-hand side r; downloads its requested results. */
farsum_status gpu_arrays_upload(struct gpu_arrays *arrays,
                                const struct gpu_counts *counts, int r,
                                const void *q);
farsum_status gpu_arrays_download(const struct gpu_arrays *arrays,
                                  const struct gpu_counts *counts, int r,
                                  const farsum_result *result);
/* Fails if results that should be on the host are found not to be; strengths
 * were checked before. */
farsum_status gpu_ends_host(struct device *device, const farsum_result *result);
/* Fails with the message that results of right-hand side r are not in the range
 * of their type. */
farsum_status gpu_ends_range(const struct task *task, int64_t r);
/* The first right-hand side of the arrays, without outputs that are not
 * requested. */
struct gpu_ends gpu_ends(const struct gpu_arrays *arrays,
                         const farsum_result *result);
/* Over ranks: totals that are asked for, but by other ranks only, go to memory
 * that is not read. */
farsum_status gpu_ends_spare(struct gpu_ends *ends, struct device *device,
                             struct buf *spare, int rhs,
                             const farsum_result *asked,
                             const farsum_result *result);
#endif
