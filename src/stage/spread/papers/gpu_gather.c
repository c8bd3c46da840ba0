/* SPDX-License-Identifier: Apache-2.0 */
/* gpu_gather: particles are placed on their nearest mesh point, at most one
 * each.  Every mesh point gathers from the P^3 around it; particles without a
 * slot are spread by atomics.  Harvey and De Fabritiis, J. Chem. Theory Comput.
 * 5 (2009) 2371.  The placement is reused by further runs; weights are computed
 * P^3 times per particle.  It won where atomics were slow; now it wins seldom,
 * on full meshes.  Not deterministic: the overflow's sums.  (comparison) */
#include "stage/spread/device.h"

#include "base/mem.h"

#include <math.h>

struct state {
    struct spread_gpu gpu;
    struct kernel place, sum, overflow;
    struct buf slot;     /* [mesh0][mesh1][mesh2] i32: index of the particle, or
                            -1 */
    struct buf unplaced; /* [n] i32 */
    struct buf lost;     /* i32: their number */
};

static int64_t slots(const struct spread_args *args)
{
    return args->mesh[0] * args->mesh[1] * args->mesh[2];
}

static farsum_status fits(const void *a)
{
    const struct spread_args *args = a;
    TRY(spread_gpu_fits(args));
    if (args->n > INT32_MAX)
        FAIL(ERR_UNSUPPORTED, "%lld points; at most %d are possible",
             (long long)args->n, INT32_MAX);
    return FARSUM_OK;
}

/* Uniform particles occupy the share 1 - exp(-n/slots) of the slots.  A checked
 * slot costs one word of cache, at 3e11 per second on an H200.  An occupied one
 * costs three positions and three polynomials, with a quarter of the threads
 * active. */
static double cost(const void *a)
{
    const struct spread_args *args = a;
    struct gpu_rates rates = spread_gpu_rates(args);
    double cube = spread_gpu_cube(args), mesh = (double)slots(args);
    double n = (double)args->n / spread_clustering(args);
    double taken = spread_clustering(args) * mesh * (1 - exp(-n / mesh));
    taken = fmin(taken, mesh);
    double left = ((double)args->n - taken) * cube * spread_gpu_reals(args);
    double sum = gpu_seconds(&rates, rates.scattered, spread_gpu_bytes(args));
    double place = (double)args->n * sum + 4 * mesh / rates.bytes;
    return spread_gpu_write(args) + 2 * rates.launch + 1e-4
           + mesh * cube / (3e11 * rates.share)
           + 4 * taken * cube * (3 * args->window->degree + 20) / rates.flops
           + left * sum + (place + 4 * rates.launch) / spread_repeats(args);
}

static int64_t bytes(const void *a)
{
    const struct spread_args *args = a;
    return (int64_t)sizeof(struct state) + 4 * slots(args) + 4 * args->n;
}

static void destroy(void *state)
{
    struct state *s = state;
    if (!s)
        return;
    buf_clear(&s->slot);
    buf_clear(&s->unplaced);
    buf_clear(&s->lost);
    spread_gpu_clear(&s->gpu);
    mem_free(s);
}

static farsum_status create(const void *a, void **state)
{
    const struct spread_args *args = a;
    farsum_status status = FARSUM_OK;
    struct state *s = NULL;
    TRY(MEM_NEW(s, 1));
    spread_gpu_begin(&s->gpu, args, "stage/spread/papers/gpu_gather.k");
    GO(jit_build(&s->gpu.jit));
    GO(jit_kernel(&s->gpu.jit, "gather_place", 128, 0, &s->place));
    GO(jit_kernel(&s->gpu.jit, "gather_sum", 128, 0, &s->sum));
    GO(jit_kernel(&s->gpu.jit, "gather_overflow", 128, 0, &s->overflow));
    GO(buf_alloc(&s->slot, args->device, 4 * slots(args)));
    GO(buf_alloc(&s->lost, args->device, 4));
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
    TRY(spread_gpu_set(&s->gpu, sources));
    int64_t n = s->gpu.n;
    struct mesh_args mesh = spread_gpu_mesh(&s->gpu);
    if (n > INT32_MAX)
        FAIL(ERR_UNSUPPORTED,
             "gpu_gather: %lld points; at most %d are possible", (long long)n,
             INT32_MAX);
    TRY(buf_reserve(&s->unplaced, s->gpu.args.device, 4 * n));
    TRY(buf_fill(&s->slot, 0xff));
    TRY(buf_fill(&s->lost, 0));
    if (n == 0)
        return FARSUM_OK;
    return LAUNCH(&s->place, kernel_groups(&s->place, n),
                  ARG_BUF(&sources->gpu->s), ARG_BUF(&s->slot),
                  ARG_BUF(&s->unplaced), ARG_BUF(&s->lost), ARG_STRUCT(mesh));
}

/* Only the device knows the size of the overflow: as many thread blocks as run
 * concurrently take its particles in turn. */
static farsum_status run(void *state, const void *a)
{
    const struct state *s = state;
    const struct spread_io *io = a;
    const struct buf *x = &s->gpu.points->gpu->s;
    struct mesh_args mesh;
    TRY(spread_gpu_io(&s->gpu, io, &mesh));
    if (mesh.n == 0)
        return spread_gpu_zero(&s->gpu, io);
    TRY(LAUNCH(&s->sum, kernel_groups(&s->sum, slots(&s->gpu.args)), ARG_BUF(x),
               ARG_BUF(io->q), ARG_BUF(&s->slot), ARG_BUF(io->mesh),
               ARG_STRUCT(mesh)));
    int64_t groups = kernel_groups(&s->overflow, mesh.n);
    int64_t most = 16 * (int64_t)s->gpu.args.device->properties.units;
    return LAUNCH(&s->overflow, groups < most ? groups : most, ARG_BUF(x),
                  ARG_BUF(io->q), ARG_BUF(&s->unplaced), ARG_BUF(&s->lost),
                  ARG_BUF(io->mesh), ARG_STRUCT(mesh));
}

const struct variant spread_gpu_gather = {.fits = fits,
                                          .cost = cost,
                                          .bytes = bytes,
                                          .create = create,
                                          .set = set,
                                          .run = run,
                                          .destroy = destroy,
                                          .deterministic = 0,
                                          .needs = "a device"};
