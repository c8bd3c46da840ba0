/* gpu_stream_plan.c: the shape of gpu_stream's columns, and what it costs. */
#include "stage/spread/gpu_stream.h"

enum { WARP = 32, LENGTH = 64 /* of a segment at most */ };

/* The most pieces that `edge` tiles and mesh ends cut a window into. */
static int pieces(int64_t mesh, int open, int edge, int support)
{
    int most = 1;
    for (int64_t m = 0; m < mesh; m++) {
        int n = 0;
        for (int64_t pos = m, next; pos < m + support; pos = next) {
            int64_t w = pos % mesh, end = (w / edge + 1) * edge;
            next = pos + (end < mesh ? end : mesh) - w;
            n++;
            if (open && next - pos + w == mesh)
                break;
        }
        most = n > most ? n : most;
        if (m > edge + support && mesh - m > 2 * (edge + support))
            m += (mesh - m - 2 * (edge + support)) / edge * edge;
    }
    return most;
}

/* Reals of sums that a lane holds. */
static int lane_sums(const struct stream_shape *s, int parts)
{
    int points = s->mma ? s->ring / 8 * s->tile_y * 2
                        : s->ring * (s->tile_y * s->tile_z / WARP);
    return s->channels * parts * points;
}

static int64_t held(const struct stream_shape *s, int parts, int f32)
{
    int sums = s->channels * parts;
    if (s->mma)
        return (int64_t)(sums * s->ring + s->tile_y + s->tile_z) * (WARP + 4);
    int used = s->ring + s->tile_y + s->tile_z + (sums > 1 ? sums : 0);
    int one = f32 ? (used + 3) / 8 * 8 + 4
                  : used / 4 * 4 + 2 + (used % 4 > 2 ? 4 : 0);
    return (int64_t)one * WARP;
}

void stream_shape_set(struct stream_shape *s, const struct spread_args *args,
                      int mma)
{
    int parts = spread_parts(args), all = spread_channels(args);
    int f32 = args->precision == FARSUM_F32, P = args->window->support;
    int most = f32 ? 80 : 48, registers;
    *s = (struct stream_shape){.mma = mma, .tile_y = 4, .tile_z = 8};
    s->ring = mma ? (P + 7) / 8 * 8 : P;
    for (s->channels = all; s->channels > 1; s->channels--)
        if (all % s->channels == 0 && lane_sums(s, parts) <= most)
            break;
    if (!mma && f32) {
        s->tile_y = 8;
        if (lane_sums(s, parts) > 32)
            s->tile_y = 4;
    }
    s->warps = args->device->facts.shuffles ? 4 : 1;
    registers = lane_sums(s, parts) * (f32 ? 1 : 2)
                + (f32 ? 50 : mma ? 84 : 80);
    s->blocks = 65536 / (registers * WARP * s->warps);
    s->blocks = s->blocks < 1 ? 1 : s->blocks > 8 ? 8 : s->blocks;
    s->most_y = pieces(args->mesh[1], args->open[1], s->tile_y, P);
    s->most_z = pieces(args->mesh[2], args->open[2], s->tile_z, P);
    s->arena = s->warps
               * (held(s, parts, f32) * gpu_real(args->precision)
                  + 4 * (LENGTH + 1));
}

static int64_t columns(const struct spread_args *args,
                       const struct stream_shape *s)
{
    return (args->mesh[1] + s->tile_y - 1) / s->tile_y
           * ((args->mesh[2] + s->tile_z - 1) / s->tile_z);
}

static int64_t first_planes(const struct spread_args *args)
{
    return args->mesh[0] + (args->open[0] ? args->window->support - 1 : 0);
}

farsum_status stream_fits(const struct spread_args *args, int mma)
{
    struct stream_shape s;
    TRY(spread_gpu_fits(args));
    stream_shape_set(&s, args, mma);
    TRY(gpu_local_fits(args->device, s.arena));
    int64_t entries = args->n * s.most_y * s.most_z;
    if (entries > GPU_POINTS_MOST)
        FAIL(ERR_UNSUPPORTED, "lists of %lld entries, at most %lld",
             (long long)entries, (long long)GPU_POINTS_MOST);
    if (columns(args, &s) * first_planes(args) >= GPU_BINS_MOST)
        FAIL(ERR_UNSUPPORTED, "%lld lists, at most %lld",
             (long long)(columns(args, &s) * first_planes(args)),
             (long long)GPU_BINS_MOST);
    return FARSUM_OK;
}

/* The mean number of columns that a particle touches. */
static double visits(const struct spread_args *args,
                     const struct stream_shape *s)
{
    double P = args->window->support;
    return (P - 1 + s->tile_y) / s->tile_y * (P - 1 + s->tile_z) / s->tile_z;
}

/* Measured on an H200 at one particle a mesh point: f64, P = 8, three channels
 * 2.6 particles a nanosecond by tensor cores and 1.7 without; f32, P = 6, one
 * channel 7.9.  A visit has 32 lanes' sums and a share of its own. */
double stream_cost(const struct spread_args *args, int mma)
{
    struct stream_shape s;
    struct spread_rates rates = spread_gpu_rates(args);
    stream_shape_set(&s, args, mma);
    double parts = spread_parts(args), groups = spread_channels(args)
                                                / s.channels;
    double sums = lane_sums(&s, (int)parts) * (double)WARP;
    double work = sums / (mma ? 0.62 : 0.42) + 32 * 12;
    double set = 60.0 * s.most_y * s.most_z * (double)args->n / rates.bytes;
    double repeats = args->repeats > 1 ? args->repeats : 1;
    return groups * (double)args->n * visits(args, &s) * work / rates.flops
           + 1.5 * spread_gpu_write(args) + 3 * groups * rates.launch
           + (set + 12 * rates.launch) / repeats;
}

int64_t stream_bytes(const struct spread_args *args, int mma)
{
    struct stream_shape s;
    stream_shape_set(&s, args, mma);
    int64_t real = gpu_real(args->precision);
    int64_t entries = args->n * s.most_y * s.most_z;
    int64_t tails = columns(args, &s) * (args->mesh[0] / LENGTH + 1)
                    * (args->window->support - 1) * s.channels
                    * spread_parts(args) * s.tile_y * s.tile_z * real;
    return entries * (3 * real + 8 + 4)
           + 4 * (columns(args, &s) * first_planes(args) + 2) + tails;
}
