/* SPDX-License-Identifier: Apache-2.0 */
/* gpu_cell_grid: one thread block per cell, one thread per mesh point, which
 * loops over the particles of the 27 neighbour cells.  GRID of Kosmacher et
 * al., "Performance portable fast Ewald summation" (2025).  Nothing is zeroed
 * and no sum is atomic, but every thread computes its own weights.  For
 * comparison; not deterministic. */
#include "base/mem.h"
#include "points/device/ordering.h"
#include "stage/spread/device.h"

#include <math.h>

enum { PAD = 8 };

/* As in gpu_cell_grid.k. */
struct grid_args {
    struct mesh_args mesh;
    struct cells_args cells;
};
_Static_assert(sizeof(struct grid_args) == 104, "must match the kernel's "
                                                "struct");

struct state {
    struct spread_gpu gpu;
    struct kernel kernel;
    int32_t nb[3];
    struct gpu_ordering *ordering; /* held */
};

/* Minimum mesh points of a cell along an axis. */
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

static int64_t cells(const struct spread_args *args, int32_t nb[3])
{
    gpu_ordering_tiles(args->mesh, edge(args), nb);
    return (int64_t)nb[0] * nb[1] * nb[2];
}

static farsum_status fits(const void *a)
{
    const struct spread_args *args = a;
    int32_t nb[3];
    TRY(spread_gpu_fits(args));
    if (cells(args, nb) > GPU_BINS_MOST)
        FAIL(ERR_UNSUPPORTED, "%lld cells; at most %lld are possible",
             (long long)cells(args, nb), (long long)GPU_BINS_MOST);
    int chunk = (int)spread_gpu_reals(args);
    chunk = chunk < 4 ? chunk : 4;
    int64_t reals = (int64_t)group(args) * (3 + chunk)
                    + (args->window->degree + 1) * args->window->support;
    return gpu_local_fits(args->device, reals * gpu_real(args->precision)
                                            + 12 * (int64_t)group(args));
}

/* A mesh point tests the particles of 27 cells, of which about a third along
 * each axis reach it; weights cost one polynomial per axis. */
/* A thread searches 27 cells in turn, however few particles there are; the
 * fullest cell ends last. */
static double cost(const void *a)
{
    const struct spread_args *args = a;
    struct gpu_rates rates = spread_gpu_rates(args);
    double e = edge(args), values = spread_gpu_reals(args);
    double looks = 27 * e * e * e, n = (double)args->n;
    double hits = spread_gpu_cube(args) * (3 * args->window->degree + values);
    double work = n * (8 * looks + 2 * hits) / rates.flops;
    return spread_gpu_write(args) + 8e-5
           + (3.7 + sqrt(spread_clustering(args))) * work
           + (3.5e-5 + 6e-11 * n / rates.share) / spread_repeats(args);
}

/* Each mesh point tests the particles of 27 cells, and evaluates the weights of
 * three axes for those that reach it. */
static void ops(const void *data, struct work *work)
{
    const struct spread_args *args = data;
    double e = edge(args), n = (double)args->n;
    double looks = n * 27 * e * e * e, hits = n * spread_gpu_cube(args);
    double values = spread_gpu_reals(args);
    struct count *c = &work->count;
    count_calls(c, COUNT_ADD, 3 * looks); /* distance in mesh points */
    count_calls(c, COUNT_FMA, hits * (3 * args->window->degree + values));
    count_calls(c, COUNT_MUL, hits * 2);
    work->read += n * (24 + values * gpu_real(args->precision));
    work->written += spread_gpu_bytes(args);
    work->launches++;
}

static int64_t bytes(const void *a)
{
    const struct spread_args *args = a;
    int32_t nb[3];
    return (int64_t)sizeof(struct state)
           + gpu_ordering_bytes(args->n, cells(args, nb), PAD);
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
    cells(args, s->nb);
    spread_gpu_begin(&s->gpu, args, "stage/spread/papers/gpu_cell_grid.k");
    jit_define(&s->gpu.jit, "GROUP", "%d", group(args));
    GO(jit_build(&s->gpu.jit));
    GO(jit_kernel(&s->gpu.jit, "spread_cell_grid", group(args), 0, &s->kernel));
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
    return gpu_ordering_cells(sources->gpu, s->nb, PAD, &s->ordering);
}

static farsum_status run(void *state, const void *a)
{
    const struct state *s = state;
    const struct spread_io *io = a;
    struct grid_args args = {
        .cells = gpu_ordering_cells_args(s->gpu.args.mesh, s->nb)};
    TRY(spread_gpu_io(&s->gpu, io, &args.mesh));
    if (s->gpu.n == 0)
        return spread_gpu_zero(&s->gpu, io);
    return LAUNCH(&s->kernel, s->ordering->n_bins,
                  ARG_BUF(&s->gpu.points->gpu->s), ARG_BUF(&s->ordering->start),
                  ARG_BUF(&s->ordering->item), ARG_BUF(io->q),
                  ARG_BUF(io->mesh), ARG_STRUCT(args));
}

const struct variant spread_gpu_cell_grid = {.fits = fits,
                                             .cost = cost,
                                             .bytes = bytes,
                                             .create = create,
                                             .set = set,
                                             .run = run,
                                             .destroy = destroy,
                                             .deterministic = 0,
                                             .needs = "a device",
                                             .work = ops};
