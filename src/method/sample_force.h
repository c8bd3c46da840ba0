/* sample_force.h: how large the forces of a system are. */
#ifndef FARSUM_METHOD_SAMPLE_FORCE_H
#define FARSUM_METHOD_SAMPLE_FORCE_H

#include "method/sample.h"
#include "points/points.h"

/* sample->force from the near neighbours of up to 16384 targets, with 1/r
 * screened to nothing where a target has some 60 neighbours. */
farsum_status sample_force(struct sample *sample, const struct cell *cell,
                           const struct points *points, const void *q,
                           farsum_precision arrays);
#endif
