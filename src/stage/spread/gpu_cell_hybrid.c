/* SPDX-License-Identifier: Apache-2.0 */
/* gpu_cell_hybrid: one thread block per padded cell keeps the weights of its
 * particles in shared memory.  It sums them for the mesh points of the
 * neighbour cells and adds those by atomics.  HYBRID of Kosmacher et al.,
 * "Performance portable fast Ewald summation" (2025).  Wins over one thread per
 * particle from a few particles per cell.  Not deterministic. */
#include "base/mem.h"
#include "points/device/ordering.h"
#include "stage/spread/device.h"

#include <math.h>

/* As in gpu_cell_hybrid.k. */
struct hybrid_args {
    struct mesh_args mesh;
    struct cells_args cells;
};
_Static_assert(sizeof(struct hybrid_args) == 104, "must match the kernel's "
                                                  "struct");

struct state {
    struct spread_gpu gpu;
    struct kernel kernel;
    int32_t nb[3], batch;
    struct gpu_ordering *ordering; /* held */
};

/* Maximum mesh points of a cell along an axis. */
static int edge(const struct spread_args *args)
{
    return (args->window->support + 1) / 2;
}

/* Threads: as many as a cell has points, rounded up to a multiple of 32. */
static int group(const struct spread_args *args)
{
    int e = edge(args), n = (e * e * e + 31) / 32 * 32;
    return n < 64 ? 64 : n < 256 ? n : 256;
}

/* The smallest number of cells for which none is wider. */
static int64_t cells(const struct spread_args *args, int32_t nb[3])
{
    for (int d = 0; d < 3; d++)
        nb[d] = (int32_t)((args->mesh[d] + edge(args) - 1) / edge(args));
    return (int64_t)nb[0] * nb[1] * nb[2];
}

static int64_t local_bytes(const struct spread_args *args, int batch)
{
    int values = (int)spread_gpu_reals(args);
    int64_t row = 9 * edge(args) + (values < 4 ? values : 4);
    return batch * row * gpu_real(args->precision) + 16;
}

/* Particles of a batch: about twice those of a cell if their weights fit in 24
 * KB, so that two or more thread blocks share a multiprocessor. */
static int batch(const struct spread_args *args)
{
    enum { LOCAL_MOST = 24 << 10, LEAST = 8, MOST = 64 };
    int32_t nb[3];
    double held = (double)args->n / (double)cells(args, nb);
    int n = LEAST;
    while (n < MOST && n < 2 * held && local_bytes(args, 2 * n) <= LOCAL_MOST)
        n *= 2;
    return n;
}

static farsum_status fits(const void *a)
{
    const struct spread_args *args = a;
    int32_t nb[3];
    TRY(spread_gpu_fits(args));
    if (cells(args, nb) > GPU_BINS_MOST)
        FAIL(ERR_UNSUPPORTED, "%lld cells; at most %lld are possible",
             (long long)cells(args, nb), (long long)GPU_BINS_MOST);
    return gpu_local_fits(args->device, local_bytes(args, batch(args)));
}

/* Mesh points of the 27 cells that a batch of particles adds to. */
static double block(const struct spread_args *args)
{
    double e = edge(args);
    return 27 * e * e * e;
}

static double batches_of(const struct spread_args *args)
{
    int32_t nb[3];
    double n = (double)args->n;
    double all = (double)cells(args, nb), held = all * (1 - exp(-n / all));
    double full = n / fmax(held, 1) / batch(args); /* batches per cell */
    return held * (1 + fmax(full - 0.6, 0));
}

/* 27 blocks of sums per batch; where particles are few, most of them are 0 and
 * skipped. */
static double sums_of(const struct spread_args *args)
{
    return fmin(batches_of(args) * block(args),
                (double)args->n * spread_gpu_cube(args))
           * spread_gpu_reals(args);
}

/* Weights once per particle; then each mesh point of the blocks loops over the
 * particles of the batch. */
static void ops(const void *data, struct work *work)
{
    const struct spread_args *args = data;
    double n = (double)args->n, values = spread_gpu_reals(args);
    double p = args->window->support;
    struct count *c = &work->count;
    count_calls(c, COUNT_FMA, 3 * n * (1 + p * args->window->degree));
    count_calls(c, COUNT_MUL, 2 * n * block(args));
    count_calls(c, COUNT_FMA, n * block(args) * values);
    /* zeros first; sums are in runs, and the changed points are read and
     * written */
    double changed = sums_of(args) * gpu_real(args->precision);
    work->read += n * (24 + values * gpu_real(args->precision)) + changed;
    work->written += spread_gpu_bytes(args) + changed;
    work->launches += 2;
}

/* Sums to a mesh larger than the cache take at least twice as long, and batches
 * of a cluster collide. */
static double cost(const void *a)
{
    const struct spread_args *args = a;
    struct gpu_rates rates = spread_gpu_rates(args);
    int32_t nb[3];
    double blocks = block(args), batches = batches_of(args);
    double values = spread_gpu_reals(args), n = (double)args->n;
    double all = (double)cells(args, nb), sums = sums_of(args);
    int f32 = args->precision == FARSUM_F32;
    double each = f32 ? 4.3 + 2.9 * values : 4.9 + 1.04 * values;
    double few = f32 ? 0 : 10.7 * values; /* per batch, however few its
                                             particles */
    double clustering = spread_clustering(args);
    double bytes = spread_gpu_bytes(args) / pow(clustering, 0.3);
    double far = bytes > rates.cache ? 1 - rates.cache / bytes : 0;
    double middle = n * clustering / all / batch(args);
    return spread_gpu_write(args) + 1e-5
           + (2e-12 * all + (f32 ? 1.45e-9 : 1e-9) * batches) / rates.share
           + sums / ((f32 ? 630e9 : 1320e9) * rates.share)
                 * (1 + (f32 ? 1 : 2.1) * far)
           + 3.7e-7 * middle
           + (each * n + few * batches) * blocks / rates.flops
           + (3.5e-5 + 6e-11 * n / rates.share) / spread_repeats(args);
}

static int64_t bytes(const void *a)
{
    const struct spread_args *args = a;
    int32_t nb[3];
    return (int64_t)sizeof(struct state)
           + gpu_ordering_bytes(args->n, cells(args, nb), batch(args));
}

static void destroy(void *state)
{
    struct state *s = state;
    if (!s)
        return;
    gpu_ordering_release(&s->ordering);
    spread_gpu_clear(&s->gpu);
    mem_free(s);
}

static farsum_status create(const void *args, void **state)
{
    farsum_status status = FARSUM_OK;
    struct state *s = NULL;
    TRY(MEM_NEW(s, 1));
    s->batch = batch(args);
    cells(args, s->nb);
    spread_gpu_begin(&s->gpu, args, "stage/spread/gpu_cell_hybrid.k");
    jit_define(&s->gpu.jit, "BATCH", "%d", s->batch);
    jit_define(&s->gpu.jit, "GROUP", "%d", group(args));
    GO(jit_build(&s->gpu.jit));
    GO(jit_kernel(&s->gpu.jit, "spread_cell_hybrid", group(args), 0,
                  &s->kernel));
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
    return gpu_ordering_cells(sources->gpu, s->nb, s->batch, &s->ordering);
}

static farsum_status run(void *state, const void *a)
{
    const struct state *s = state;
    const struct spread_io *io = a;
    struct hybrid_args args = {
        .cells = gpu_ordering_cells_args(s->gpu.args.mesh, s->nb)};
    TRY(spread_gpu_io(&s->gpu, io, &args.mesh));
    TRY(spread_gpu_zero(&s->gpu, io));
    if (s->gpu.n == 0)
        return FARSUM_OK;
    return LAUNCH(&s->kernel, s->ordering->capacity / s->batch,
                  ARG_BUF(&s->gpu.points->gpu->s), ARG_BUF(&s->ordering->start),
                  ARG_BUF(&s->ordering->item), ARG_BUF(io->q),
                  ARG_BUF(io->mesh), ARG_STRUCT(args));
}

const struct variant spread_gpu_cell_hybrid = {.fits = fits,
                                               .cost = cost,
                                               .bytes = bytes,
                                               .create = create,
                                               .set = set,
                                               .run = run,
                                               .destroy = destroy,
                                               .deterministic = 0,
                                               .needs = "a device",
                                               .work = ops};
