/* SPDX-License-Identifier: Apache-2.0 */
/* ranks_shape.h: slabs or pencils for `spectral` over ranks, as the caller
 * requests; a shape that is not given is that with the smallest modelled
 * seconds. */
#ifndef FARSUM_METHOD_SPECTRAL_RANKS_SHAPE_H
#define FARSUM_METHOD_SPECTRAL_RANKS_SHAPE_H

#include "method/spectral/ranks_model.h"

/* Chooses from task->shape: shape [2], ranks along axes 0 and 1.  s: of the
 * plan, or of one process.  Not collective. */
farsum_status ranks_shape_best(const struct task *task,
                               const struct spectral *s,
                               const struct links *links, int shape[2]);
/* The same on rank 0, for all ranks.  Collective. */
farsum_status ranks_shape_choose(const struct task *task,
                                 const struct spectral *s, int shape[2]);
#endif
