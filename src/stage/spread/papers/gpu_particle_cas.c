/* SPDX-License-Identifier: Apache-2.0 */
/* gpu_particle_cas: gpu_particle with sums by compare-and-swap loops: the cost
 * of atomics on hardware without an instruction for them, as in the Fermi and
 * Kepler columns of Guo et al. (2015), figures 6 and 7.  It never wins.  Not
 * deterministic.  (comparison) */
#include "stage/spread/gpu_particle.h"

#include <math.h>

/* Measured on an H200: f64 on 216^3 points 1.2 times gpu_particle's time, f32
 * 2.8 times, on 64^3 points 3.5.  OpenCL has no other atomics of reals. */
static double cost(const void *args)
{
    const struct spread_args *a = args;
    return spread_particle_cost(a, a->precision == FARSUM_F32 ? 3 : 1.4)
           * pow(spread_clustering(a), 0.2);
}

static int64_t bytes(const void *args)
{
    return spread_gpu_particle.bytes(args);
}

static farsum_status create(const void *args, void **state)
{
    return spread_particle_create(args, SPREAD_PARTICLE_CAS, state);
}

const struct variant spread_gpu_particle_cas = {.fits = spread_particle_fits,
                                                .cost = cost,
                                                .bytes = bytes,
                                                .create = create,
                                                .set = spread_particle_set,
                                                .run = spread_particle_run,
                                                .destroy =
                                                    spread_particle_destroy,
                                                .deterministic = 0,
                                                .needs = "a device"};
