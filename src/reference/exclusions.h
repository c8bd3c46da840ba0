/* SPDX-License-Identifier: Apache-2.0 */
/* exclusions.h: subtraction of excluded pairs from sums on the host. */
#ifndef FARSUM_REFERENCE_EXCLUSIONS_H
#define FARSUM_REFERENCE_EXCLUSIONS_H

#include "task/host_arrays.h"

/* Subtracts the lost parts of the task's excluded pairs, C = 1.  source,
 * target: the positions, not wrapped; target->n = 0: the targets are the
 * sources.  q: [n][strengths]. */
farsum_status reference_exclude(const struct task *task,
                                const struct positions *source,
                                const struct positions *target, const double *q,
                                const struct host_sums *sums);
#endif
