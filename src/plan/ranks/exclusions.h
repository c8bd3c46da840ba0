/* SPDX-License-Identifier: Apache-2.0 */
/* exclusions.h: the problem's excluded pairs of a plan over ranks. */
#ifndef FARSUM_PLAN_RANKS_EXCLUSIONS_H
#define FARSUM_PLAN_RANKS_EXCLUSIONS_H

#include "comm/comm.h"
#include "plan/plan.h"

struct ranks_pairs {
    struct exclusions own; /* that this rank names */
    struct exclusions all; /* of all ranks, if there is a sample: for it */
    int64_t count;         /* pairs of all ranks */
};

/* Takes the pairs that this rank's problem names.  counts [size]: points that
 * each rank gives; NULL: there is no sample, so numbers are checked when points
 * are set, and no pairs are gathered.  Collective; returns the same status on
 * all ranks, and on failure *pairs is empty.  It need not be initialised. */
farsum_status ranks_pairs_take(struct ranks_pairs *pairs, struct comm *comm,
                               const farsum_problem *problem,
                               const int64_t *counts);
void ranks_pairs_clear(struct ranks_pairs *pairs);
#endif
