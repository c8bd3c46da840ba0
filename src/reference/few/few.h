/* SPDX-License-Identifier: Apache-2.0 */
/* few.h: a reference's sum at a few targets of a periodic cell, on the
 * host: what exact_gpu.h is on a device.  All sources are looked at for each
 * target, so that they need no order. */
#ifndef FARSUM_REFERENCE_FEW_FEW_H
#define FARSUM_REFERENCE_FEW_FEW_H

#include "reference/few/device.h"

/* Targets that are few. */
enum { EXACT_FEW = 256 };

farsum_status exact_few_fits(const struct task *task, double accuracy,
                             int64_t m);
/* As exact_gpu_sum; sum's x and q are not looked at: the sources, of type
 * `arrays`. */
farsum_status exact_few_sum(const struct exact_gpu *sum, const void *x,
                            const void *q, double *values);
#endif
