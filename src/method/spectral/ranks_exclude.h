/* SPDX-License-Identifier: Apache-2.0 */
/* ranks_exclude.h: excluded pairs of `spectral` over ranks.
 *
 * The owner of a target subtracts its pairs.  Sources that other ranks own are
 * fetched: their positions when points are set, their strengths in each sum. */
#ifndef FARSUM_METHOD_SPECTRAL_RANKS_EXCLUDE_H
#define FARSUM_METHOD_SPECTRAL_RANKS_EXCLUDE_H

#include "method/spectral/spectral.h"
#include "ranks/partners.h"

/* Sources that other ranks own; all of it is replaced together. */
struct ranks_needs {
    struct partners_own pairs; /* its rows go to task->exclusions */
    double *s[3]; /* owned, [pairs.needed.n]: fractions of the whole cell */
    void *q;      /* owned, [pairs.needed.n][strengths], as spectral.q */
};
struct ranks_exclude {
    struct partners partners;
    struct ranks_needs needs;
};

/* Makes the rows of task->exclusions for the own targets, once points are with
 * their owners, and the exclusions of near pairs need them.  On failure the old
 * ones stay.  Collective. */
farsum_status spectral_ranks_exclusions(struct task *task, struct spectral *s);
/* As spectral_exclude, but energy and virial are this rank's part.
 * Collective. */
farsum_status spectral_ranks_exclude(const struct task *task,
                                     struct spectral *s,
                                     const farsum_result *result,
                                     struct spectral_sums *sums);
void ranks_exclude_clear(struct ranks_exclude *exclude);
#endif
