/* SPDX-License-Identifier: Apache-2.0 */
/* host_tile: tiles with halo, each private to a thread while points are added.
 * Then every mesh row gathers the tiles that cover it.  No atomics; sums do not
 * depend on the number of threads.  Wins wherever it fits. */
#include "stage/spread/host_tile.h"

#include "base/mem.h"
#include "math/window_table.h"
#include "stage/particles/host.h"

#include <string.h>

ISA_TABLE(struct spread_kern, spread_host_tile)

/* Approximate bytes of tiles in memory at a time; minimum tiles per thread. */
enum { WAVE_BYTES = 8 << 20, WAVE_TILES = 4 };

void spread_tiles(const struct spread_args *args, int32_t nb[3])
{
    struct tiles tiles;
    tiles_set(&tiles, args->mesh, args->open, args->window->support);
    for (int d = 0; d < 3; d++)
        nb[d] = tiles.count[d] * tiles.bins[d];
}

static void shape_set(struct shape *s, const struct spread_args *args)
{
    tiles_set(&s->tiles, args->mesh, args->open, args->window->support);
    s->kern = isa_spread_host_tile[args->isa][args->precision == FARSUM_F32];
    tiles_layout_set(&s->tile, &s->tiles, args->precision, s->kern->lanes);
    s->channels = spread_channels(args);
    s->parts = spread_parts(args);
    s->tile_bytes = s->tile.bytes * s->channels * s->parts;
    const int32_t *count = s->tiles.count;
    s->layer_tiles = (int64_t)count[1] * count[2];
    int64_t thick = WAVE_BYTES / (s->layer_tiles * s->tile_bytes);
    int64_t least = WAVE_TILES * (int64_t)args->threads / s->layer_tiles + 1;
    thick = thick > least ? thick : least;
    s->thick = thick < count[0] ? (int32_t)thick : count[0];
}

static farsum_status fits(const void *a)
{
    const struct spread_args *args = a;
    if (args->slopes > 1)
        FAIL(ERR_UNSUPPORTED, "does not spread second slopes");
    return particles_host_fits(args->device, spread_parts(args), args->mesh);
}

/* Nanoseconds on one core of a Zen 3 at 3.2 GHz: a point's position and
 * weights, P^2 rows of loads and stores, and the transfer of the mesh through
 * the tiles. */
static double cost(const void *a)
{
    const struct spread_args *args = a;
    struct shape s;
    shape_set(&s, args);
    double p = s.tiles.support;
    double vectors = (s.tiles.support + s.kern->lanes - 1) / s.kern->lanes;
    double tiles = (double)s.tiles.count[0] * (double)s.layer_tiles;
    double point =
        8 + vectors * args->window->degree
        + (args->slopes ? 14 + vectors * args->window->degree : 0)
        + (args->slopes ? 0.8 : 0.55) * s.channels * s.parts * vectors * p * p;
    double tile = 0.2 * (double)s.tile_bytes;
    return 1e-9 * (point * (double)args->n + tile * tiles) / args->threads;
}

/* Layers in memory simultaneously: those of a slab, the layer before, and the
 * first, which the mesh's seam needs.  Parts of crowded tiles are added when
 * points are set: at most 64 tiles. */
static int64_t bytes(const void *a)
{
    const struct spread_args *args = a;
    struct shape s;
    shape_set(&s, args);
    int64_t slots = s.thick + 2 < s.tiles.count[0] ? s.thick + 2
                                                   : s.tiles.count[0];
    int64_t tiles = s.tiles.count[0] * s.layer_tiles;
    return slots * s.layer_tiles * s.tile_bytes
           + tiles * (int64_t)(sizeof(struct tiles_task) + 9);
}

static void destroy(void *state)
{
    struct state *s = state;
    if (!s)
        return;
    for (int d = 0; d < 2; d++)
        tiles_cover_clear(&s->cover[d]);
    waves_clear(&s->waves);
    tiles_tasks_clear(&s->tasks);
    mem_free(s->coef);
    mem_free(s->layers);
    mem_free(s->extra);
    mem_free(s->wave_task);
    mem_free(s->part);
    mem_free(s->full);
    mem_free(s);
}

static farsum_status create(const void *args, void **state)
{
    farsum_status status = FARSUM_OK;
    struct state *s = NULL;
    TRY(MEM_NEW(s, 1));
    s->args = *(const struct spread_args *)args;
    shape_set(&s->shape, &s->args);
    const struct tiles *tiles = &s->shape.tiles;
    for (int d = 0; d < 2; d++)
        GO(tiles_cover_set(&s->cover[d], tiles, d));
    GO(waves_set(&s->waves, tiles, &s->cover[0], s->shape.thick));
    GO(window_table(s->args.window, s->args.precision, &s->coef));
    GO(MEM_RAW(s->layers, s->waves.n_slots * s->shape.layer_tiles
                              * s->shape.tile_bytes));
    GO(MEM_NEW(s->wave_task, s->waves.n + 1));
    GO(MEM_NEW(s->full, tiles->count[0] * s->shape.layer_tiles));
    *state = s;
done:
    if (status != FARSUM_OK)
        destroy(s);
    return status;
}

static farsum_status set(void *state, const struct points *sources,
                         const struct points *targets)
{
    (void)targets;
    struct state *s = state;
    const struct tiles *tiles = &s->shape.tiles;
    int64_t n_extra = 0;
    TRY(tiles_match(tiles, &sources->bins));
    TRY(tiles_tasks_set(&s->tasks, tiles, &sources->bins));
    TRY(MEM_RESERVE(s->part, &s->part_capacity, s->tasks.n));
    memset(s->full, 0, (size_t)(tiles->count[0] * s->shape.layer_tiles));
    memset(s->wave_task, 0, (size_t)(s->waves.n + 1) * sizeof *s->wave_task);
    for (int64_t k = 0; k < s->tasks.n; k++) {
        const struct tiles_task *task = &s->tasks.task[k];
        s->full[spread_tile_index(s, task->b)] = 1;
        s->part[k] = task->part ? n_extra++ : -1;
        s->wave_task[task->b[0] / s->waves.thick + 1] = k + 1;
    }
    for (int32_t w = 0; w < s->waves.n; w++)
        if (s->wave_task[w + 1] < s->wave_task[w])
            s->wave_task[w + 1] = s->wave_task[w];
    TRY(MEM_RESERVE(s->extra, &s->extra_capacity,
                    n_extra * s->shape.tile_bytes));
    s->points = sources;
    return FARSUM_OK;
}

const struct variant spread_host_tile = {.fits = fits,
                                         .cost = cost,
                                         .bytes = bytes,
                                         .create = create,
                                         .set = set,
                                         .run = spread_tile_run,
                                         .destroy = destroy,
                                         .deterministic = 1,
                                         .needs = ""};
