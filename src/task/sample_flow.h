/* SPDX-License-Identifier: Apache-2.0 */
/* sample_flow.h: what the tuner learns from a configuration of a flow, or of a
 * potential other than 1/r. */
#ifndef FARSUM_TASK_SAMPLE_FLOW_H
#define FARSUM_TASK_SAMPLE_FLOW_H

#include "farsum/farsum.h"
#include "math/pair.h"
#include "task/sample.h"

/* As sample_take; of a potential `force` and `close` are its own.  Of a flow
 * with the root of square() in place of charges, and `force`
 * the RMS velocity of sources without order (math.md (9.14)). */
farsum_status sample_take_flow(struct sample *sample, const struct pair *pair,
                               const struct cell *cell,
                               const farsum_problem *problem,
                               const struct exclusions *exclusions,
                               enum isa isa, int threads);
#endif
