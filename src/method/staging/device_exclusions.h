/* SPDX-License-Identifier: Apache-2.0 */
/* device_exclusions.h: a plan's exclusions as they lie on a device. */
#ifndef FARSUM_METHOD_STAGING_DEVICE_EXCLUSIONS_H
#define FARSUM_METHOD_STAGING_DEVICE_EXCLUSIONS_H

#include "device/buf.h"
#include "task/task.h"

struct gpu_excluded {
    struct buf target, start, source, lost; /* as of struct exclusions */
    int64_t rows;
    uint64_t version; /* of the plan's that lie here */
};

void gpu_excluded_clear(struct gpu_excluded *excluded);
/* Does the device have the plan's? */
int gpu_excluded_same(const struct gpu_excluded *excluded,
                      const struct task *task);
/* Sends the plan's, after sums that may still read those that lie there. */
farsum_status gpu_excluded_send(struct gpu_excluded *excluded,
                                const struct task *task);
/* OK, or that they did not reach the device; found 0: nor are the points that
 * they name known there. */
farsum_status gpu_excluded_ready(const struct gpu_excluded *excluded,
                                 const struct task *task, int found);
#endif
