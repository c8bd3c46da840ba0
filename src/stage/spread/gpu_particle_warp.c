/* SPDX-License-Identifier: Apache-2.0 */
/* gpu_particle_warp: 32 threads per particle, over its P^3 mesh points with z
 * fastest, so that a warp's atomic sums are in runs.  Weights are computed once
 * per particle, in shared memory.  Wins over gpu_particle wherever atomics
 * bound it, and over the variants that tile the mesh when particles are few and
 * far between.  Not deterministic. */
#include "stage/spread/device.h"

#include "base/hypot.h"
#include "base/mem.h"

#include <math.h>

enum { GROUP = 256 };

struct state {
    struct spread_gpu gpu;
    struct kernel kernel;
    int batch; /* particles per thread block */
};

/* Particles that share a thread block's weights: fewer if only some
 * multiprocessors would have blocks. */
static int batch_of(const struct spread_args *args)
{
    int batch = args->window->support > 8 ? 32 : 64;
    while (batch > 8 && args->n / batch < 4 * args->device->properties.units)
        batch /= 2;
    return batch;
}

static int64_t local(const struct spread_args *args)
{
    return (int64_t)batch_of(args) * (3 * args->window->support | 1)
           * ((1 + args->slopes) * gpu_real(args->precision) + 4);
}

static farsum_status fits(const void *args)
{
    TRY(spread_gpu_slopes_fit(args));
    return gpu_local_fits(((const struct spread_args *)args)->device,
                          local(args));
}

/* Atomics in runs at the device's rate; the steps of a warp are sequential. */
static double cost(const void *a)
{
    const struct spread_args *args = a;
    struct gpu_rates rates = spread_gpu_rates(args);
    double one = spread_gpu_cube(args) * spread_gpu_reals(args);
    double clustering = spread_clustering(args), p = args->window->support;
    int f32 = args->precision == FARSUM_F32;
    double bytes = spread_gpu_bytes(args) / pow(clustering, f32 ? 0.24 : 0.41);
    /* f32 sums that add to the same points */
    double met = (double)args->n * spread_gpu_cube(args) * clustering
                 / (double)spread_gpu_rows(args);
    double meet = f32 ? 0.92 * (1 + 0.39 * met / (met + 47)) : 1.04;
    double line = fmax(p * gpu_real(args->precision) / 32 + 0.8, 1.75);
    double all = (double)args->n * one / p * line
                 * meet * gpu_seconds(&rates, rates.runs, bytes);
    double alone = f32 ? 4e-7 + 1.06e-9 * one : 4e-7 + 5.6e-9 * one;
    double peak = (f32 ? 4.1e-9 : 1.1e-8) * spread_gpu_peak(args);
    return spread_gpu_write(args) + (f32 ? 7.4e-6 : 5.2e-6)
           + hypot_of(all, alone + peak);
}

static int64_t bytes(const void *args)
{
    (void)args;
    return (int64_t)sizeof(struct state);
}

static void destroy(void *state)
{
    struct state *s = state;
    if (!s)
        return;
    spread_gpu_clear(&s->gpu);
    mem_free(s);
}

static farsum_status create(const void *args, void **state)
{
    farsum_status status = FARSUM_OK;
    struct state *s = NULL;
    TRY(MEM_NEW(s, 1));
    s->batch = batch_of(args);
    spread_gpu_begin(&s->gpu, args, "stage/spread/gpu_particle_warp.k");
    jit_define(&s->gpu.jit, "BATCH", "%d", s->batch);
    GO(jit_build(&s->gpu.jit));
    GO(jit_kernel(&s->gpu.jit, "spread_particle_warp", GROUP, 0, &s->kernel));
    *state = s;
done:
    if (status != FARSUM_OK)
        destroy(s);
    return status;
}

static farsum_status set(void *state, const struct points *sources,
                         const struct points *targets)
{
    struct state *s = state;
    (void)targets;
    return spread_gpu_set(&s->gpu, sources);
}

static farsum_status run(void *state, const void *a)
{
    const struct state *s = state;
    const struct spread_io *io = a;
    struct mesh_args mesh;
    TRY(spread_gpu_io(&s->gpu, io, &mesh));
    TRY(spread_gpu_zero(&s->gpu, io));
    if (mesh.n == 0)
        return FARSUM_OK;
    return LAUNCH(&s->kernel, (mesh.n + s->batch - 1) / s->batch,
                  ARG_BUF(&s->gpu.points->gpu->s), ARG_BUF(io->q),
                  ARG_BUF(io->mesh), ARG_STRUCT(mesh));
}

const struct variant spread_gpu_particle_warp = {.fits = fits,
                                                 .cost = cost,
                                                 .bytes = bytes,
                                                 .create = create,
                                                 .set = set,
                                                 .run = run,
                                                 .destroy = destroy,
                                                 .deterministic = 0,
                                                 .needs = "a device"};
