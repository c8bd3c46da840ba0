/* SPDX-License-Identifier: Apache-2.0 */
/* sample_local.h: what lies around some of the particles. */
#ifndef FARSUM_TASK_SAMPLE_LOCAL_H
#define FARSUM_TASK_SAMPLE_LOCAL_H

#include "task/sample.h"
#include "points/wrap.h"

/* sample->force, whole, close and near, from some 60 near neighbours of up to
 * 4096 targets, by the pair's kernel, force and whole with 1/r (pair NULL, or a
 * flow) screened to nothing there; and the shells of 128 of them.  q: charges,
 * of a flow the root of square(); given: the strengths that they are of. */
farsum_status sample_local(struct sample *sample, const struct cell *cell,
                           const struct points *points, const double *q,
                           const double *given,
                           const struct exclusions *exclusions,
                           const struct pair *pair, enum isa isa, int threads);
#endif
