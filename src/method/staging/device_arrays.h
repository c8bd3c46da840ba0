/* SPDX-License-Identifier: Apache-2.0 */
/* device_arrays.h: where the sums of a method on a device come from and go to:
 * a caller's arrays there, or those of the method's own through which one
 * right-hand side after another of a caller on the host goes. */
#ifndef FARSUM_METHOD_STAGING_DEVICE_ARRAYS_H
#define FARSUM_METHOD_STAGING_DEVICE_ARRAYS_H

#include "device/buf.h"
#include "task/task.h"

/* On the device, of the caller's type; energy and virial f64. */
struct gpu_arrays {
    struct buf q, potential, field, energy, virial, velocity;
};

/* Sources and targets, bytes of a number, numbers of a strength. */
struct gpu_counts {
    int64_t n, m, size, strengths;
};

/* Where one right-hand side comes from and goes to. */
struct gpu_ends {
    const struct buf *q;
    const struct buf *potential, *field, *energy, *virial,
        *velocity;              /* NULL: not wanted */
    int64_t first_q, first_out; /* of it in q and in the results */
    int64_t rhs;                /* of it in energy and virial */
};

struct gpu_counts gpu_counts(const struct task *task, int64_t n, int64_t m);
/* Memory for one right-hand side of the outputs in a plan, if its caller's
 * arrays are the host's. */
farsum_status gpu_arrays_reserve(struct gpu_arrays *arrays,
                                 const struct task *task, int64_t n, int64_t m);
void gpu_arrays_clear(struct gpu_arrays *arrays);
/* The caller's own, of `rhs` right-hand sides; fails if it can be told that
 * the device cannot use one of them. */
farsum_status gpu_arrays_given(struct gpu_arrays *arrays, struct device *device,
                               const struct gpu_counts *counts, int rhs,
                               const void *q, const farsum_result *result);
/* Right-hand side r to the device, and what a result wants of it back. */
farsum_status gpu_arrays_upload(struct gpu_arrays *arrays,
                                const struct gpu_counts *counts, int r,
                                const void *q);
farsum_status gpu_arrays_download(const struct gpu_arrays *arrays,
                                  const struct gpu_counts *counts, int r,
                                  const farsum_result *result);
/* Fails if it can be told that results which are said to be on the host are
 * not; strengths were looked at. */
farsum_status gpu_ends_host(struct device *device, const farsum_result *result);
/* Fails: results of right-hand side r are not in the range of their type. */
farsum_status gpu_ends_range(const struct task *task, int64_t r);
/* The first right-hand side of arrays, as far as a result wants it. */
struct gpu_ends gpu_ends(const struct gpu_arrays *arrays,
                         const farsum_result *result);
#endif
