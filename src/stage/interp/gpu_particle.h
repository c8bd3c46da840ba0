/* SPDX-License-Identifier: Apache-2.0 */
/* gpu_particle.h: common code of the variants with one thread per target. */
#ifndef FARSUM_STAGE_INTERP_GPU_PARTICLE_H
#define FARSUM_STAGE_INTERP_GPU_PARTICLE_H

#include "stage/interp/device.h"

/* sorted: targets are taken tile by tile. */
farsum_status interp_particle_create(const struct interp_args *args, int sorted,
                                     void **state);
farsum_status interp_particle_run(void *state, const void *io);
void interp_particle_destroy(void *state);
/* If sorted, the targets of a tile are consecutive, so that most of their reads
 * hit the first-level cache. */
double interp_particle_cost(const struct interp_args *args, int sorted);
#endif
