/* SPDX-License-Identifier: Apache-2.0 */
/* asked.h: agreement of ranks on what a sum computes. */
#ifndef FARSUM_RANKS_ASKED_H
#define FARSUM_RANKS_ASKED_H

#include <farsum/farsum.h>

#include "comm/comm.h"

/* Sets asked to the outputs that any rank requests (FARSUM_POTENTIAL and so
 * on).  All ranks must pass as many right-hand sides.  A rank that gives
 * targets must request the same arrays as the others.  Collective. */
farsum_status ranks_asked(struct comm *comm, int64_t targets, int rhs,
                          const farsum_result *result, unsigned *asked);
/* The same as a result: pointers of outputs that any rank requests are not
 * NULL, but point to no array. */
farsum_status ranks_asked_results(struct comm *comm, int64_t targets, int rhs,
                                  const farsum_result *result,
                                  farsum_result *asked);
#endif
