/* SPDX-License-Identifier: Apache-2.0 */
/* gpu_stream_plan.c: shape of gpu_stream's columns, and its cost. */
#include "stage/spread/stream/gpu_stream.h"

#include "base/hypot.h"

#include <math.h>

enum { WARP = 32 };

/* Accumulators of a lane, in reals. */
static int lane_sums(const struct stream_shape *s, int parts)
{
    const struct gpu_columns_shape *c = &s->columns;
    int points = s->mma ? c->ring / 8 * c->tile_y * 2
                        : c->ring * (c->tile_y * c->tile_z / WARP);
    return s->channels * parts * points;
}

static int64_t held(const struct stream_shape *s, int parts, int f32)
{
    const struct gpu_columns_shape *c = &s->columns;
    int sums = s->channels * parts, tile = c->tile_y + c->tile_z;
    if (s->mma)
        return (int64_t)(sums * c->ring + tile) * (WARP + 4);
    int used = c->ring + tile + (sums > 1 ? sums : 0);
    int one = f32 ? (used + 3) / 8 * 8 + 4
                  : used / 4 * 4 + 2 + (used % 4 > 2 ? 4 : 0);
    return (int64_t)one * WARP;
}

void stream_shape_set(struct stream_shape *s, const struct spread_args *args,
                      struct stream_kind kind)
{
    int parts = spread_parts(args), all = spread_channels(args);
    int f32 = args->precision == FARSUM_F32, P = args->window->support;
    int most = f32 ? 80 : 48, registers;
    struct gpu_columns_shape *c = &s->columns;
    int walk = kind.walk, mma = 0;
    if (kind.tensor)
        mma = gpu_tensor_rows(args->device);
    *s = (struct stream_shape){.mma = mma, .walk = walk};
    *c = (struct gpu_columns_shape){.precision = args->precision,
                                    .support = P,
                                    .tile_y = 4,
                                    .tile_z = 8,
                                    .by_first = walk,
                                    .walk = walk,
                                    .ring = mma ? (P + 7) / 8 * 8 : P};
    for (int d = 0; d < 3; d++) {
        c->mesh[d] = args->mesh[d];
        c->open[d] = args->open[d];
    }
    for (s->channels = all; s->channels > 1; s->channels--)
        if (all % s->channels == 0 && lane_sums(s, parts) <= most)
            break;
    if (!mma && f32) {
        c->tile_y = 8;
        if (lane_sums(s, parts) > 32)
            c->tile_y = 4;
    }
    s->warps = args->device->properties.shuffles ? 4 : 1;
    registers = lane_sums(s, parts) * (f32 ? 1 : 2)
                + (f32 ? 50 : mma ? 84 : 80);
    s->blocks = 65536 / (registers * WARP * s->warps);
    s->blocks = s->blocks < 1 ? 1 : s->blocks > 8 ? 8 : s->blocks;
    gpu_columns_shape_set(c);
    /* as RUNS_ALL in gpu_stream.k */
    int sources = c->sources_y * c->sources_z;
    int64_t words = GPU_COLUMNS_LENGTH + 1;
    if (walk)
        words = 2 * GPU_COLUMNS_LENGTH * sources + 1 + 2 * sources + WARP;
    s->arena = s->warps
               * (held(s, parts, f32) * gpu_real(args->precision) + 4 * words);
}

farsum_status stream_fits(const struct spread_args *args,
                          struct stream_kind kind)
{
    struct stream_shape s;
    if (kind.tensor)
        TRY(gpu_tensor_fits(args->device, args->precision));
    TRY(spread_gpu_fits(args));
    stream_shape_set(&s, args, kind);
    TRY(gpu_local_fits(args->device, s.arena));
    return gpu_columns_fits(&s.columns, args->n);
}

/* The mean number of columns that a particle touches. */
static double visits(const struct spread_args *args,
                     const struct stream_shape *s)
{
    const struct gpu_columns_shape *c = &s->columns;
    double P = args->window->support;
    double before = P - 1;
    /* of all lists that may reach it; and each has to be found.  Columns at the
     * ends of a mesh that tiles do not divide have more lists, and end last. */
    if (s->walk) {
        double lists =
            (1 + ceil(before / c->tile_y)) * (1 + ceil(before / c->tile_z));
        return 1.14 * (lists + 0.4 * (c->sources_y * c->sources_z - lists));
    }
    return (before + c->tile_y) / c->tile_y * (before + c->tile_z) / c->tile_z;
}

/* Measured rates on an H200. */
struct stream_rates {
    double sum, visit;         /* multiply-adds per sum of a lane, per visit */
    double one, more;          /* ns of a single visit, and of each sum of a
                                  lane */
    double fullest, clustering; /* growth of the fullest task with the
                                  clustering factor */
    double writes, plane;      /* mesh writes; ns per plane of a task */
};

/* Many visits hide each other's latency.  The visits and planes of one task are
 * sequential.  The tasks of a crowded column hold its points until they are
 * cut.  The planes past a segment's end are written, read and added. */
double stream_cost(const struct spread_args *args, struct stream_kind kind)
{
    static const struct stream_rates of[3] = {
        {1.26, 904, 59, 0.58, 0.8, 0.12, 1.66, 330},
        {1.85, 586, 33, 2.07, 0.54, 0.18, 1.15, 400},
        {0.83, 493, 26, 1.28, 0.47, 0.18, 1.39, 470}};
    int f32 = args->precision == FARSUM_F32;
    const struct stream_rates *r = &of[kind.tensor ? 2 : f32 ? 0 : 1];
    struct gpu_rates rates = spread_gpu_rates(args);
    struct stream_shape s;
    stream_shape_set(&s, args, kind);
    int lane = lane_sums(&s, spread_parts(args));
    double groups = spread_channels(args) / s.channels, n = (double)args->n;
    double seen = n * visits(args, &s), clustering = spread_clustering(args);
    double work = lane * (double)WARP * r->sum + r->visit;
    int64_t held = (int64_t)args->device->properties.units * s.blocks * s.warps;
    double fullest = gpu_columns_fullest(&s.columns, seen, held,
                                         1 + r->fullest * (clustering - 1));
    double alone = 1e-9 * (r->one + r->more * lane)
                   * pow(fmin(clustering, 300), r->clustering);
    double length = (double)gpu_columns_length(&s.columns, held);
    double past = args->window->support - 1;
    double tasks = (double)gpu_columns_count(&s.columns)
                   * ceil((double)gpu_columns_bins(&s.columns) / length);
    double planes = fmax(1, tasks / (double)(held > 0 ? held : 1))
                    * (length + past);
    return 5.6e-6 + groups * 4e-6
           + hypot_of(groups * seen * work / rates.flops,
                      groups * (fullest * alone + 1e-9 * r->plane * planes))
           + (r->writes + 7.6 * past / length) * spread_gpu_bytes(args)
                 / rates.bytes
           + gpu_columns_cost(&s.columns, args->n, rates.share)
                 / spread_repeats(args);
}

int64_t stream_bytes(const struct spread_args *args, struct stream_kind kind)
{
    struct stream_shape s;
    stream_shape_set(&s, args, kind);
    const struct gpu_columns_shape *c = &s.columns;
    int64_t tails = gpu_columns_count(c)
                    * (args->mesh[0] / GPU_COLUMNS_LENGTH + 1)
                    * (c->support - 1) * s.channels * spread_parts(args)
                    * c->tile_y * c->tile_z * gpu_real(args->precision);
    return gpu_columns_bytes(c, args->n, 0) + tails;
}

int64_t stream_shared(const struct spread_args *args, struct stream_kind kind,
                      uint64_t *key, double *cost)
{
    struct gpu_rates rates = spread_gpu_rates(args);
    struct stream_shape s;
    stream_shape_set(&s, args, kind);
    *cost = gpu_columns_cost(&s.columns, args->n, rates.share)
            / spread_repeats(args);
    return gpu_columns_shared(&s.columns, args->n, key);
}
