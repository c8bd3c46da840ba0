/* SPDX-License-Identifier: Apache-2.0 */
/* part.h: the near or the far part of a sum by itself. */
#ifndef FARSUM_METHOD_SPECTRAL_PART_PART_H
#define FARSUM_METHOD_SPECTRAL_PART_PART_H

#include "method/spectral/spectral.h"

/* Fails if the problem's part cannot be summed. */
farsum_status spectral_part_fits(const struct task *task);
/* Frees the stages that task->part does not have. */
farsum_status spectral_part(struct task *task, void *state);
/* The effect of the far field of a source on itself, (3.4), is no part of a
 * pair: the far part loses it, and the near part gets back what its stage has
 * subtracted.  Adds this to the results of the own points.  After
 * spectral_each_near. */
void spectral_part_self(const struct task *task, struct spectral *s,
                        const farsum_result *result,
                        struct spectral_sums *sums);
/* farsum_plan_near. */
farsum_status spectral_near(const struct task *task, const void *state,
                            int64_t n, const double *r2, double *u, double *du);
#endif
