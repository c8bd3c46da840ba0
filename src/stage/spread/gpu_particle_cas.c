/* gpu_particle_cas: gpu_particle with sums by loops of compare and swap: what
 * atomics cost on hardware that has no instruction for them, as the Fermi and
 * Kepler columns of Guo et al. (2015), figures 6 and 7, compare.  It never
 * wins.  Not deterministic. */
#include "stage/spread/gpu_particle.h"

/* As OpenCL devices add, where gpu_particle is the same. */
static double cost(const void *args)
{
    return spread_particle_cost(args, 4);
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
                                                .needs = "device"};
