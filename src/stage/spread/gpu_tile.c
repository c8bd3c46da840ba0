/* SPDX-License-Identifier: Apache-2.0 */
/* gpu_tile: one thread block adds the particles of a tile in shared memory.
 * Each warp adds only to its own mesh planes, so no two threads write to the
 * same point.  Then the block adds the tile to the mesh by atomics in runs.
 * Our algorithm.  cuFINUFFT's method SM adds to such tiles by atomics; in its
 * method OD all threads of a block take one particle together.  Wins in f32
 * from some thousand particles, if many particles add to each mesh point.  Not
 * deterministic. */
#include "base/mem.h"
#include "stage/particles/device_tiles.h"
#include "stage/spread/device.h"

#include <math.h>

/* As in gpu_tile.k. */
struct tile_args {
    struct mesh_args mesh;
    struct cells_args cells;
};
_Static_assert(sizeof(struct tile_args) == 104, "must match the kernel's "
                                                "struct");

struct state {
    struct spread_gpu gpu;
    struct kernel kernel;
    struct gpu_tiles tiles;
    struct gpu_tiles_kept kept;
};

/* Warps per thread block, a power of 2: more where blocks are few; one where a
 * tile's particles keep a multiprocessor's memory busy.  Each warp must have a
 * plane of every window. */
static int warps_of(const struct spread_args *args, int64_t tiles)
{
    enum { MOST = 8, MANY = 256 };
    int few = tiles < 2 * (int64_t)args->device->properties.units, warps = 1;
    int wanted = args->n / tiles >= MANY ? 1 : few ? 4 : 2;
    if (args->unit > 0)
        wanted = args->unit < MOST ? args->unit : MOST;
    while (2 * warps <= wanted && 2 * warps <= args->window->support)
        warps *= 2;
    return warps;
}

static struct gpu_tiles tiles_of(const struct spread_args *args)
{
    int values = (int)spread_gpu_reals(args);
    struct gpu_tiles tiles = gpu_tiles_of(&(struct gpu_tiles_args){
        .device = args->device,
        .precision = args->precision,
        .mesh = {args->mesh[0], args->mesh[1], args->mesh[2]},
        .support = args->window->support,
        .values = values,
        .words = (values < 4 ? values : 4)
                 + 3 * args->slopes * args->window->support,
        .across = args->group});
    tiles.warps = warps_of(args, tiles.tiles);
    return tiles;
}

static farsum_status fits(const void *a)
{
    const struct spread_args *args = a;
    TRY(spread_gpu_slopes_fit(args));
    struct gpu_tiles s = tiles_of(args);
    return gpu_tiles_fit(&s, args->device);
}

/* Shared memory is read and written for each sum, and a thread block's
 * particles are sequential; then atomics in whole sectors.  Half of the sort is
 * charged, as interp's gpu_tile_warp uses the same sort. */
static double cost(const void *a)
{
    const struct spread_args *args = a;
    struct gpu_rates rates = spread_gpu_rates(args);
    struct gpu_tiles s = tiles_of(args);
    double n = (double)args->n, values = spread_gpu_reals(args);
    double p = args->window->support, size = gpu_real(args->precision);
    double tiles = (double)s.tiles, most = (double)gpu_tiles_most(&s, args->n);
    double held = tiles * (1 - exp(-n / tiles)) + n / most;
    double rows = (s.edge[0] + p) * (s.edge[1] + p) * values;
    double sectors = held * rows * ((s.edge[2] + p) * size / 32 + 0.9);
    double each = ceil(p / s.warps) * ceil(p / s.rows) * values; /* per warp */
    double sums = s.warps * each * (values > 1 ? 2.1e-11 : 1.27e-11)
                  * (args->slopes ? 1.3 : 1);
    double mean = fmin(most, n / tiles * spread_clustering(args));
    double bytes = spread_gpu_bytes(args);
    return spread_gpu_write(args) + 9.5e-6
           + sectors / 2.7 * gpu_seconds(&rates, rates.runs, bytes)
           + size / 4
                 * (n * (sums + 1.1e-11 * s.warps)
                    + mean * (2.5e-8 + 5.5e-9 * each))
                 / rates.share
           + (1e-5 + 4e-11 * n / rates.share) / spread_repeats(args);
}

static int64_t bytes(const void *a)
{
    const struct spread_args *args = a;
    struct gpu_tiles s = tiles_of(args);
    return (int64_t)sizeof(struct state)
           + gpu_tiles_bytes(&s, args->n, args->precision);
}

static void destroy(void *state)
{
    struct state *s = state;
    if (!s)
        return;
    gpu_tiles_clear(&s->kept);
    spread_gpu_clear(&s->gpu);
    mem_free(s);
}

static farsum_status create(const void *args, void **state)
{
    farsum_status status = FARSUM_OK;
    struct state *s = NULL;
    TRY(MEM_NEW(s, 1));
    s->tiles = tiles_of(args);
    spread_gpu_begin(&s->gpu, args, "stage/spread/gpu_tile.k");
    struct jit *jit = &s->gpu.jit;
    gpu_tiles_define(jit, &s->tiles);
    GO(jit_build(jit));
    GO(jit_kernel(jit, "tile_place", 256, 0, &s->kept.place));
    GO(jit_kernel(jit, "spread_tile", GPU_TILES_WARP * s->tiles.warps,
                  s->tiles.tile, &s->kernel));
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
    if (s->gpu.n == 0)
        return FARSUM_OK;
    return gpu_tiles_set(&s->kept, &s->tiles, sources->gpu, args->mesh,
                         args->precision);
}

static farsum_status run(void *state, const void *a)
{
    const struct state *s = state;
    const struct spread_io *io = a;
    struct tile_args args = {.cells = s->kept.cells};
    TRY(spread_gpu_io(&s->gpu, io, &args.mesh));
    TRY(spread_gpu_zero(&s->gpu, io));
    if (s->gpu.n == 0)
        return FARSUM_OK;
    return LAUNCH(&s->kernel, s->kept.parts, ARG_BUF(&s->kept.t),
                  ARG_BUF(&s->kept.at), ARG_BUF(&s->kept.item),
                  ARG_BUF(&s->kept.part), ARG_BUF(io->q), ARG_BUF(io->mesh),
                  ARG_STRUCT(args));
}

const struct variant spread_gpu_tile = {.fits = fits,
                                        .cost = cost,
                                        .bytes = bytes,
                                        .create = create,
                                        .set = set,
                                        .run = run,
                                        .destroy = destroy,
                                        .deterministic = 0,
                                        .needs = "a device"};
