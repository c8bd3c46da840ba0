/* SPDX-License-Identifier: Apache-2.0 */
/* gpu_particle: one thread per particle, P^3 atomic sums each to global memory;
 * the mesh is zeroed first.  Particle based spreading of Guo, Liu, Xu, Du,
 * Chow, Procedia Comput. Sci. 51 (2015) 120; BASE of Kosmacher et al.,
 * "Performance portable fast Ewald summation" (2025).  It has no set-up, so it
 * wins for one run of few particles.  Not deterministic. */
#include "stage/spread/gpu_particle.h"

#include "base/hypot.h"
#include "base/mem.h"

#include <math.h>

struct state {
    struct spread_gpu gpu;
    struct kernel kernel;
};

farsum_status spread_particle_fits(const void *args)
{
    return spread_gpu_slopes_fit(args);
}

/* Sums cost as much as scattered words; those of one particle, in one thread,
 * are sequential.  Clustered particles share cached lines. */
double spread_particle_cost(const struct spread_args *args, double slower)
{
    struct gpu_rates rates = spread_gpu_rates(args);
    double one = spread_gpu_cube(args) * spread_gpu_reals(args)
                 * (args->slopes ? 1.1 : 1);
    double bytes = spread_gpu_bytes(args) / cbrt(spread_clustering(args));
    double all = slower * (double)args->n * one
                 * gpu_seconds(&rates, rates.scattered, bytes);
    return spread_gpu_write(args) + 5e-6
           + hypot_of(
               all,
               slower * (rates.wait * one + 2.9e-8 * spread_gpu_peak(args)));
}

static double cost(const void *args)
{
    return spread_particle_cost(args, 1);
}

/* Zeroes the mesh; every sum is atomic. */
static void ops(const void *data, struct work *work)
{
    const struct spread_args *args = data;
    spread_ops(args, work);
    work->written += spread_gpu_bytes(args);
    work->sums +=
        (double)args->n * spread_gpu_cube(args) * spread_gpu_reals(args);
    work->launches++;
}

static int64_t bytes(const void *args)
{
    (void)args;
    return (int64_t)sizeof(struct state);
}

void spread_particle_destroy(void *state)
{
    struct state *s = state;
    if (!s)
        return;
    spread_gpu_clear(&s->gpu);
    mem_free(s);
}

farsum_status spread_particle_create(const struct spread_args *args,
                                     enum spread_particle_add add, void **state)
{
    farsum_status status = FARSUM_OK;
    struct state *s = NULL;
    TRY(MEM_NEW(s, 1));
    spread_gpu_begin(&s->gpu, args, "stage/spread/gpu_particle.k");
    jit_define(&s->gpu.jit, "ADD", "%d", add);
    jit_define(&s->gpu.jit, "STORED", "0");
    GO(jit_build(&s->gpu.jit));
    GO(jit_kernel(&s->gpu.jit, "spread_particle", 128, 0, &s->kernel));
    *state = s;
done:
    if (status != FARSUM_OK)
        spread_particle_destroy(s);
    return status;
}

static farsum_status create(const void *args, void **state)
{
    return spread_particle_create(args, SPREAD_PARTICLE_ATOMIC, state);
}

farsum_status spread_particle_set(void *state, const struct points *sources,
                                  const struct points *targets)
{
    struct state *s = state;
    (void)targets;
    return spread_gpu_set(&s->gpu, sources);
}

farsum_status spread_particle_run(void *state, const void *a)
{
    const struct state *s = state;
    const struct spread_io *io = a;
    struct mesh_args mesh;
    TRY(spread_gpu_io(&s->gpu, io, &mesh));
    TRY(spread_gpu_zero(&s->gpu, io));
    if (mesh.n == 0)
        return FARSUM_OK;
    return LAUNCH(&s->kernel, kernel_groups(&s->kernel, mesh.n),
                  ARG_BUF(&s->gpu.points->gpu->s), ARG_BUF(io->q),
                  ARG_BUF(io->mesh), ARG_STRUCT(mesh));
}

const struct variant spread_gpu_particle = {.fits = spread_particle_fits,
                                            .cost = cost,
                                            .bytes = bytes,
                                            .create = create,
                                            .set = spread_particle_set,
                                            .run = spread_particle_run,
                                            .destroy = spread_particle_destroy,
                                            .deterministic = 0,
                                            .needs = "a device",
                                            .work = ops};

static farsum_status create_shadow(const void *args, void **state)
{
    return spread_particle_create(args, SPREAD_PARTICLE_SHADOW, state);
}

const struct variant spread_gpu_particle_shadow = {.fits = spread_particle_fits,
                                                   .cost = cost,
                                                   .bytes = bytes,
                                                   .create = create_shadow,
                                                   .set = spread_particle_set,
                                                   .run = spread_particle_run,
                                                   .destroy =
                                                       spread_particle_destroy,
                                                   .deterministic = 0,
                                                   .needs = "a device"};
