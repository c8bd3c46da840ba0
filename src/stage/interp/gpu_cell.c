/* SPDX-License-Identifier: Apache-2.0 */
/* gpu_cell: one thread block loads the targets of a padded cell and the mesh
 * around it into shared memory, then one thread per target sums.  G2P of
 * Kosmacher et al., "Performance portable fast Ewald summation" (2025).  Wins
 * where a cell has a few tens of targets. */
#include "base/mem.h"
#include "base/hypot.h"
#include "stage/interp/device.h"

#include <math.h>

/* As in gpu_cell.k. */
struct cell_args {
    struct interp_gpu_args interp;
    struct cells_args cells;
};
_Static_assert(sizeof(struct cell_args) == 208, "must match the kernel's "
                                                "struct");

struct state {
    struct interp_gpu gpu;
    int32_t nb[3];
};

/* Parameters of the kernel. */
struct shape {
    int edge;      /* maximum mesh points of a cell along an axis */
    int group;     /* threads, and targets of a batch */
    int64_t block; /* bytes of the mesh in shared memory */
    int32_t nb[3];
    int64_t cells;
};

static int64_t block_bytes(const struct interp_args *args, int edge)
{
    int64_t side = edge + args->window->support;
    return side * side * side * gpu_real(args->precision);
}

/* Wide cells read less of the mesh twice.  With 64 KB, three thread blocks
 * share a multiprocessor of an H200. */
static struct shape shape_of(const struct interp_args *args)
{
    enum { EDGE = 8, LOCAL_MOST = 64 << 10 };
    struct shape shape = {.edge = EDGE, .group = 64, .cells = 1};
    int64_t local = args->device->properties.local - 2048;
    int64_t capacity = local < LOCAL_MOST ? local : LOCAL_MOST;
    double held = (double)args->n;
    while (shape.edge > 1 && block_bytes(args, shape.edge) > capacity)
        shape.edge--;
    shape.block = block_bytes(args, shape.edge);
    for (int d = 0; d < 3; d++) {
        shape.nb[d] = (int32_t)((args->mesh[d] + shape.edge - 1) / shape.edge);
        shape.cells *= shape.nb[d];
        held /= shape.nb[d];
    }
    while (shape.group < 256 && held > shape.group)
        shape.group *= 2;
    return shape;
}

static farsum_status fits(const void *a)
{
    const struct interp_args *args = a;
    TRY(interp_gpu_bends_fit(args));
    struct shape shape = shape_of(args);
    double cells = (double)shape.nb[0] * shape.nb[1] * shape.nb[2];
    if (cells > GPU_BINS_MOST)
        FAIL(ERR_UNSUPPORTED, "%.0f cells; at most %lld are possible", cells,
             (long long)GPU_BINS_MOST);
    return gpu_local_fits(args->device, shape.block + 2048);
}

/* Blocks of the mesh go to shared memory for each batch and value, and the
 * loads from there bound it.  The cells are built by half a dozen launches. */
static double cost(const void *a)
{
    const struct interp_args *args = a;
    struct gpu_rates rates = interp_gpu_rates(args);
    struct shape shape = shape_of(args);
    double p = args->window->support, values = interp_gpu_values(args);
    double sums = interp_gpu_sums(args), n = (double)args->n;
    int f32 = args->precision == FARSUM_F32;
    double points = (double)shape.block / gpu_real(args->precision);
    double all = (double)shape.cells, clustering = interp_clustering(args);
    double some = fmax(f32 ? all : all / clustering, 1);
    double held = some * (1 - exp(-n / some));
    double full = n / fmax(held, 1) / shape.group; /* batches per cell */
    double batches = held * (1 + fmax(full - 0.6, 0));
    double threads = fmin(2048.0 / shape.group,
                          fmax(floor((double)args->device->properties.local
                                     / ((double)shape.block + 2048)),
                               1));
    double slots = 132 * threads;
    double load = values * points / shape.group * (f32 ? 2.7e-7 : 3.5e-7);
    double sum = values * sums
                 * (f32 ? 5e-11 + p * p * p / 2.6e12 : p * p * p / 1.09e12);
    /* the batches of a crowded cell, one after the other */
    double most = fmax(n * clustering / all / shape.group, 1) * values
                  * (points / shape.group * 1e-9 + p * p * p * 2.5e-10)
                  * (f32 ? 6 : 1);
    return 1.6e-5
           + (hypot_of(batches * load / slots + n * sum, most)
              + (f32 ? 6e-12 : 9.5e-10) * all)
                 / rates.share
           + (3.5e-5 + 6e-11 * n / rates.share) / interp_repeats(args);
}

static int64_t bytes(const void *a)
{
    const struct interp_args *args = a;
    struct shape shape = shape_of(args);
    return (int64_t)sizeof(struct state)
           + gpu_ordering_bytes(args->n, shape.cells, shape.group);
}

static void destroy(void *state)
{
    struct state *s = state;
    if (s)
        interp_gpu_clear(&s->gpu);
    mem_free(s);
}

static farsum_status create(const void *args, void **state)
{
    farsum_status status = FARSUM_OK;
    struct shape shape = shape_of(args);
    struct state *s = NULL;
    TRY(MEM_NEW(s, 1));
    for (int d = 0; d < 3; d++)
        s->nb[d] = shape.nb[d];
    interp_gpu_begin(&s->gpu, args, "stage/interp/gpu_cell.k");
    jit_define(&s->gpu.jit, "EDGE", "%d", shape.edge);
    jit_define(&s->gpu.jit, "GROUP", "%d", shape.group);
    GO(interp_gpu_build(&s->gpu, "interp_cell", shape.group, shape.block));
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
    int32_t group = s->gpu.kernel.group;
    TRY(interp_gpu_set(&s->gpu, sources, targets));
    TRY(gpu_ordering_cells(s->gpu.points->gpu, s->nb, group, &s->gpu.ordering));
    s->gpu.groups = s->gpu.ordering->capacity / group;
    return FARSUM_OK;
}

static farsum_status run(void *state, const void *a)
{
    const struct state *s = state;
    const struct interp_io *io = a;
    const struct gpu_ordering *cells = s->gpu.ordering;
    struct cell_args args = {
        .cells = gpu_ordering_cells_args(s->gpu.args.mesh, s->nb)};
    const struct buf *results[2];
    if (s->gpu.points->n == 0)
        return FARSUM_OK;
    TRY(interp_gpu_io(&s->gpu, io, &args.interp, results));
    return LAUNCH(&s->gpu.kernel, s->gpu.groups,
                  ARG_BUF(&s->gpu.points->gpu->s), ARG_BUF(&cells->start),
                  ARG_BUF(&cells->item), ARG_BUF(io->mesh), ARG_BUF(results[0]),
                  ARG_BUF(results[1]), ARG_BUF(interp_gpu_gradient(io)),
                  ARG_STRUCT(args));
}

const struct variant interp_gpu_cell = {.fits = fits,
                                        .cost = cost,
                                        .bytes = bytes,
                                        .create = create,
                                        .set = set,
                                        .run = run,
                                        .destroy = destroy,
                                        .deterministic = 1,
                                        .needs = "a device"};
