/* SPDX-License-Identifier: Apache-2.0 */
/* few.h: a reference's sum at a few targets of a periodic cell, on the host
 * (on a device: device.h).  Each target tests all sources, so that they need no
 * order. */
#ifndef FARSUM_REFERENCE_FEW_FEW_H
#define FARSUM_REFERENCE_FEW_FEW_H

#include "reference/few/device.h"

/* The largest number of targets. */
enum { EXACT_FEW = 256 };

farsum_status exact_few_fits(const struct task *task, double accuracy,
                             int64_t m);
/* Like exact_gpu_sum, but the sources are x and q, of type `arrays`, instead of
 * those in sum. */
farsum_status exact_few_sum(const struct exact_gpu *sum, const void *x,
                            const void *q, double *values);
#endif
