/* SPDX-License-Identifier: Apache-2.0 */
/* gpu_tile: the mesh in tiles through shared memory, one thread per target,
 * with targets assigned to lanes to avoid bank conflicts.  Our algorithm.  SM
 * of cuFINUFFT and G2P of Kosmacher et al. read such blocks in any order.  Wins
 * in f32 from about ten thousand targets.  Deterministic. */
#include "base/mem.h"
#include "stage/interp/device.h"

#include <math.h>

enum { GROUP = 256, CHUNK_MOST = 2048, LOAD = 128 }; /* as in gpu_tile.k */

/* As in gpu_tile.k. */
struct tile_args {
    struct interp_gpu_args interp;
    struct cells_args cells;
    int64_t tiles, slots;
    int32_t chunk, more;
};
_Static_assert(sizeof(struct tile_args) == 232, "must match the kernel's "
                                                "struct");

/* As in gpu_tile.k: an eighth of the slots stays free. */
static int64_t slots_of(int64_t n)
{
    return n + n / 8;
}

/* Parameters that follow only from args. */
struct shape {
    int edge, edge_z; /* maximum mesh points of a tile */
    int held;         /* values in shared memory at a time */
    int64_t block;    /* bytes of one value there */
    int32_t nb[3];
    int64_t tiles;
};

struct state {
    struct interp_gpu gpu; /* its kernel: the main one */
    struct kernel place;
    struct shape shape;
    struct buf t, at, item, first; /* written by interp_place */
    int32_t chunk;
};

static int64_t block_bytes(const struct interp_args *args,
                           const struct shape *s)
{
    int64_t side = s->edge + args->window->support;
    int64_t row = (s->edge_z + args->window->support) | 1;
    return side * side * row * gpu_real(args->precision);
}

enum { LOCAL_MOST = 72 << 10 };

/* Maximum bytes of a tile: so many that three thread blocks (two in f64) share
 * a multiprocessor of an H200.  If shared memory is smaller: LOCAL_MOST, or all
 * of it. */
static int64_t local_bytes(const struct interp_args *args)
{
    enum { INDICES = 1024, MOST_F32 = 76 << 10, MOST_F64 = 114 << 10 };
    int f32 = args->precision == FARSUM_F32;
    int64_t local = args->device->properties.local, least = local - INDICES;
    int64_t share = local / (f32 ? 3 : 2) - INDICES;
    int64_t most = f32 ? MOST_F32 : MOST_F64;
    least = least < LOCAL_MOST ? least : LOCAL_MOST;
    share = share < most ? share : most;
    return share > least ? share : least;
}

static void shape_tiles(struct shape *s, const struct interp_args *args)
{
    s->tiles = 1;
    for (int d = 0; d < 3; d++) {
        int edge = d == 2 ? s->edge_z : s->edge;
        s->nb[d] = (int32_t)((args->mesh[d] + edge - 1) / edge);
        s->tiles *= s->nb[d];
    }
}

static void shape_fit(struct shape *s, const struct interp_args *args, int edge,
                      int64_t capacity)
{
    enum { ROW = 32 };
    s->edge = edge;
    s->edge_z = ROW - args->window->support;
    while (block_bytes(args, s) > capacity && (s->edge > 1 || s->edge_z > 1)) {
        if (2 * s->edge > s->edge_z)
            s->edge = s->edge > 1 ? s->edge - 1 : 1;
        if (s->edge_z > s->edge)
            s->edge_z--;
    }
    shape_tiles(s, args);
}

/* A wide tile has relatively less halo to load and more targets for its
 * threads.  If shared memory is small, concurrent thread blocks are worth
 * more. */
static void shape_set(struct shape *s, const struct interp_args *args)
{
    enum { WIDE_F32 = 16, WIDE_F64 = 12, LEAST = 8, TILES = 12 };
    int values = interp_gpu_values(args);
    int wide = args->precision == FARSUM_F32 ? WIDE_F32 : WIDE_F64;
    int64_t capacity = local_bytes(args);
    int64_t units = args->device->properties.units;
    int edge = capacity > LOCAL_MOST ? wide : LEAST;
    *s = (struct shape){.held = 1};
    do /* enough tiles for each multiprocessor */
        shape_fit(s, args, edge, capacity);
    while (s->tiles < TILES * units && --edge >= LEAST);
    s->block = block_bytes(args, s);
    while (s->held < values && (s->held + 1) * s->block <= capacity)
        s->held++;
}

static farsum_status fits(const void *a)
{
    const struct interp_args *args = a;
    struct shape s;
    TRY(interp_gpu_bends_fit(args));
    shape_set(&s, args);
    double tiles = (double)s.nb[0] * s.nb[1] * s.nb[2];
    if (tiles > GPU_BINS_MOST)
        FAIL(ERR_UNSUPPORTED, "%.0f tiles; at most %lld are possible", tiles,
             (long long)GPU_BINS_MOST);
    return gpu_local_fits(args->device, s.held * s.block + 1024);
}

/* Total weight of targets and tiles. */
static int64_t weight_of(const struct shape *s, int64_t n)
{
    return n + LOAD * s->tiles;
}

/* Weight per thread block: eight blocks per multiprocessor if there is enough
 * work. */
static int32_t chunk_of(const struct device *device, int64_t weight)
{
    int64_t units = device->properties.units > 0 ? device->properties.units : 1;
    int64_t chunk = weight / (8 * units) / GROUP * GROUP;
    return (int32_t)(chunk < GROUP        ? GROUP
                     : chunk > CHUNK_MOST ? CHUNK_MOST
                                          : chunk);
}

/* Number of tiles that hold targets, and of those per thread block. */
static double tiles_held(const struct shape *s, double n)
{
    return (double)s->tiles * (1 - exp(-n / (double)s->tiles));
}

/* Fitted to times of an H200, to a tenth: 1e5 to 1e7 targets on 84^3 to 432^3
 * points with windows of 4 to 15.  The terms are the cost per target, the
 * loads, and the sequence of tiles in a thread block, which counts where tiles
 * hold few targets. */
static double cost_run(const struct interp_args *args, const struct shape *s,
                       double n, double groups)
{
    double p = args->window->support, values = interp_gpu_values(args);
    double sums = interp_gpu_sums(args);
    double passes = ceil(values / s->held);
    double visits = tiles_held(s, n) + fmin(n, groups);
    double slots =
        132
        * fmax(fmin(floor((double)args->device->properties.local
                          / ((double)s->held * (double)s->block + 1024)),
                    8),
               1);
    double sum = p * p * p * sums;
    if (args->precision == FARSUM_F32)
        return n * (7.7e-14 * sum * pow(values, 1.06) + 2.6e-11 * passes)
               + visits * values * (double)s->block * 2.3e-13
               + visits / slots * (6.5e-6 * passes + 4.4e-9 * sum * values);
    return n * 2.7e-13 * sum * pow(values, 1.06)
           + visits * values * (double)s->block * 4.6e-13
           + visits / slots * 3.6e-9 * sum * values;
}

static double cost(const void *a)
{
    const struct interp_args *args = a;
    struct gpu_rates rates = interp_gpu_rates(args);
    struct shape s;
    shape_set(&s, args);
    double n = fmax((double)args->n, 1),
           thin = fmin(interp_clustering(args), 3);
    int64_t weight = weight_of(&s, args->n);
    double chunk = chunk_of(args->device, weight);
    double groups = (double)weight / chunk;
    double tiles = 1 + fmin(chunk / LOAD, tiles_held(&s, n) / groups * thin);
    int f32 = args->precision == FARSUM_F32;
    return (f32 ? 9.7e-6 : 7.3e-6) + cost_run(args, &s, n, groups) / rates.share
           + (5e-5
              + (1.8e-6 * tiles + (f32 ? 1.3e-10 : 1.55e-10) * n) / rates.share)
                 / interp_repeats(args);
}

static int64_t bytes(const void *a)
{
    const struct interp_args *args = a;
    struct shape s;
    shape_set(&s, args);
    return (int64_t)sizeof(struct state)
           + gpu_ordering_bytes(args->n, s.tiles, 0)
           + slots_of(args->n) * (3 * gpu_real(args->precision) + 8);
}

static void destroy(void *state)
{
    struct state *s = state;
    if (!s)
        return;
    struct buf *all[] = {&s->t, &s->at, &s->item, &s->first};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        buf_clear(all[i]);
    interp_gpu_clear(&s->gpu);
    mem_free(s);
}

static farsum_status create(const void *args, void **state)
{
    farsum_status status = FARSUM_OK;
    struct state *s = NULL;
    TRY(MEM_NEW(s, 1));
    shape_set(&s->shape, args);
    interp_gpu_begin(&s->gpu, args, "stage/interp/gpu_tile.k");
    struct jit *jit = &s->gpu.jit;
    jit_define(jit, "EDGE", "%d", s->shape.edge);
    jit_define(jit, "EDGE_Z", "%d", s->shape.edge_z);
    jit_define(jit, "HELD", "%d", s->shape.held);
    GO(interp_gpu_build(&s->gpu, "interp_tile", GROUP,
                        s->shape.held * s->shape.block));
    GO(jit_kernel(jit, "interp_place", GROUP, 0, &s->place));
    *state = s;
done:
    if (status != FARSUM_OK)
        destroy(s);
    return status;
}

static struct tile_args args_of(const struct state *s)
{
    return (struct tile_args){
        .cells = gpu_ordering_cells_args(s->gpu.args.mesh, s->shape.nb),
        .tiles = s->shape.tiles,
        .slots = slots_of(s->gpu.points->n),
        .chunk = s->chunk};
}

static farsum_status set(void *state, const struct points *sources,
                         const struct points *targets)
{
    struct state *s = state;
    struct device *device = s->gpu.args.device;
    TRY(interp_gpu_set(&s->gpu, sources, targets));
    int64_t n = s->gpu.points->n, size = gpu_real(s->gpu.args.precision);
    int64_t weight = weight_of(&s->shape, n);
    s->chunk = chunk_of(device, weight);
    s->gpu.groups = (weight + s->chunk - 1) / s->chunk;
    if (n == 0)
        return FARSUM_OK;
    TRY(gpu_ordering_sort(s->gpu.points->gpu, s->shape.nb, 0,
                          &s->gpu.ordering));
    const struct gpu_ordering *sort = s->gpu.ordering;
    TRY(buf_reserve(&s->t, device, 3 * slots_of(n) * size));
    TRY(buf_reserve(&s->at, device, 4 * slots_of(n)));
    TRY(buf_reserve(&s->item, device, 4 * slots_of(n)));
    TRY(buf_reserve(&s->first, device, 4 * (2 * s->gpu.groups + 1)));
    struct tile_args args = args_of(s);
    args.interp.mesh.n = n;
    for (int d = 0; d < 3; d++)
        args.interp.mesh.mesh[d] = (int32_t)s->gpu.args.mesh[d];
    return LAUNCH(&s->place, s->gpu.groups, ARG_BUF(&sort->s),
                  ARG_BUF(&sort->item), ARG_BUF(&sort->start), ARG_BUF(&s->t),
                  ARG_BUF(&s->at), ARG_BUF(&s->item), ARG_BUF(&s->first),
                  ARG_STRUCT(args));
}

static farsum_status run(void *state, const void *a)
{
    const struct state *s = state;
    const struct interp_io *io = a;
    struct tile_args args = args_of(s);
    const struct buf *results[2];
    if (s->gpu.points->n == 0)
        return FARSUM_OK;
    TRY(interp_gpu_io(&s->gpu, io, &args.interp, results));
    return LAUNCH(&s->gpu.kernel, s->gpu.groups, ARG_BUF(&s->t),
                  ARG_BUF(&s->at), ARG_BUF(&s->item),
                  ARG_BUF(&s->gpu.ordering->start), ARG_BUF(&s->first),
                  ARG_BUF(io->mesh), ARG_BUF(results[0]), ARG_BUF(results[1]),
                  ARG_BUF(interp_gpu_gradient(io)), ARG_STRUCT(args));
}

const struct variant interp_gpu_tile = {.fits = fits,
                                        .cost = cost,
                                        .bytes = bytes,
                                        .create = create,
                                        .set = set,
                                        .run = run,
                                        .destroy = destroy,
                                        .deterministic = 1,
                                        .needs = "a device"};
