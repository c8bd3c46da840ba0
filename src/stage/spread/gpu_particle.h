/* SPDX-License-Identifier: Apache-2.0 */
/* gpu_particle.h: common code of the variants with one thread per particle. */
#ifndef FARSUM_STAGE_SPREAD_GPU_PARTICLE_H
#define FARSUM_STAGE_SPREAD_GPU_PARTICLE_H

#include "stage/spread/device.h"

/* How a thread adds to the mesh; numbered as in stage/spread/device.kh. */
enum spread_particle_add {
    SPREAD_PARTICLE_ATOMIC,
    SPREAD_PARTICLE_CAS,    /* by compare and swap */
    SPREAD_PARTICLE_SHADOW, /* without atomics: sums are lost */
};

farsum_status spread_particle_fits(const void *args);
/* Seconds if the device's atomics took `slower` times as long. */
double spread_particle_cost(const struct spread_args *args, double slower);
farsum_status spread_particle_create(const struct spread_args *args,
                                     enum spread_particle_add add,
                                     void **state);
farsum_status spread_particle_set(void *state, const struct points *sources,
                                  const struct points *targets);
farsum_status spread_particle_run(void *state, const void *io);
void spread_particle_destroy(void *state);

extern const struct variant spread_gpu_particle;
/* Measures gpu_particle without the cost of its atomics.  Its results are
 * wrong, so it is not a variant of the stage; only the benchmark runs it. */
extern const struct variant spread_gpu_particle_shadow;
#endif
