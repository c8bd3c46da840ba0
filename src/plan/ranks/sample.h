/* SPDX-License-Identifier: Apache-2.0 */
/* sample.h: the sample of a plan over ranks.  Rank 0 receives the samples
 * of all ranks, and the others what it learns from them. */
#ifndef FARSUM_PLAN_RANKS_SAMPLE_H
#define FARSUM_PLAN_RANKS_SAMPLE_H

#include "plan/plan.h"

/* A rank's sample of n particles, and on rank 0 those of all, in rank order. */
struct ranks_sample {
    int64_t n;
    const void *x, *q; /* borrowed */
    void *all_x, *all_q; /* owned; NULL on other ranks */
};
/* Brings the samples to rank 0.  counts: n of each rank.  Collective, with the
 * same status on all ranks; on failure all_x and all_q may be set. */
farsum_status ranks_sample_gather(struct comm *comm, struct ranks_sample *s,
                                  const struct pair *pair,
                                  farsum_precision arrays,
                                  const int64_t *counts);

/* Takes from a plan what it learned from its sample. */
void plan_known_take(struct plan_known *known, struct farsum_plan *plan);
/* Replaces known by rank 0's.  Collective, as above. */
farsum_status plan_known_send(struct plan_known *known, struct comm *comm);
void plan_known_clear(struct plan_known *known);
#endif
