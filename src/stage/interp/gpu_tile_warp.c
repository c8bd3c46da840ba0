/* SPDX-License-Identifier: Apache-2.0 */
/* gpu_tile_warp: one thread block takes the targets of a tile, with the mesh
 * around it in shared memory; 32 threads per target, whose reads have no bank
 * conflicts.  Our algorithm.  For few targets: their waits are short, and the
 * tiles are usually those of spread's gpu_tile, so that both use one sort.
 * Deterministic. */
#include "base/mem.h"
#include "stage/particles/device_tiles.h"
#include "stage/interp/device.h"

#include <math.h>

/* As in gpu_tile_warp.k. */
struct tile_args {
    struct interp_gpu_args interp;
    struct cells_args cells;
};
_Static_assert(sizeof(struct tile_args) == 208, "must match the kernel's "
                                                "struct");

struct state {
    struct interp_gpu gpu; /* its kernel: the main one */
    struct gpu_tiles tiles;
    struct gpu_tiles_kept kept;
};

static struct gpu_tiles tiles_of(const struct interp_args *args)
{
    enum { WARPS = 4 };
    int field = (args->outputs & FARSUM_FIELD) != 0;
    return gpu_tiles_of(&(struct gpu_tiles_args){
        .device = args->device,
        .precision = args->precision,
        .mesh = {args->mesh[0], args->mesh[1], args->mesh[2]},
        .support = args->window->support,
        .values = interp_gpu_values(args),
        .words = field ? 3 * args->window->support + 8 : 4,
        .warps = WARPS});
}

static farsum_status fits(const void *a)
{
    const struct interp_args *args = a;
    TRY(interp_gpu_fits(args));
    struct gpu_tiles s = tiles_of(args);
    return gpu_tiles_fit(&s, args->device);
}

/* Shared memory is read one word per sum, then shuffles; a tile's targets are
 * sequential.  Half of the sort is charged, as spread's gpu_tile uses the same
 * sort. */
static double cost(const void *a)
{
    const struct interp_args *args = a;
    struct gpu_rates rates = interp_gpu_rates(args);
    struct gpu_tiles s = tiles_of(args);
    double n = (double)args->n, values = interp_gpu_values(args);
    double p = args->window->support;
    double wide = args->precision == FARSUM_F32 ? 1 : 1.45;
    double field = args->outputs & FARSUM_FIELD ? 1 : 0.85;
    double tiles = (double)s.tiles, most = (double)gpu_tiles_most(&s, args->n);
    double held = tiles * (1 - exp(-n / tiles)) + n / most;
    double load = held * (double)s.tile / s.values * values / 4e12;
    double each = 1.5e-11 + 1.76e-11 * p * ceil(p / s.rows) * field;
    double mean = fmin(most, n / tiles * interp_clustering(args));
    return 9.5e-6
           + (load + wide * values * (n * each + mean * 6e-8)) / rates.share
           + (1e-5 + 4e-11 * n / rates.share) / interp_repeats(args);
}

static int64_t bytes(const void *a)
{
    const struct interp_args *args = a;
    struct gpu_tiles s = tiles_of(args);
    /* the points' second ordering: spread's tiles have another shape */
    return (int64_t)sizeof(struct state)
           + gpu_ordering_bytes(args->n, s.tiles, 0)
           + gpu_tiles_bytes(&s, args->n, args->precision);
}

static void destroy(void *state)
{
    struct state *s = state;
    if (!s)
        return;
    gpu_tiles_clear(&s->kept);
    interp_gpu_clear(&s->gpu);
    mem_free(s);
}

static farsum_status create(const void *args, void **state)
{
    farsum_status status = FARSUM_OK;
    struct state *s = NULL;
    TRY(MEM_NEW(s, 1));
    s->tiles = tiles_of(args);
    interp_gpu_begin(&s->gpu, args, "stage/interp/gpu_tile_warp.k");
    gpu_tiles_define(&s->gpu.jit, &s->tiles);
    GO(interp_gpu_build(&s->gpu, "interp_tile_warp",
                        GPU_TILES_WARP * s->tiles.warps, s->tiles.tile));
    GO(jit_kernel(&s->gpu.jit, "tile_place", 256, 0, &s->kept.place));
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
    const struct interp_args *args = &s->gpu.args;
    TRY(interp_gpu_set(&s->gpu, sources, targets));
    if (s->gpu.points->n == 0)
        return FARSUM_OK;
    return gpu_tiles_set(&s->kept, &s->tiles, s->gpu.points->gpu, args->mesh,
                         args->precision);
}

static farsum_status run(void *state, const void *a)
{
    const struct state *s = state;
    const struct interp_io *io = a;
    struct tile_args args = {.cells = s->kept.cells};
    const struct buf *results[2];
    if (s->gpu.points->n == 0)
        return FARSUM_OK;
    TRY(interp_gpu_io(&s->gpu, io, &args.interp, results));
    return LAUNCH(&s->gpu.kernel, s->kept.parts, ARG_BUF(&s->kept.t),
                  ARG_BUF(&s->kept.at), ARG_BUF(&s->kept.item),
                  ARG_BUF(&s->kept.part), ARG_BUF(io->mesh),
                  ARG_BUF(results[0]), ARG_BUF(results[1]), ARG_STRUCT(args));
}

const struct variant interp_gpu_tile_warp = {.fits = fits,
                                             .cost = cost,
                                             .bytes = bytes,
                                             .create = create,
                                             .set = set,
                                             .run = run,
                                             .destroy = destroy,
                                             .deterministic = 1,
                                             .needs = "a device"};
