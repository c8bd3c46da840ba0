/* SPDX-License-Identifier: Apache-2.0 */
/* ranks_exclude.h: excluded pairs of `spectral` over ranks
 * (ranks/excluded.h).  Positions are fractions of the whole cell. */
#ifndef FARSUM_METHOD_SPECTRAL_RANKS_EXCLUDE_H
#define FARSUM_METHOD_SPECTRAL_RANKS_EXCLUDE_H

#include "method/spectral/spectral.h"
#include "ranks/excluded.h"

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
#endif
