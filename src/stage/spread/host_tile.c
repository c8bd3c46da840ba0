/* host_tile: tiles with halo, each private to a thread while points are added,
 * then every mesh row gathers the tiles that cover it; no atomics, and sums
 * that do not depend on the number of threads.  Wins wherever it fits. */
#include "stage/spread/host_tile_kern.h"

#include "base/mem.h"
#include "base/par.h"
#include "math/window_table.h"
#include "points/waves.h"
#include "stage/spread/spread.h"

#include <string.h>

ISA_TABLE(struct spread_kern, spread_host_tile)

/* Tiles in memory at a time, about; and how many a thread at least. */
enum { WAVE_BYTES = 8 << 20, WAVE_TILES = 4 };

/* Follows from the args. */
struct shape {
    struct tiles tiles;
    const struct spread_kern *kern;
    struct tiles_layout tile;
    int32_t thick;       /* layers a wave */
    int64_t layer_tiles; /* tiles a layer */
};

struct state {
    struct spread_args args;
    struct shape shape;
    struct tiles_cover cover[2];
    struct waves waves;
    void *coef;   /* owned, [degree + 1][WINDOW_MAX], real */
    char *layers; /* owned, [slot][y][z] tiles */
    char *extra;  /* owned, tiles: the parts of crowded tiles but the first */
    int64_t extra_room;
    const struct points *points; /* borrowed */
    struct tiles_tasks tasks;
    int64_t *wave_task;  /* owned, [waves + 1] */
    int64_t *part;       /* owned, [task]: its tile in extra, -1: in layers */
    int64_t part_room;
    unsigned char *full; /* owned, [tile]: it has points */
};

void spread_tiles(const struct spread_args *args, int32_t nb[3])
{
    struct tiles tiles;
    tiles_set(&tiles, args->mesh, args->window->support);
    for (int d = 0; d < 3; d++)
        nb[d] = tiles.count[d] * tiles.bins[d];
}

static void shape_set(struct shape *s, const struct spread_args *args)
{
    tiles_set(&s->tiles, args->mesh, args->window->support);
    s->kern = isa_spread_host_tile[args->isa][args->precision == FARSUM_F32];
    tiles_layout_set(&s->tile, &s->tiles, args->precision, s->kern->lanes);
    const int32_t *count = s->tiles.count;
    s->layer_tiles = (int64_t)count[1] * count[2];
    int64_t thick = WAVE_BYTES / (s->layer_tiles * s->tile.bytes);
    int64_t least = WAVE_TILES * (int64_t)args->threads / s->layer_tiles + 1;
    thick = thick > least ? thick : least;
    s->thick = thick < count[0] ? (int32_t)thick : count[0];
}

static farsum_status fits(const void *a)
{
    const struct spread_args *args = a;
    for (int d = 0; d < 3; d++)
        if (args->mesh[d] > 1 << 30)
            FAIL(ERR_UNSUPPORTED, "host_tile: a mesh of %lld points along axis "
                 "%d, at most %d", (long long)args->mesh[d], d, 1 << 30);
    return FARSUM_OK;
}

/* Nanoseconds on one core of a Zen 3 at 3.2 GHz: a point's place and weights,
 * P^2 rows of loads and stores, and the mesh's way through the tiles. */
static double cost(const void *a)
{
    const struct spread_args *args = a;
    struct shape s;
    shape_set(&s, args);
    double p = s.tiles.support;
    double vectors = (s.tiles.support + s.kern->lanes - 1) / s.kern->lanes;
    double tiles = (double)s.tiles.count[0] * (double)s.layer_tiles;
    double point = 8 + vectors * args->window->degree + 0.55 * vectors * p * p;
    double tile = 0.2 * (double)s.tile.bytes;
    return 1e-9 * (point * (double)args->n + tile * tiles) / args->threads;
}

/* Layers that are in memory at once: those of a wave, the one before, and the
 * first, which the mesh's seam keeps.  Parts of crowded tiles come on top,
 * when points are set: at most 64 tiles. */
static int64_t bytes(const void *a)
{
    const struct spread_args *args = a;
    struct shape s;
    shape_set(&s, args);
    int64_t slots = s.thick + 2 < s.tiles.count[0] ? s.thick + 2
                                                   : s.tiles.count[0];
    int64_t tiles = s.tiles.count[0] * s.layer_tiles;
    return slots * s.layer_tiles * s.tile.bytes
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
                              * s->shape.tile.bytes));
    GO(MEM_NEW(s->wave_task, s->waves.n + 1));
    GO(MEM_NEW(s->full, tiles->count[0] * s->shape.layer_tiles));
    *state = s;
done:
    if (status != FARSUM_OK)
        destroy(s);
    return status;
}

static int64_t tile_index(const struct state *s, const int32_t b[3])
{
    return b[0] * s->shape.layer_tiles
           + b[1] * (int64_t)s->shape.tiles.count[2] + b[2];
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
    TRY(MEM_RESERVE(s->part, &s->part_room, s->tasks.n));
    memset(s->full, 0, (size_t)(tiles->count[0] * s->shape.layer_tiles));
    memset(s->wave_task, 0, (size_t)(s->waves.n + 1) * sizeof *s->wave_task);
    for (int64_t k = 0; k < s->tasks.n; k++) {
        const struct tiles_task *task = &s->tasks.task[k];
        s->full[tile_index(s, task->b)] = 1;
        s->part[k] = task->part ? n_extra++ : -1;
        s->wave_task[task->b[0] / s->waves.thick + 1] = k + 1;
    }
    for (int32_t w = 0; w < s->waves.n; w++)
        if (s->wave_task[w + 1] < s->wave_task[w])
            s->wave_task[w + 1] = s->wave_task[w];
    TRY(MEM_RESERVE(s->extra, &s->extra_room, n_extra * s->shape.tile.bytes));
    s->points = sources;
    return FARSUM_OK;
}

static char *layer_tile(const struct state *s, const int32_t b[3])
{
    int64_t k = s->waves.slot[b[0]] * s->shape.layer_tiles
                + b[1] * (int64_t)s->shape.tiles.count[2] + b[2];
    return s->layers + k * s->shape.tile.bytes;
}

static char *task_tile(const struct state *s, int64_t k)
{
    if (s->part[k] < 0)
        return layer_tile(s, s->tasks.task[k].b);
    return s->extra + s->part[k] * s->shape.tile.bytes;
}

static void run_task(const struct state *s, const void *q, int64_t k)
{
    const struct tiles_task *task = &s->tasks.task[k];
    const struct bins *bins = &s->points->bins;
    struct tiles_range range[TILES_RANGES];
    struct spread_job job = {.support = s->shape.tiles.support,
                             .degree = s->args.window->degree,
                             .coef = s->coef,
                             .order = bins->order,
                             .q = q,
                             .tile = task_tile(s, k),
                             .range = range};
    for (int d = 0; d < 3; d++) {
        job.s[d] = bins->s[d];
        job.mesh[d] = (double)s->args.mesh[d];
        job.lo[d] = (int)tiles_lo(&s->shape.tiles, d, task->b[d]);
        job.stride[d] = s->shape.tile.stride[d];
    }
    job.n_ranges = tiles_ranges(&s->shape.tiles, bins, task, range);
    memset(job.tile, 0, (size_t)s->shape.tile.bytes);
    s->shape.kern->points(&job);
}

/* Plane x of the tile of task k += the same plane of its further parts. */
static void run_parts(const struct state *s, int64_t k, int64_t x)
{
    const struct tiles_task *task = &s->tasks.task[k];
    int64_t n = s->shape.tile.stride[0], at = x * n * s->shape.tile.real_size;
    if (task->part)
        return;
    for (int32_t p = 1; p < task->parts; p += 4) {
        const void *source[4];
        int sources = 0;
        for (; sources < 4 && p + sources < task->parts; sources++)
            source[sources] = task_tile(s, k + p + sources) + at;
        s->shape.kern->add(n, sources, source, task_tile(s, k) + at);
    }
}

/* The z-rows of tiles (.., .., z) at `source`, wrapped, are added to row. */
static void gather_rows(const struct state *s, int32_t z, int sources,
                        const char *const *source, char *row)
{
    int64_t mesh = s->args.mesh[2], size = s->shape.tiles.size[2];
    int64_t lo = tiles_lo(&s->shape.tiles, 2, z);
    for (int64_t i = 0; i < size;) {
        int64_t m = tiles_wrap(lo + i, mesh);
        int64_t n = size - i < mesh - m ? size - i : mesh - m;
        const void *part[4];
        for (int k = 0; k < sources; k++)
            part[k] = source[k] + i * s->shape.tile.real_size;
        s->shape.kern->add(n, sources, part, row + m * s->shape.tile.real_size);
        i += n;
    }
}

/* Mesh row (mx, my) from all tiles that cover it, in their order. */
static void gather(const struct state *s, int64_t mx, int64_t my, char *row)
{
    const struct tiles_cover *cx = &s->cover[0], *cy = &s->cover[1];
    const int *stride = s->shape.tile.stride;
    memset(row, 0, (size_t)(s->args.mesh[2] * s->shape.tile.real_size));
    for (int32_t z = 0; z < s->shape.tiles.count[2]; z++) {
        const char *source[4];
        int n = 0;
        for (int64_t i = cx->start[mx]; i < cx->start[mx + 1]; i++)
            for (int64_t j = cy->start[my]; j < cy->start[my + 1]; j++) {
                int32_t b[3] = {cx->tile[i], cy->tile[j], z};
                if (!s->full[tile_index(s, b)])
                    continue;
                int64_t at = cx->at[i] * (int64_t)stride[0]
                             + cy->at[j] * (int64_t)stride[1];
                source[n++] = layer_tile(s, b) + at * s->shape.tile.real_size;
                if (n == 4) {
                    gather_rows(s, z, n, source, row);
                    n = 0;
                }
            }
        if (n > 0)
            gather_rows(s, z, n, source, row);
    }
}

static farsum_status run(void *state, const void *a)
{
    const struct state *s = state;
    const struct spread_io *io = a;
    int64_t ny = s->args.mesh[1], row = s->args.ldz * s->shape.tile.real_size;
    int64_t planes = s->shape.tiles.size[0];
#pragma omp parallel num_threads(s->args.threads)
    for (int32_t w = 0; w < s->waves.n; w++) {
        int64_t from = s->wave_task[w], to = s->wave_task[w + 1];
#pragma omp for schedule(dynamic, 1)
        for (int64_t k = from; k < to; k++)
            run_task(s, io->q, k);
        if (s->extra_room > 0) {
#pragma omp for schedule(static) collapse(2)
            for (int64_t k = from; k < to; k++)
                for (int64_t x = 0; x < planes; x++)
                    run_parts(s, k, x);
        }
#pragma omp for schedule(static) collapse(2)
        for (int64_t i = s->waves.plane_start[w];
             i < s->waves.plane_start[w + 1]; i++)
            for (int64_t y = 0; y < ny; y++) {
                int64_t x = s->waves.plane[i];
                gather(s, x, y, (char *)io->mesh + (x * ny + y) * row);
            }
    }
    return FARSUM_OK;
}

const struct variant spread_host_tile = {.fits = fits,
                                         .cost = cost,
                                         .bytes = bytes,
                                         .create = create,
                                         .set = set,
                                         .run = run,
                                         .destroy = destroy,
                                         .deterministic = 1,
                                         .needs = ""};
