/* SPDX-License-Identifier: Apache-2.0 */
/* host_tile: each tile of the mesh is copied with its halo, unwrapped and
 * compact.  Then its points are summed from the copy.  Results go to the
 * caller's order, one writer each.  Wins wherever it fits. */
#include "stage/interp/host_tile_kern.h"

#include "base/mem.h"
#include "base/par.h"
#include "base/progress.h"
#include "math/window_table.h"
#include "stage/interp/interp.h"
#include "stage/particles/host.h"

#include <string.h>

ISA_TABLE(struct interp_kern, interp_host_tile)

/* Parameters that follow from the arguments. */
struct shape {
    struct tiles tiles;
    const struct interp_kern *kern;
    struct tiles_layout tile;
    int channels, parts;
    int64_t tile_bytes;   /* of a tile with all channels and parts, one after
                             the other */
    int64_t thread_bytes; /* a thread's tile and batch */
};

struct state {
    struct interp_args args;
    struct shape shape;
    void *coef;  /* owned, [degree + 1][WINDOW_MAX], real */
    char *tiles; /* owned, [thread]: a tile and a batch's results */
    const struct points *points; /* borrowed */
    struct tiles_tasks tasks;
};

static void shape_set(struct shape *s, const struct interp_args *args)
{
    tiles_set(&s->tiles, args->mesh, args->open, args->window->support);
    s->kern = isa_interp_host_tile[args->isa][args->precision == FARSUM_F32];
    tiles_layout_set(&s->tile, &s->tiles, args->precision, s->kern->lanes);
    s->channels = interp_channels(args);
    s->parts = interp_parts(args);
    int tiles = s->channels * s->parts;
    s->tile_bytes = s->tile.bytes * tiles;
    s->thread_bytes =
        s->tile_bytes
        + tiles * INTERP_BATCH * INTERP_GRADIENT * (int64_t)s->tile.real_size;
}

static farsum_status fits(const void *a)
{
    const struct interp_args *args = a;
    if (args->outputs & FARSUM_THIRD)
        FAIL(ERR_UNSUPPORTED, "does not interpolate third derivatives");
    return particles_host_fits(args->device, interp_parts(args), args->mesh);
}

/* Nanoseconds on one core of a Zen 3 at 3.2 GHz: a point's position and
 * weights, its P^2 rows, and the copies of the tiles. */
static double cost(const void *a)
{
    const struct interp_args *args = a;
    struct shape s;
    shape_set(&s, args);
    int field = (args->outputs & FARSUM_FIELD) != 0;
    int gradient = (args->outputs & FARSUM_GRADIENT) != 0;
    double p = s.tiles.support;
    double vectors = (s.tiles.support + s.kern->lanes - 1) / s.kern->lanes;
    double tiles = (double)s.tiles.count[0] * s.tiles.count[1]
                   * s.tiles.count[2];
    double point = (gradient ? 60
                    : field  ? 22
                             : 8)
                   + (gradient ? 4
                      : field  ? 2.5
                               : 1)
                         * vectors * args->window->degree
                   + (gradient ? 0.9
                      : field  ? 0.6
                               : 0.35)
                         * s.channels * s.parts * vectors * p * p;
    double tile = 0.15 * (double)s.tile_bytes;
    return 1e-9 * (point * (double)args->n + tile * tiles) / args->threads;
}

static int64_t bytes(const void *a)
{
    const struct interp_args *args = a;
    struct shape s;
    shape_set(&s, args);
    int64_t tiles =
        (int64_t)s.tiles.count[0] * s.tiles.count[1] * s.tiles.count[2];
    return args->threads * s.thread_bytes
           + tiles * (int64_t)sizeof(struct tiles_task);
}

static void destroy(void *state)
{
    struct state *s = state;
    if (!s)
        return;
    tiles_tasks_clear(&s->tasks);
    mem_free(s->coef);
    mem_free(s->tiles);
    mem_free(s);
}

static farsum_status create(const void *args, void **state)
{
    farsum_status status = FARSUM_OK;
    struct state *s = NULL;
    TRY(MEM_NEW(s, 1));
    s->args = *(const struct interp_args *)args;
    shape_set(&s->shape, &s->args);
    GO(window_table(s->args.window, s->args.precision, &s->coef));
    /* zeroed, since the padding of a row is multiplied by a weight of 0 */
    GO(MEM_NEW(s->tiles, s->args.threads * s->shape.thread_bytes));
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
    const struct points *points = targets ? targets : sources;
    TRY(tiles_match(&s->shape.tiles, &points->bins));
    TRY(tiles_tasks_set(&s->tasks, &s->shape.tiles, &points->bins));
    s->points = points;
    return FARSUM_OK;
}

/* Copies n reals, every step-th of those at `from`; NULL: zeros. */
static void copy_reals(int64_t n, int size, int step, const char *from,
                       char *to)
{
    if (!from)
        memset(to, 0, (size_t)(n * size));
    else if (step == 1)
        memcpy(to, from, (size_t)(n * size));
    else if (size == 4)
        for (int64_t i = 0; i < n; i++)
            ((float *)to)[i] = ((const float *)from)[i * step];
    else
        for (int64_t i = 0; i < n; i++)
            ((double *)to)[i] = ((const double *)from)[i * step];
}

/* Copies one row of a tile from mesh row `from`, unwrapped; NULL: a row off the
 * mesh. */
static void copy_row(const struct state *s, int64_t lo, const char *from,
                     char *to)
{
    const struct tiles *tiles = &s->shape.tiles;
    int64_t at, n, end = lo + tiles->size[2];
    int size = s->shape.tile.real_size, parts = s->shape.parts;
    for (int64_t m = lo; m < end; m += n) {
        n = tiles_stretch(tiles, 2, m, end, &at);
        copy_reals(n, size, parts,
                   from && at >= 0 ? from + at * parts * size : NULL,
                   to + (m - lo) * size);
    }
}

/* Row (x, y), unwrapped, of the mesh; NULL: off the mesh. */
static const char *mesh_row(const struct state *s, const char *mesh, int64_t x,
                            int64_t y)
{
    x = tiles_index(&s->shape.tiles, 0, x);
    y = tiles_index(&s->shape.tiles, 1, y);
    if (x < 0 || y < 0)
        return NULL;
    return mesh
           + (x * s->args.mesh[1] + y) * s->args.ldz * s->shape.parts
                 * s->shape.tile.real_size;
}

/* Copies tile b with its halo from one part of one channel of the mesh.  Rows
 * are short and far apart, so the next ones are prefetched. */
static void copy_tile(const struct state *s, const int32_t b[3],
                      const char *mesh, char *tile)
{
    enum { AHEAD = 4, LINE = 64 };
    const struct tiles *t = &s->shape.tiles;
    const char *row[AHEAD];
    int64_t lo[3], size = (int64_t)s->shape.tile.real_size * s->shape.parts;
    int64_t step = s->shape.tile.stride[1] * (int64_t)s->shape.tile.real_size;
    for (int d = 0; d < 3; d++)
        lo[d] = tiles_lo(t, d, b[d]);
    int64_t rows = (int64_t)t->size[0] * t->size[1];
    int64_t first = tiles_wrap(lo[2], s->args.mesh[2]) * size;
    for (int64_t i = 0; i < rows + AHEAD; i++) {
        if (i >= AHEAD)
            copy_row(s, lo[2], row[i % AHEAD], tile + (i - AHEAD) * step);
        if (i >= rows)
            continue;
        row[i % AHEAD] =
            mesh_row(s, mesh, lo[0] + i / t->size[1], lo[1] + i % t->size[1]);
        for (int64_t z = 0; z < t->size[2] * size && row[i % AHEAD]; z += LINE)
            __builtin_prefetch(row[i % AHEAD] + first + z);
    }
}

/* E = -grad phi, u_d = mesh_d sum_j x_j inv[3j + d], dw/du = -2 dw/dt: the
 * signs cancel. */
static void job_field(const struct state *s, struct interp_job *job)
{
    const double *inv = s->args.cell->inv;
    for (int j = 0; j < 3; j++)
        for (int d = 0; d < 3; d++)
            job->to_field[j][d] =
                2 * (double)s->args.mesh[d] * inv[3 * j + d];
}

static void run_task(const struct state *s, const struct interp_io *io,
                     const struct tiles_task *task, char *tile)
{
    const struct bins *bins = &s->points->bins;
    struct tiles_range range[TILES_RANGES];
    struct interp_job job = {.support = s->shape.tiles.support,
                             .degree = s->args.window->degree,
                             .coef = s->coef,
                             .order = bins->order,
                             .channels = s->shape.channels,
                             .parts = s->shape.parts,
                             .tile = tile,
                             .tile_step =
                                 s->shape.tile.bytes / s->shape.tile.real_size,
                             .out = tile + s->shape.tile_bytes,
                             .range = range,
                             .potential = io->potential,
                             .field = io->field,
                             .gradient = io->gradient,
                             .potential_channel = io->potential_channel,
                             .field_channel = io->field_channel};
    for (int d = 0; d < 3; d++) {
        job.s[d] = bins->s[d];
        job.mesh[d] = (double)s->args.mesh[d];
        job.lo[d] = (int)tiles_lo(&s->shape.tiles, d, task->b[d]);
        job.stride[d] = s->shape.tile.stride[d];
    }
    if (io->field || io->gradient)
        job_field(s, &job);
    job.n_ranges = tiles_ranges(&s->shape.tiles, bins, task, range);
    for (int ch = 0; ch < s->shape.channels; ch++)
        for (int part = 0; part < s->shape.parts; part++) {
            int64_t at = ch * io->mesh_channel + part;
            copy_tile(s, task->b,
                      (const char *)io->mesh + at * s->shape.tile.real_size,
                      tile);
            tile += s->shape.tile.bytes;
        }
    s->shape.kern->points(&job);
}

static farsum_status run(void *state, const void *a)
{
    const struct state *s = state;
    struct interp_io io = interp_strides(&s->args, a, s->points->n);
    if (!io.potential && !io.field && !io.gradient)
        return FARSUM_OK;
    struct progress *listener = progress_phase(s->tasks.n, "summing: interp");
    PAR_TEAM(s->args.threads)
    {
        char *tile = s->tiles + omp_get_thread_num() * s->shape.thread_bytes;
#pragma omp for schedule(dynamic, 1)
        for (int64_t k = 0; k < s->tasks.n; k++) {
            if (progress_stopped(listener))
                continue;
            run_task(s, &io, &s->tasks.task[k], tile);
            progress_add(listener, 1);
        }
    }
    return progress_check(listener);
}

const struct variant interp_host_tile = {.fits = fits,
                                         .cost = cost,
                                         .bytes = bytes,
                                         .create = create,
                                         .set = set,
                                         .run = run,
                                         .destroy = destroy,
                                         .deterministic = 1,
                                         .needs = ""};
