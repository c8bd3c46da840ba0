/* SPDX-License-Identifier: Apache-2.0 */
/* gpu_particle_stored: gpu_particle with the 3 P weights of a particle computed
 * when points are set and read in every run: stored against recomputed weights.
 * They are read in the order of particles, so the reads are wide and cost less
 * than the sums.  It wins little, and only for many runs of wide windows.  Not
 * deterministic.  (comparison) */
#include "stage/spread/gpu_particle.h"

#include "base/mem.h"

struct state {
    struct spread_gpu gpu;
    struct kernel store, kernel;
    struct buf first;  /* [3][n] i32 */
    struct buf weight; /* [3][P][n] reals */
};

static double stored(const struct spread_args *args)
{
    return (double)args->n
           * (12 + 3 * args->window->support * gpu_real(args->precision));
}

static double cost(const void *args)
{
    const struct spread_args *a = args;
    return spread_particle_cost(a, 1)
           + stored(a) / spread_gpu_rates(a).bytes
           + (9e-6 + stored(a) / spread_gpu_rates(a).bytes)
                 / spread_repeats(a);
}

static farsum_status fits(const void *args)
{
    return spread_gpu_fits(args); /* it stores weights, not slopes */
}

static int64_t bytes(const void *args)
{
    return (int64_t)sizeof(struct state) + (int64_t)stored(args);
}

static void destroy(void *state)
{
    struct state *s = state;
    if (!s)
        return;
    buf_clear(&s->first);
    buf_clear(&s->weight);
    spread_gpu_clear(&s->gpu);
    mem_free(s);
}

static farsum_status create(const void *args, void **state)
{
    farsum_status status = FARSUM_OK;
    struct state *s = NULL;
    TRY(MEM_NEW(s, 1));
    spread_gpu_begin(&s->gpu, args, "stage/spread/gpu_particle.k");
    jit_define(&s->gpu.jit, "ADD", "%d", SPREAD_PARTICLE_ATOMIC);
    jit_define(&s->gpu.jit, "STORED", "1");
    GO(jit_build(&s->gpu.jit));
    GO(jit_kernel(&s->gpu.jit, "spread_store", 128, 0, &s->store));
    GO(jit_kernel(&s->gpu.jit, "spread_stored", 128, 0, &s->kernel));
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
    const struct spread_args *args = &s->gpu.args;
    (void)targets;
    TRY(spread_gpu_set(&s->gpu, sources));
    int64_t n = s->gpu.n;
    struct mesh_args mesh = spread_gpu_mesh(&s->gpu);
    TRY(buf_reserve(&s->first, args->device, 12 * n));
    TRY(buf_reserve(&s->weight, args->device,
                    3 * args->window->support * n * gpu_real(args->precision)));
    if (n == 0)
        return FARSUM_OK;
    return LAUNCH(&s->store, kernel_groups(&s->store, n),
                  ARG_BUF(&sources->gpu->s), ARG_BUF(&s->first),
                  ARG_BUF(&s->weight), ARG_STRUCT(mesh));
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
    return LAUNCH(&s->kernel, kernel_groups(&s->kernel, mesh.n),
                  ARG_BUF(&s->first), ARG_BUF(&s->weight), ARG_BUF(io->q),
                  ARG_BUF(io->mesh), ARG_STRUCT(mesh));
}

const struct variant spread_gpu_particle_stored = {.fits = fits,
                                                   .cost = cost,
                                                   .bytes = bytes,
                                                   .create = create,
                                                   .set = set,
                                                   .run = run,
                                                   .destroy = destroy,
                                                   .deterministic = 0,
                                                   .needs = "a device"};
