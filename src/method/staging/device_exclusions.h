/* SPDX-License-Identifier: Apache-2.0 */
/* device_exclusions.h: a plan's exclusions on a device. */
#ifndef FARSUM_METHOD_STAGING_DEVICE_EXCLUSIONS_H
#define FARSUM_METHOD_STAGING_DEVICE_EXCLUSIONS_H

#include "device/buf.h"
#include "task/task.h"

struct gpu_excluded {
    struct buf target, start, source, lost; /* see struct exclusions */
    int64_t rows;
    uint64_t version; /* version of the uploaded exclusions */
};

void gpu_excluded_clear(struct gpu_excluded *excluded);
/* True if the device has the plan's current exclusions. */
int gpu_excluded_same(const struct gpu_excluded *excluded,
                      const struct task *task);
/* Uploads exclusions, after sums that may still read the old ones. */
farsum_status gpu_excluded_send(struct gpu_excluded *excluded,
                                struct device *device,
                                const struct exclusions *exclusions);
/* Returns OK, or fails if the upload failed.  found 0: also if the device does
 * not know the points that they name. */
farsum_status gpu_excluded_ready(const struct gpu_excluded *excluded,
                                 const struct task *task, int found);
#endif
