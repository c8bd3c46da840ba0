/* SPDX-License-Identifier: Apache-2.0 */
/* sample_local.h: what lies around some of the particles. */
#ifndef FARSUM_METHOD_SAMPLE_LOCAL_H
#define FARSUM_METHOD_SAMPLE_LOCAL_H

#include "method/sample.h"
#include "points/points.h"

/* sample->force, whole and close, from some 60 near neighbours of up to 4096
 * targets, by the pair's kernel, or with 1/r (pair NULL) screened to nothing
 * there; and the shells of 128 of them. */
farsum_status sample_local(struct sample *sample, const struct cell *cell,
                           const struct points *points, const double *q,
                           const struct exclusions *exclusions,
                           const struct pair *pair, int threads);
#endif
