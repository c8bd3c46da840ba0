/* SPDX-License-Identifier: Apache-2.0 */
/* few.h: a reference's sum at a few targets of a periodic cell, on the host
 * (on a device: device.h).  Each target tests all sources, so that they need no
 * order. */
#ifndef FARSUM_REFERENCE_FEW_FEW_H
#define FARSUM_REFERENCE_FEW_FEW_H

#include "reference/few/device.h"

/* The largest number of targets. */
enum { FEW_MOST = 256 };

farsum_status few_fits(const struct task *task, double accuracy, int64_t m);
/* Like few_device_sum, but the sources are x and q, of type `arrays`, instead
 * of those in sum. */
farsum_status few_sum(const struct few_device *sum, const void *x,
                      const void *q, double *values);
#endif
