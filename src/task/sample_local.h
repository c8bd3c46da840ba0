/* SPDX-License-Identifier: Apache-2.0 */
/* sample_local.h: statistics of the neighbours of some particles. */
#ifndef FARSUM_TASK_SAMPLE_LOCAL_H
#define FARSUM_TASK_SAMPLE_LOCAL_H

#include "task/sample.h"
#include "points/wrap.h"

/* Sets sample->force, whole, close and near from about 60 near neighbours of up
 * to 4096 targets, and the shells of 128 of them.  The pair's kernel is used.
 * For force and whole of 1/r (pair NULL, or a flow), it is screened to zero at
 * that distance.  q: charges; for a flow, the root of square().  given: the
 * strengths that q is computed from. */
farsum_status sample_local(struct sample *sample, const struct cell *cell,
                           const struct points *points, const double *q,
                           const double *given,
                           const struct exclusions *exclusions,
                           const struct pair *pair, enum isa isa, int threads);
#endif
