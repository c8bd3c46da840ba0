/* SPDX-License-Identifier: Apache-2.0 */
/* ranks_together.h: coincident sources of `spectral` over ranks.
 *
 * The near stage of each rank checks the rank's own sources.  Sources that
 * coincide only up to rounding may have two owners. */
#ifndef FARSUM_METHOD_SPECTRAL_RANKS_TOGETHER_H
#define FARSUM_METHOD_SPECTRAL_RANKS_TOGETHER_H

#include "method/spectral/spectral.h"

/* Agrees on `placed`, the status of placing this rank's points.  Fails too
 * where sources coincide across the border of two parts, unless the problem or
 * an exclusion allows it; messages have global numbers.  Collective. */
farsum_status spectral_ranks_distinct(struct task *task, struct spectral *s,
                                      farsum_status placed);
#endif
