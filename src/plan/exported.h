/* SPDX-License-Identifier: Apache-2.0 */
/* exported.h: plans over ranks, which libfarsum exports for libfarsum_mpi and
 * for the command.
 *
 * No installed header declares these functions.  Both libraries and the command
 * must have the same version. */
#ifndef FARSUM_PLAN_EXPORTED_H
#define FARSUM_PLAN_EXPORTED_H

#include "comm/exported.h"
#include "task/ranks_model.h"
#include "task/shape.h"

/* Collective: plan_over_ranks_as, but the plan owns comm: farsum_plan_destroy
 * frees it, and is collective.  On failure the caller still owns comm, and
 * *plan is unchanged. */
FARSUM_API farsum_status
farsum_ranks_plan_create(struct comm *comm, const farsum_problem *problem,
                         const farsum_options *options, const char *transport,
                         const struct ranks_shape *shape, farsum_plan **plan);

/* Gets the part of the cell whose points this rank owns: fractions low <= s <
 * high along the rows of `cell`, in the caller's length.  cell: NULL is legal.
 * Errors: ERR_ARGUMENT, also for a plan of one process. */
FARSUM_API farsum_status farsum_ranks_domain(const farsum_plan *plan,
                                             double cell[9], double low[3],
                                             double high[3]);

/* Gets what a rank does.  Errors: as above. */
FARSUM_API farsum_status farsum_ranks_get_info(const farsum_plan *plan,
                                               struct ranks_info *info);

/* Sets *links to those expected between ranks with the options' device; ranks
 * >= nodes >= 1. */
FARSUM_API farsum_status farsum_ranks_links(const farsum_options *options,
                                            int ranks, int nodes,
                                            struct links *links);
/* farsum_plan_tune, but with the parameters that rank 0 would choose for parts
 * of this shape. */
FARSUM_API farsum_status farsum_ranks_tune(const farsum_problem *problem,
                                           const farsum_options *options,
                                           const struct links *links,
                                           const struct ranks_shape *shape,
                                           farsum_plan **plan);
/* What a rank with the most planes and rows would do in a plan over such ranks
 * with the parameters of this plan of one process, which create or tune made,
 * in parts of the shape that tune got, or of the best one.  links of one rank:
 * the plan itself.  Errors: ERR_ARGUMENT, ERR_UNSUPPORTED (another method than
 * spectral and fmm, or a sparse tree), ERR_MEMORY. */
FARSUM_API farsum_status farsum_ranks_model(const farsum_plan *plan,
                                            const struct links *links,
                                            struct ranks_model *model);
#endif
