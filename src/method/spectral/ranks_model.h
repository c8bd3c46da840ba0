/* SPDX-License-Identifier: Apache-2.0 */
/* ranks_model.h: the model of a rank (task/ranks_model.h) from the parameters
 * of a plan of one process. */
#ifndef FARSUM_METHOD_SPECTRAL_RANKS_MODEL_H
#define FARSUM_METHOD_SPECTRAL_RANKS_MODEL_H

#include "task/ranks_model.h"

struct task;
struct spectral;

enum {
    RANKS_NEAR,
    RANKS_SPREAD,
    RANKS_TRANSFORM,
    RANKS_SCALE,
    RANKS_INTERP,
    RANKS_SPECTRAL
};

/* s: of a plan of one process.  shape: ranks along axes 0 and 1, whose product
 * is links->ranks.  rank: one of them. */
farsum_status spectral_ranks_model(const struct task *task,
                                   const struct spectral *s,
                                   const struct links *links,
                                   const int shape[2], int rank,
                                   struct ranks_model *model);
/* A rank with the most planes and rows of such a mesh. */
int ranks_model_fullest(const int64_t mesh[3], const int shape[2]);

/* ranks_shape.c: chooses slabs or pencils: as task->shape requests, else with
 * the fewest modelled seconds.  shape [2]: ranks along axes 0 and 1.  s: of the
 * plan, or of one process.  Not collective. */
farsum_status ranks_shape_best(const struct task *task,
                               const struct spectral *s,
                               const struct links *links, int shape[2]);
/* The method's `model`: of the fullest rank, in parts of that shape. */
farsum_status spectral_model(const struct task *task, const void *state,
                             const struct links *links,
                             struct ranks_model *model);
/* ranks_shape_best on rank 0, for all ranks.  Collective. */
farsum_status ranks_shape_choose(const struct task *task,
                                 const struct spectral *s, int shape[2]);
#endif
