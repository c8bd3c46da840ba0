/* SPDX-License-Identifier: Apache-2.0 */
/* gpu_column_mma: one thread block per column of first mesh points.  Planes of
 * the mesh slide through shared memory, and targets are rows of products on
 * FP64 tensor cores.  Our algorithm.  Each target is in one list and is summed
 * in one place.  So its set-up is only a sort, and no results are added
 * afterwards.  Wins in f64.  NVIDIA, from sm_80 on.  Deterministic. */
#include "points/device/columns.h"
#include "base/hypot.h"
#include "stage/interp/device.h"

#include "base/mem.h"

#include <math.h>

enum { WARPS = 4, GROUP = 128, TILE_Y = 4 };
enum { FULL = 12 }; /* targets per bin that nearly fill a product */

/* Parameters that follow only from args. */
struct shape {
    struct gpu_columns_shape columns;
    int mma;      /* rows of a product: 8 or 16 */
    int round;    /* targets at a time */
    int planes;   /* maximum number of blocks of eight planes that their windows
                     span */
    int channels; /* channels per launch; divides args->channels */
    int blocks;
    int64_t arena;
};

struct state {
    struct interp_gpu gpu; /* its kernel: the main one */
    struct shape shape;
    struct gpu_columns columns;
};

/* Laid out as in gpu_column_mma.k. */
static int64_t arena_bytes(const struct shape *s,
                           const struct interp_args *args)
{
    int field = (args->outputs & FARSUM_FIELD) != 0;
    int P = args->window->support, values = s->channels * interp_parts(args);
    int64_t span = TILE_Y + P - 1;
    int64_t row = (s->columns.tile_z + P + 2) / 4 * 4;
    int64_t plane = values * span * row + 4;
    int64_t held = (1 + field) * (8 * s->planes + span + row) * (s->round + 4);
    int64_t apart = WARPS * values * (1 + 3 * field) * s->round;
    return 8 * (s->columns.ring * plane + 2 * held + 2 * apart)
           + 4 * (GPU_COLUMNS_LENGTH + 1);
}

/* Doubles held by a lane: its products. */
static int lane_reals(const struct shape *s, const struct interp_args *args)
{
    int kinds = args->outputs & FARSUM_FIELD ? 3 : 1;
    return s->round / 16 * s->channels * interp_parts(args) * kinds * s->planes
           * 4;
}

static double per_bin(const struct shape *s, const struct interp_args *args)
{
    double points = 1;
    for (int d = 0; d < 3; d++)
        points *= (double)args->mesh[d];
    return (double)args->n / points * TILE_Y * s->columns.tile_z;
}

/* If a bin's targets nearly fill a product, a round has one bin's targets, as
 * two products.  Otherwise a round has several bins, and reads the planes of
 * all of them. */
static void shape_set(struct shape *s, const struct interp_args *args)
{
    enum { REALS = 48, TWO_GROUPS = 112 << 10 };
    struct gpu_columns_shape *c = &s->columns;
    int all = interp_channels(args), P = args->window->support;
    *s = (struct shape){.mma = gpu_tensor_rows(args->device)};
    *c = (struct gpu_columns_shape){.precision = args->precision,
                                    .support = P,
                                    .tile_y = TILE_Y,
                                    .tile_z = (P > 12 ? 21 : 17) - P,
                                    .by_first = 1};
    for (int d = 0; d < 3; d++) {
        c->mesh[d] = args->mesh[d];
        c->open[d] = args->open[d];
    }
    gpu_columns_shape_set(c);
    int dense = per_bin(s, args) >= FULL;
    s->round = dense ? 32 : 16;
    s->planes = (P + 7) / 8 + !dense;
    c->ring = 8 * s->planes + 4;
    for (s->channels = all; s->channels > 1; s->channels--)
        if (all % s->channels == 0 && lane_reals(s, args) <= REALS
            && arena_bytes(s, args) <= TWO_GROUPS)
            break;
    s->arena = arena_bytes(s, args);
    s->blocks = (int)(args->device->properties.local / (s->arena + 1024));
    s->blocks = s->blocks < 1 ? 1 : s->blocks > 4 ? 4 : s->blocks;
}

static farsum_status fits(const void *a)
{
    const struct interp_args *args = a;
    struct shape s;
    TRY(interp_gpu_fits(args));
    TRY(gpu_tensor_fits(args->device, args->precision));
    shape_set(&s, args);
    TRY(gpu_local_fits(args->device, s.arena));
    return gpu_columns_fits(&s.columns, args->n);
}

/* Multiply-adds, as measured on an H200: per target its share of products and a
 * constant.  The rounds of one task are sequential.  Planes of the halo, and
 * those past a segment's end, come from the cache. */
static double cost(const void *a)
{
    const struct interp_args *args = a;
    struct gpu_rates rates = interp_gpu_rates(args);
    struct shape s;
    shape_set(&s, args);
    const struct gpu_columns_shape *c = &s.columns;
    double P = args->window->support, n = (double)args->n;
    double groups = (double)interp_channels(args) / s.channels;
    double kinds = args->outputs & FARSUM_FIELD ? 3 : 1;
    double halo = (TILE_Y + P - 1) * (c->tile_z + P - 1);
    double products = halo * 8 * s.planes * interp_gpu_values(args) * kinds;
    double read = interp_gpu_bytes(args) * halo / (TILE_Y * c->tile_z);
    double clustering = interp_clustering(args);
    int64_t held = (int64_t)args->device->properties.units * s.blocks;
    double fullest =
        gpu_columns_fullest(c, n, held, 1 + 1.4 * (clustering - 1));
    double round = 1e-9 * (1990 + 746.0 * s.channels * kinds);
    double length = (double)gpu_columns_length(c, held), planes = length + P;
    double task = fullest / s.round * round + 1.2e-8 * planes;
    double sparse = per_bin(&s, args) < FULL ? 0.87 : 1;
    return 1e-5 + 3e-6 * groups
           + 1.72 * read * (planes - 1)
                 / (length * rates.bytes * pow(clustering, 0.71))
           + hypot_of(n * sparse * (1.22 * products + 1810 * groups)
                          / rates.flops,
                      groups * task)
           + (5e-5 + 1e-10 * n / rates.share) / interp_repeats(args);
}

static int64_t bytes(const void *a)
{
    const struct interp_args *args = a;
    struct shape s;
    shape_set(&s, args);
    return (int64_t)sizeof(struct state)
           + gpu_columns_bytes(&s.columns, args->n, 0);
}

static void destroy(void *state)
{
    struct state *s = state;
    if (!s)
        return;
    gpu_columns_clear(&s->columns);
    interp_gpu_clear(&s->gpu);
    mem_free(s);
}

static farsum_status create(const void *a, void **state)
{
    const struct interp_args *args = a;
    farsum_status status = FARSUM_OK;
    struct interp_args some = *args;
    struct state *s = NULL;
    TRY(MEM_NEW(s, 1));
    shape_set(&s->shape, args);
    some.channels = s->shape.channels;
    interp_gpu_begin(&s->gpu, &some, "stage/interp/gpu_column_mma.k");
    s->gpu.args = *args;
    struct jit *jit = &s->gpu.jit;
    const struct gpu_columns_shape *c = &s->shape.columns;
    jit_define(jit, "MMA", "%d", s->shape.mma);
    jit_define(jit, "BLOCKS", "%d", s->shape.blocks);
    jit_define(jit, "ROUND", "%d", s->shape.round);
    jit_define(jit, "PLANES", "%d", s->shape.planes);
    jit_define(jit, "RING", "%d", c->ring);
    jit_define(jit, "TILE_Y", "%d", c->tile_y);
    jit_define(jit, "TILE_Z", "%d", c->tile_z);
    GO(interp_gpu_build(&s->gpu, "interp_column", GROUP, s->shape.arena));
    GO(gpu_columns_create(&s->columns, args->device, c, 0));
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
    return gpu_columns_set(&s->columns, s->gpu.points->gpu,
                           (int64_t)args->device->properties.units
                               * s->shape.blocks);
}

static farsum_status run(void *state, const void *a)
{
    const struct state *s = state;
    const struct interp_io *io = a;
    const struct gpu_columns *c = &s->columns;
    struct columns_args list = c->args;
    struct interp_gpu_args args;
    const struct buf *results[2];
    int all = interp_channels(&s->gpu.args);
    if (s->gpu.points->n == 0)
        return FARSUM_OK;
    TRY(interp_gpu_io(&s->gpu, io, &args, results));
    for (int k = 0; k < all; k += s->shape.channels) {
        list.channel = k;
        TRY(LAUNCH(&s->gpu.kernel, c->tasks + c->extras, ARG_BUF(&c->t),
                   ARG_BUF(&c->place), ARG_BUF(&c->item), ARG_BUF(&c->start),
                   ARG_BUF(&c->of), ARG_BUF(&c->part), ARG_BUF(io->mesh),
                   ARG_BUF(results[0]), ARG_BUF(results[1]), ARG_STRUCT(args),
                   ARG_STRUCT(list)));
    }
    return FARSUM_OK;
}

const struct variant interp_gpu_column_mma = {.fits = fits,
                                              .cost = cost,
                                              .bytes = bytes,
                                              .create = create,
                                              .set = set,
                                              .run = run,
                                              .destroy = destroy,
                                              .deterministic = 1,
                                              .needs = "FP64 tensor cores"};
