/* SPDX-License-Identifier: Apache-2.0 */
/* host_tile_run.c: adds points to tiles, and tiles to the mesh. */
#include "stage/spread/host_tile.h"

#include "base/par.h"
#include "base/progress.h"

#include <string.h>

static char *layer_tile(const struct state *s, const int32_t b[3])
{
    int64_t k = s->waves.slot[b[0]] * s->shape.layer_tiles
                + b[1] * (int64_t)s->shape.tiles.count[2] + b[2];
    return s->layers + k * s->shape.tile_bytes;
}

static char *task_tile(const struct state *s, int64_t k)
{
    if (s->part[k] < 0)
        return layer_tile(s, s->tasks.task[k].b);
    return s->extra + s->part[k] * s->shape.tile_bytes;
}

static void run_task(const struct state *s, const struct spread_io *io,
                     int64_t k)
{
    const struct tiles_task *task = &s->tasks.task[k];
    const struct bins *bins = &s->points->bins;
    struct tiles_range range[TILES_RANGES];
    struct spread_job job = {.support = s->shape.tiles.support,
                             .degree = s->args.window->degree,
                             .coef = s->coef,
                             .order = bins->order,
                             .channels = s->shape.channels,
                             .parts = s->shape.parts,
                             .slopes = s->args.slopes,
                             .q = io->q,
                             .q_channel = io->q_channel,
                             .q_point = io->q_point,
                             .tile = task_tile(s, k),
                             .tile_step =
                                 s->shape.tile.bytes / s->shape.tile.real_size,
                             .range = range};
    for (int d = 0; d < 3; d++) {
        job.s[d] = bins->s[d];
        job.mesh[d] = (double)s->args.mesh[d];
        job.lo[d] = (int)tiles_lo(&s->shape.tiles, d, task->b[d]);
        job.stride[d] = s->shape.tile.stride[d];
    }
    job.n_ranges = tiles_ranges(&s->shape.tiles, bins, task, range);
    memset(job.tile, 0, (size_t)s->shape.tile_bytes);
    s->shape.kern->points(&job);
}

/* Adds plane x of the further parts of task k's tiles to that of the first
 * part. */
static void run_parts(const struct state *s, int64_t k, int64_t x)
{
    const struct tiles_task *task = &s->tasks.task[k];
    int64_t n = s->shape.tile.stride[0], at = x * n * s->shape.tile.real_size;
    if (task->part)
        return;
    for (; at < s->shape.tile_bytes; at += s->shape.tile.bytes)
        for (int32_t p = 1; p < task->parts; p += 4) {
            const void *source[4];
            int sources = 0;
            for (; sources < 4 && p + sources < task->parts; sources++)
                source[sources] = task_tile(s, k + p + sources) + at;
            s->shape.kern->add(n, sources, source, 1, task_tile(s, k) + at);
        }
}

/* Adds the z-rows of tiles (.., .., z) at `source`, wrapped or dropped, to
 * row. */
static void gather_rows(const struct state *s, int32_t z, int sources,
                        const char *const *source, char *row)
{
    const struct tiles *tiles = &s->shape.tiles;
    int64_t lo = tiles_lo(tiles, 2, z), end = lo + tiles->size[2];
    int64_t at, n, size = s->shape.tile.real_size;
    for (int64_t m = lo; m < end; m += n) {
        const void *part[4];
        n = tiles_stretch(tiles, 2, m, end, &at);
        if (at < 0)
            continue;
        for (int k = 0; k < sources; k++)
            part[k] = source[k] + (m - lo) * size;
        s->shape.kern->add(n, sources, part, s->shape.parts,
                           row + at * s->shape.parts * size);
    }
}

/* Sums one part and channel of mesh row (mx, my), initially zero, from all
 * tiles that cover it, in their order; their data begin `offset` bytes into the
 * tiles. */
static void gather_part(const struct state *s, int64_t mx, int64_t my,
                        int64_t offset, char *row)
{
    const struct tiles_cover *cx = &s->cover[0], *cy = &s->cover[1];
    const int *stride = s->shape.tile.stride;
    for (int32_t z = 0; z < s->shape.tiles.count[2]; z++) {
        const char *source[4];
        int n = 0;
        for (int64_t i = cx->start[mx]; i < cx->start[mx + 1]; i++)
            for (int64_t j = cy->start[my]; j < cy->start[my + 1]; j++) {
                int32_t b[3] = {cx->tile[i], cy->tile[j], z};
                if (!s->full[spread_tile_index(s, b)])
                    continue;
                int64_t at = cx->at[i] * (int64_t)stride[0]
                             + cy->at[j] * (int64_t)stride[1];
                source[n++] = layer_tile(s, b) + offset
                              + at * s->shape.tile.real_size;
                if (n == 4) {
                    gather_rows(s, z, n, source, row);
                    n = 0;
                }
            }
        if (n > 0)
            gather_rows(s, z, n, source, row);
    }
}

/* Gathers mesh row (x, y) of every channel. */
static void gather(const struct state *s, const struct spread_io *io, int64_t x,
                   int64_t y)
{
    int64_t offset = 0, size = s->shape.tile.real_size;
    int64_t reals = s->args.mesh[2] * s->shape.parts;
    int64_t at =
        (x * s->args.mesh[1] + y) * s->args.ldz * s->shape.parts * size;
    for (int ch = 0; ch < s->shape.channels; ch++) {
        char *row = (char *)io->mesh + ch * io->mesh_channel * size + at;
        memset(row, 0, (size_t)(reals * size));
        for (int part = 0; part < s->shape.parts; part++) {
            gather_part(s, x, y, offset, row + part * size);
            offset += s->shape.tile.bytes;
        }
    }
}

farsum_status spread_tile_run(void *state, const void *a)
{
    const struct state *s = state;
    struct spread_io io = spread_strides(&s->args, a, s->points->n);
    int64_t ny = s->args.mesh[1], planes = s->shape.tiles.size[0];
    struct progress *listener =
        progress_phase(s->wave_task[s->waves.n], "summing: spread");
    PAR_TEAM(s->args.threads)
    for (int32_t w = 0; w < s->waves.n; w++) {
        int64_t from = s->wave_task[w], to = s->wave_task[w + 1];
#pragma omp for schedule(dynamic, 1)
        for (int64_t k = from; k < to; k++) {
            if (progress_stopped(listener))
                continue;
            run_task(s, &io, k);
            progress_add(listener, 1);
        }
        if (s->extra_capacity > 0) {
#pragma omp for schedule(static) collapse(2)
            for (int64_t k = from; k < to; k++)
                for (int64_t x = 0; x < planes; x++)
                    run_parts(s, k, x);
        }
#pragma omp for schedule(static) collapse(2)
        for (int64_t i = s->waves.plane_start[w];
             i < s->waves.plane_start[w + 1]; i++)
            for (int64_t y = 0; y < ny; y++)
                gather(s, &io, s->waves.plane[i], y);
    }
    return progress_check(listener);
}

