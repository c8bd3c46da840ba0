/* SPDX-License-Identifier: Apache-2.0 */
/* multicolour: blocks of the mesh have colours such that the points of two
 * blocks of one colour touch no common mesh point.  For each colour, a parallel
 * loop over its blocks adds directly to the mesh, without atomics or private
 * copies.  Liu and Chow, Large-scale hydrodynamic Brownian simulations on
 * multicore and manycore architectures, IPDPS 2014.  Repeats bitwise for any
 * number of threads.  Wins where points per mesh point are few, or channels
 * many, since no tile is cleared and added.  Loses where a cluster is in one
 * block. */
#include "stage/spread/multicolour_kern.h"

#include "base/isa.h"
#include "base/mem.h"
#include "base/par.h"
#include "math/window_table.h"
#include "points/tiles.h"
#include "stage/device.h"
#include "stage/particles/host.h"
#include "stage/spread/spread.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

ISA_TABLE(struct multicolour_kern, spread_multicolour)

/* Minimum mesh points of a block, long along z, which suits the cache.  Maximum
 * colours per axis. */
static const int block_size[3] = {16, 16, 64};
enum { COLOURS = 2 * 2 * 2 };

/* Blocks of an axis are intervals of the bins into which the points are
 * sorted. */
struct axis {
    int32_t count;  /* even, or 1, if the axis is periodic */
    int32_t n_bins;
    int32_t *start; /* owned, [count + 1]: bins */
};

struct block {
    int32_t b[3], colour;
    int64_t n; /* points */
};

struct state {
    struct spread_args args;
    const struct multicolour_kern *kern;
    struct tiles tiles;
    struct axis axis[3];
    int64_t *place[3]; /* owned, [mesh + 2 WINDOW_MAX]: as in the job */
    void *coef;        /* owned, [degree + 1][WINDOW_MAX], real */
    const struct points *points; /* borrowed */
    int64_t n_blocks, capacity;
    struct block *block;        /* owned: blocks with points, by colour */
    int64_t start[COLOURS + 1]; /* of a colour's blocks */
};

static farsum_status fits(const void *a)
{
    const struct spread_args *args = a;
    if (args->slopes)
        FAIL(ERR_UNSUPPORTED, "does not spread slopes");
    return particles_host_fits(args->device, spread_parts(args), args->mesh);
}

/* First mesh index that points of bin b touch: ceil(b mesh/bins - P/2). */
static int64_t bin_lo(const struct state *s, int d, int64_t b)
{
    int64_t n = 2 * (int64_t)s->axis[d].n_bins;
    int64_t x = 2 * b * s->tiles.mesh[d] - s->tiles.support * (n / 2);
    return x / n + (x % n > 0);
}

/* With two or more blocks, a block and the next but one must not meet in the
 * block between them. */
static int axis_valid(const struct state *s, int d, int32_t count)
{
    int64_t bins = s->axis[d].n_bins;
    for (int64_t b = 0; b < count && count > 2; b++)
        if (bin_lo(s, d, (b + 1) * bins / count)
                - bin_lo(s, d, b * bins / count)
            < s->tiles.support)
            return 0;
    return 1;
}

/* The maximum number of blocks of the wanted size. */
static int32_t axis_count(const struct state *s, int d)
{
    int64_t size = s->tiles.support > block_size[d] ? s->tiles.support
                                                    : block_size[d];
    int64_t most = s->tiles.mesh[d] / size;
    int32_t count = s->axis[d].n_bins;
    count = most < count ? (int32_t)most : count;
    for (; count > 1; count--)
        if ((s->tiles.open[d] || count % 2 == 0) && axis_valid(s, d, count))
            return count;
    return 1;
}

static void shape_set(struct state *s, const struct spread_args *args)
{
    s->args = *args;
    s->kern = isa_spread_multicolour[args->isa][args->precision == FARSUM_F32];
    tiles_set(&s->tiles, args->mesh, args->open, args->window->support);
    for (int d = 0; d < 3; d++) {
        s->axis[d].n_bins = s->tiles.count[d] * s->tiles.bins[d];
        s->axis[d].count = axis_count(s, d);
    }
}

static int64_t blocks(const struct state *s)
{
    return (int64_t)s->axis[0].count * s->axis[1].count * s->axis[2].count;
}

static double mesh_bytes(const struct spread_args *args)
{
    return (double)args->mesh[0] * (double)args->mesh[1]
           * (double)args->mesh[2] * spread_channels(args)
           * spread_parts(args) * (args->precision == FARSUM_F32 ? 4 : 8);
}

/* Nanoseconds on one core of a Zen 3 at 3.2 GHz: a point's position and
 * weights; P^2 rows of loads and stores; clearing the mesh; cache lines that
 * points load, at most as often as blocks overlap; and the wait at the end of a
 * colour.  On a small mesh a colour has few blocks, and some threads wait for
 * the others. */
static double cost(const void *a)
{
    const struct spread_args *args = a;
    struct state s = {0};
    shape_set(&s, args);
    double p = s.tiles.support, lanes = s.kern->lanes, colours = 1;
    double vectors = ceil(p * spread_parts(args) / lanes);
    for (int d = 0; d < 3; d++)
        colours *= s.axis[d].count > 1 ? 2 : 1;
    double each = (double)blocks(&s) / colours, threads = args->threads;
    double rounds = ceil(each / threads) * threads / each;
    /* at the seam of axis 2, lanes are written one by one */
    double seam = 1 + 1.5 * fmin(1, p / (double)args->mesh[2]);
    double point = 12 + ceil(p / lanes) * args->window->degree
                   + 0.75 * seam * spread_channels(args) * vectors * p * p;
    double mesh = mesh_bytes(args), touched = (double)args->n * p * p;
    touched *= spread_channels(args)
               * (64 + p * spread_parts(args) * gpu_real(args->precision));
    touched = touched < 2 * mesh ? touched : 2 * mesh;
    double wait = threads > 1 ? 2000 * colours : 0;
    /* a colour waits for its fullest block */
    double busy =
        fmax(rounds / threads, fmin(spread_clustering(args) / each, 1));
    return 1e-9 * (point * busy * (double)args->n
                   + 0.1 * (mesh + touched) / threads + wait);
}

static int64_t bytes(const void *a)
{
    struct state s = {0};
    shape_set(&s, a);
    int64_t places = s.tiles.mesh[0] + s.tiles.mesh[1] + s.tiles.mesh[2];
    return blocks(&s) * (int64_t)sizeof(struct block)
           + (places + 6 * WINDOW_MAX) * (int64_t)sizeof(int64_t);
}

static void destroy(void *state)
{
    struct state *s = state;
    if (!s)
        return;
    for (int d = 0; d < 3; d++) {
        mem_free(s->axis[d].start);
        mem_free(s->place[d]);
    }
    mem_free(s->coef);
    mem_free(s->block);
    mem_free(s);
}

static farsum_status axis_set(struct state *s, int d, int64_t stride)
{
    struct axis *axis = &s->axis[d];
    int64_t n = s->tiles.mesh[d] + 2 * WINDOW_MAX;
    TRY(MEM_RAW(axis->start, axis->count + 1));
    for (int64_t b = 0; b <= axis->count; b++)
        axis->start[b] = (int32_t)(b * axis->n_bins / axis->count);
    TRY(MEM_RAW(s->place[d], n));
    for (int64_t i = 0; i < n; i++) {
        int64_t m = tiles_index(&s->tiles, d, i - WINDOW_MAX);
        s->place[d][i] = m < 0 ? -1 : m * stride;
    }
    return FARSUM_OK;
}

static farsum_status create(const void *args, void **state)
{
    farsum_status status = FARSUM_OK;
    struct state *s = NULL;
    TRY(MEM_NEW(s, 1));
    shape_set(s, args);
    int64_t parts = spread_parts(args), row = s->args.ldz * parts;
    GO(axis_set(s, 0, s->args.mesh[1] * row));
    GO(axis_set(s, 1, row));
    GO(axis_set(s, 2, parts));
    GO(window_table(s->args.window, s->args.precision, &s->coef));
    GO(MEM_RESERVE(s->block, &s->capacity, blocks(s)));
    *state = s;
done:
    if (status != FARSUM_OK)
        destroy(s);
    return status;
}

/* Sorted points of column (x, y) of bins, those of the block along z. */
static struct tiles_range column(const struct state *s, const int32_t b[3],
                                 int32_t x, int32_t y)
{
    const struct bins *bins = &s->points->bins;
    const int32_t *z = &s->axis[2].start[b[2]];
    int64_t k = ((int64_t)x * bins->nb[1] + y) * bins->nb[2];
    return (struct tiles_range){bins->start[k + z[0]], bins->start[k + z[1]]};
}

static void block_add(struct state *s, int32_t bx, int32_t by, int32_t bz)
{
    struct block block = {.b = {bx, by, bz},
                          .colour = (bx & 1) << 2 | (by & 1) << 1 | (bz & 1)};
    const int32_t *x = &s->axis[0].start[bx], *y = &s->axis[1].start[by];
    for (int32_t i = x[0]; i < x[1]; i++)
        for (int32_t j = y[0]; j < y[1]; j++) {
            struct tiles_range r = column(s, block.b, i, j);
            block.n += r.to - r.from;
        }
    if (block.n > 0)
        s->block[s->n_blocks++] = block;
}

/* Sorts by colour, the fullest first within a colour, so that none is left to
 * the end.  Blocks of a colour touch different mesh points, so their order
 * changes no sum. */
static int block_order(const void *a, const void *b)
{
    const struct block *x = a, *y = b;
    if (x->colour != y->colour)
        return x->colour < y->colour ? -1 : 1;
    return x->n > y->n ? -1 : x->n < y->n;
}

static farsum_status set(void *state, const struct points *sources,
                         const struct points *targets)
{
    struct state *s = state;
    (void)targets;
    TRY(tiles_match(&s->tiles, &sources->bins));
    s->points = sources;
    s->n_blocks = 0;
    for (int32_t x = 0; x < s->axis[0].count; x++)
        for (int32_t y = 0; y < s->axis[1].count; y++)
            for (int32_t z = 0; z < s->axis[2].count; z++)
                block_add(s, x, y, z);
    qsort(s->block, (size_t)s->n_blocks, sizeof *s->block, block_order);
    memset(s->start, 0, sizeof s->start);
    for (int64_t k = 0; k < s->n_blocks; k++)
        s->start[s->block[k].colour + 1] = k + 1;
    for (int c = 0; c < COLOURS; c++)
        if (s->start[c + 1] < s->start[c])
            s->start[c + 1] = s->start[c];
    return FARSUM_OK;
}

static void run_block(const struct state *s, const struct multicolour_job *job,
                      const struct block *block)
{
    enum { MOST = 64 };
    struct tiles_range range[MOST];
    const int32_t *x = &s->axis[0].start[block->b[0]];
    const int32_t *y = &s->axis[1].start[block->b[1]];
    int n = 0;
    for (int32_t i = x[0]; i < x[1]; i++)
        for (int32_t j = y[0]; j < y[1]; j++) {
            range[n] = column(s, block->b, i, j);
            n += range[n].from < range[n].to;
            if (n == MOST) {
                s->kern->points(job, n, range);
                n = 0;
            }
        }
    s->kern->points(job, n, range);
}

/* Clears row r of the mesh, channel after channel. */
static void clear_row(const struct state *s, const struct spread_io *io,
                      int64_t r)
{
    int64_t rows = s->args.mesh[0] * s->args.mesh[1];
    int64_t parts = spread_parts(&s->args), size = gpu_real(s->args.precision);
    int64_t at = r / rows * io->mesh_channel + r % rows * s->args.ldz * parts;
    memset((char *)io->mesh + at * size, 0,
           (size_t)(s->args.mesh[2] * parts * size));
}

static farsum_status run(void *state, const void *a)
{
    const struct state *s = state;
    struct spread_io io = spread_strides(&s->args, a, s->points->n);
    const struct bins *bins = &s->points->bins;
    int channels = spread_channels(&s->args);
    struct multicolour_job job = {.support = s->tiles.support,
                                  .degree = s->args.window->degree,
                                  .coef = s->coef,
                                  .order = bins->order,
                                  .channels = channels,
                                  .parts = spread_parts(&s->args),
                                  .q = io.q,
                                  .q_channel = io.q_channel,
                                  .q_point = io.q_point,
                                  .mesh = io.mesh,
                                  .mesh_channel = io.mesh_channel};
    for (int d = 0; d < 3; d++) {
        job.s[d] = bins->s[d];
        job.size[d] = (double)s->args.mesh[d];
        job.place[d] = s->place[d];
    }
    int64_t rows = s->args.mesh[0] * s->args.mesh[1] * channels;
    PAR_TEAM(s->args.threads)
    {
#pragma omp for schedule(static)
        for (int64_t r = 0; r < rows; r++)
            clear_row(s, &io, r);
        for (int c = 0; c < COLOURS; c++) {
#pragma omp for schedule(dynamic, 1)
            for (int64_t k = s->start[c]; k < s->start[c + 1]; k++)
                run_block(s, &job, &s->block[k]);
        }
    }
    return FARSUM_OK;
}

const struct variant spread_multicolour = {.fits = fits,
                                           .cost = cost,
                                           .bytes = bytes,
                                           .create = create,
                                           .set = set,
                                           .run = run,
                                           .destroy = destroy,
                                           .deterministic = 1,
                                           .needs = ""};
