/* SPDX-License-Identifier: Apache-2.0 */
/* ranks.h: plans over ranks. */
#ifndef FARSUM_PLAN_RANKS_H
#define FARSUM_PLAN_RANKS_H

#include "comm/comm.h"
#include "plan/plan.h"

/* Collective: makes a plan, whose set_points, execute and destroy are
 * collective too.  problem: counts, samples and exclusions are this rank's own,
 * 0 and NULL are legal; the rest is the same on all ranks.  comm is borrowed.
 * Fails on all ranks with the same status and words. */
farsum_status plan_over_ranks(struct comm *comm, const farsum_problem *problem,
                              const farsum_options *options,
                              farsum_plan **plan);
/* The same; transport: "nccl", "staged", or NULL: chosen
 * (ranks/device/transport.h). */
farsum_status plan_over_ranks_by(struct comm *comm,
                                 const farsum_problem *problem,
                                 const farsum_options *options,
                                 const char *transport, farsum_plan **plan);
/* The same; shape: of the ranks' parts of the mesh, as a caller asks for it. */
farsum_status
plan_over_ranks_as(struct comm *comm, const farsum_problem *problem,
                   const farsum_options *options, const char *transport,
                   const struct ranks_shape *shape, farsum_plan **plan);
/* same.c.  Collective: fails on all ranks, with the name of a field, if
 * one has another problem or other options, or if one's problem is NULL.
 * Counts, samples, exclusions and devices of one back end may differ. */
farsum_status ranks_same(struct comm *comm, const farsum_problem *problem,
                         const farsum_options *options, const char *transport,
                         const struct ranks_shape *shape);
#endif
