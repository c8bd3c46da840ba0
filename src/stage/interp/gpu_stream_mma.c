/* SPDX-License-Identifier: Apache-2.0 */
/* gpu_stream_mma: one warp per column of mesh points, held in registers while
 * the targets pass in the order of their first plane, on FP64 tensor cores.
 * Each mesh point is read once, and the contributions to a target are added in
 * a fixed order.  The transpose of the spread variant of the same name.  Our
 * algorithm.  Wins in f64 from about ten thousand targets.  NVIDIA, from sm_80
 * on.  Deterministic. */
#include "points/device/columns.h"
#include "base/hypot.h"
#include "stage/interp/device.h"

#include "base/mem.h"

#include <math.h>

enum { WARP = 32, WARPS = 4, GROUP = 128 };

/* Doubles that a lane may hold for several channels.  Few warps that compute
 * the weights once are faster than more warps that compute them for each
 * channel: 8.0 ms against 13.3 ms (P = 14, three channels, 4e6 targets,
 * H200). */
enum { MOST = 80 };

/* Parameters that follow only from args. */
struct shape {
    struct gpu_columns_shape columns;
    int mma;      /* rows of a product: 8 or 16 */
    int channels; /* channels per launch; divides args->channels */
    int blocks;
    int64_t arena;
};

struct state {
    struct interp_gpu gpu; /* its kernel: the main one */
    struct shape shape;
    struct gpu_columns columns;
    struct kernel sum;
    struct buf apart; /* [entry][results] */
};

/* Doubles held by a lane: planes and products. */
static int lane_reals(const struct shape *s, const struct interp_args *args)
{
    int rings = s->columns.ring / 8, values = s->channels * interp_parts(args);
    int kinds = args->outputs & FARSUM_FIELD ? 3 : 1;
    return values * rings * (8 + 4 * kinds);
}

static void shape_set(struct shape *s, const struct interp_args *args)
{
    struct gpu_columns_shape *c = &s->columns;
    int all = interp_channels(args), P = args->window->support;
    int field = (args->outputs & FARSUM_FIELD) != 0;
    *s = (struct shape){.mma = gpu_tensor_rows(args->device)};
    *c = (struct gpu_columns_shape){.precision = args->precision,
                                    .support = P,
                                    .tile_y = 4,
                                    .tile_z = 8,
                                    .ring = (P + 7) / 8 * 8};
    for (int d = 0; d < 3; d++) {
        c->mesh[d] = args->mesh[d];
        c->open[d] = args->open[d];
    }
    gpu_columns_shape_set(c);
    for (s->channels = all; s->channels > 1; s->channels--)
        if (all % s->channels == 0 && lane_reals(s, args) <= MOST)
            break;
    int registers = 2 * lane_reals(s, args) + 84;
    s->blocks = 65536 / (registers * GROUP);
    s->blocks = s->blocks < 1 ? 1 : s->blocks > 4 ? 4 : s->blocks;
    int64_t held = (int64_t)(c->ring + 12) * (1 + field) * (WARP + 4)
                   + s->channels * interp_parts(args) * WARP;
    s->arena = WARPS * (held * 8 + 4 * (GPU_COLUMNS_LENGTH + 1));
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

/* Multiply-adds, as measured on an H200.  A visit costs its lanes' work and a
 * constant.  Many visits hide each other's latency, and those of one task are
 * sequential.  Results are written separately and added. */
static double cost(const void *a)
{
    const struct interp_args *args = a;
    struct gpu_rates rates = interp_gpu_rates(args);
    struct shape s;
    shape_set(&s, args);
    const struct gpu_columns_shape *c = &s.columns;
    double P = c->support, groups = interp_channels(args) / s.channels;
    double visits = (P - 1 + c->tile_y) / c->tile_y * (P - 1 + c->tile_z)
                    / c->tile_z;
    double n = (double)args->n, clustering = interp_clustering(args);
    double places = c->most_y * c->most_z * n; /* for the inverse */
    int lane = lane_reals(&s, args);
    double fullest = gpu_columns_fullest(c, n * visits,
                                         (int64_t)args->device->properties.units
                                             * s.blocks * WARPS,
                                         1 + 0.7 * (clustering - 1));
    double alone = 1e-9 * (17 + 0.73 * lane) * pow(fmin(clustering, 300), 0.27);
    return 3e-6 + groups * 9e-6
           + hypot_of(n * groups * visits * (28 * lane + 513) / rates.flops,
                      groups * fullest * alone)
           + (2.2 / rates.bytes + 7.5e-13 / rates.share)
                 * interp_gpu_bytes(args) / pow(clustering, 0.3)
           + (gpu_columns_cost(c, args->n, rates.share)
              + 4e-11 * places / rates.share)
                 / interp_repeats(args);
}

static int64_t apart_bytes(const struct shape *s,
                           const struct interp_args *args, int64_t entries)
{
    int sums = args->outputs & FARSUM_FIELD ? 4 : 1;
    return entries * s->channels * interp_parts(args) * sums * 8;
}

static int64_t bytes(const void *a)
{
    const struct interp_args *args = a;
    struct shape s;
    shape_set(&s, args);
    const struct gpu_columns_shape *c = &s.columns;
    return gpu_columns_bytes(c, args->n, 1)
           + apart_bytes(&s, args, args->n * c->most_y * c->most_z);
}

static int64_t shared(const void *a, uint64_t *key, double *cost)
{
    const struct interp_args *args = a;
    struct gpu_rates rates = interp_gpu_rates(args);
    struct shape s;
    shape_set(&s, args);
    *cost = gpu_columns_cost(&s.columns, args->n, rates.share)
            / interp_repeats(args);
    return gpu_columns_shared(&s.columns, args->n, key);
}

static void destroy(void *state)
{
    struct state *s = state;
    if (!s)
        return;
    buf_clear(&s->apart);
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
    interp_gpu_begin(&s->gpu, &some, "stage/interp/gpu_stream_mma.k");
    s->gpu.args = *args;
    struct jit *jit = &s->gpu.jit;
    const struct gpu_columns_shape *c = &s->shape.columns;
    jit_define(jit, "MMA", "%d", s->shape.mma);
    jit_define(jit, "WARPS", "%d", WARPS);
    jit_define(jit, "BLOCKS", "%d", s->shape.blocks);
    jit_define(jit, "PLACES", "%d", c->most_y * c->most_z);
    GO(interp_gpu_build(&s->gpu, "interp_stream", GROUP, s->shape.arena));
    GO(jit_kernel(jit, "interp_stream_sum", GROUP, 0, &s->sum));
    GO(gpu_columns_create(&s->columns, args->device, c, 1));
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
    TRY(gpu_columns_set(&s->columns, s->gpu.points->gpu,
                        (int64_t)args->device->properties.units
                            * s->shape.blocks * WARPS));
    return buf_reserve(&s->apart, args->device,
                       apart_bytes(&s->shape, args, s->columns.args.entries));
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
        TRY(LAUNCH(&s->gpu.kernel, (c->tasks + c->extras + WARPS - 1) / WARPS,
                   ARG_BUF(&c->t), ARG_BUF(&c->place), ARG_BUF(&c->start),
                   ARG_BUF(&c->of), ARG_BUF(&c->part), ARG_BUF(io->mesh),
                   ARG_BUF(&s->apart), ARG_STRUCT(args), ARG_STRUCT(list)));
        TRY(LAUNCH(&s->sum, kernel_groups(&s->sum, args.mesh.n),
                   ARG_BUF(&s->apart), ARG_BUF(&c->inverse),
                   ARG_BUF(results[0]), ARG_BUF(results[1]), ARG_STRUCT(args),
                   ARG_I32(k)));
    }
    return FARSUM_OK;
}

const struct variant interp_gpu_stream_mma = {.fits = fits,
                                              .cost = cost,
                                              .bytes = bytes,
                                              .shared = shared,
                                              .create = create,
                                              .set = set,
                                              .run = run,
                                              .destroy = destroy,
                                              .deterministic = 1,
                                              .needs = "FP64 tensor cores"};
