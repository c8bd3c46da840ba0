/* SPDX-License-Identifier: Apache-2.0 */
/* gpu_output: one thread block per bin of sorted particles keeps the mesh
 * around the bin in shared memory.  All its threads add one particle together,
 * then the next.  Method 3 of cuFINUFFT.  For comparison; not deterministic. */
#include "base/mem.h"
#include "base/hypot.h"
#include "points/device/ordering.h"
#include "stage/spread/device.h"

#include <math.h>

enum {
    BATCH = 16,
    MOST = 1024
}; /* particles at a time (as in gpu_output.k), and per thread block */

/* As in gpu_output.k. */
struct output_args {
    struct mesh_args mesh;
    struct cells_args cells;
};
_Static_assert(sizeof(struct output_args) == 104, "must match the kernel's "
                                                  "struct");

/* Parameters of the kernel. */
struct shape {
    int edge;      /* maximum mesh points of a bin along an axis */
    int values;    /* reals of a mesh point at a time */
    int group;     /* threads */
    int64_t tile;  /* bytes in shared memory */
    int64_t other; /* bytes in addition to the tile */
    int32_t nb[3];
    int64_t bins;
};

struct state {
    struct spread_gpu gpu;
    struct kernel parts_kernel, kernel;
    struct shape shape;
    struct gpu_ordering *ordering; /* held */
    struct buf count, part; /* owned: i32, and [parts][2] u32 */
    int64_t parts;          /* capacity */
};

static int64_t tile_bytes(const struct spread_args *args, int edge, int values)
{
    int64_t side = edge + args->window->support;
    return side * side * side * values * gpu_real(args->precision);
}

/* The widest bin whose tile takes at most `capacity` bytes; 0: none. */
static int widest(const struct spread_args *args, int values, int64_t capacity)
{
    int edge = 16;
    while (edge > 0 && tile_bytes(args, edge, values) > capacity)
        edge--;
    return edge;
}

/* Takes all reals of a mesh point together, so that weights are computed once,
 * unless that makes bins narrower than half a window.  With tiles of 96 KB, two
 * thread blocks share a multiprocessor of an H200. */
static struct shape shape_of(const struct spread_args *args)
{
    enum { LOCAL_MOST = 96 << 10 };
    int support = args->window->support, values = (int)spread_gpu_reals(args);
    struct shape shape = {.values = values < 8 ? values : 8, .bins = 1};
    int64_t cube = (int64_t)support * support * support;
    shape.other = 16 + BATCH * (4 + (3 * support + shape.values) * 8);
    int64_t local = args->device->properties.local - shape.other - 64;
    int64_t capacity = local < LOCAL_MOST ? local : LOCAL_MOST;
    for (; shape.values > 1; shape.values--)
        if (2 * widest(args, shape.values, capacity) >= support)
            break;
    shape.edge = widest(args, shape.values, capacity);
    if (shape.edge == 0)
        shape.edge = 1; /* does not fit */
    shape.tile = tile_bytes(args, shape.edge, shape.values);
    shape.group = cube < 64    ? 64
                  : cube < 256 ? (int)(cube + 31) / 32 * 32
                               : 256;
    for (int d = 0; d < 3; d++) {
        shape.nb[d] = (int32_t)((args->mesh[d] + shape.edge - 1) / shape.edge);
        shape.bins *= shape.nb[d];
    }
    return shape;
}

static farsum_status fits(const void *a)
{
    const struct spread_args *args = a;
    TRY(spread_gpu_fits(args));
    struct shape shape = shape_of(args);
    if (shape.bins > GPU_BINS_MOST)
        FAIL(ERR_UNSUPPORTED, "%lld bins; at most %lld are possible",
             (long long)shape.bins, (long long)GPU_BINS_MOST);
    return gpu_local_fits(args->device, shape.tile + shape.other + 64);
}

/* Maximum number of parts of n particles. */
static int64_t parts_of(const struct shape *shape, int64_t n)
{
    return n / MOST + (n < shape->bins ? n : shape->bins);
}

/* A thread block's particles are sequential, one barrier each; an H200 holds
 * two blocks per multiprocessor simultaneously.  Tiles are added by atomics. */
static double cost(const void *a)
{
    const struct spread_args *args = a;
    struct gpu_rates rates = spread_gpu_rates(args);
    struct shape shape = shape_of(args);
    double n = (double)args->n, values = spread_gpu_reals(args);
    double chunks = ceil(values / shape.values);
    double points = (double)shape.tile / gpu_real(args->precision);
    double bins = (double)shape.bins;
    double parts = n / MOST + bins * (1 - exp(-n / bins));
    double sums = fmin(parts * points * chunks,
                       n * spread_gpu_cube(args) * values);
    int f32 = args->precision == FARSUM_F32;
    double one = (f32 ? 6.3e-8 : 1.02e-7)
                 + (f32 ? 1.35e-10 : 3.6e-10) * spread_gpu_cube(args)
                       * fmin(values, shape.values);
    double most = fmin(MOST, n / bins * spread_clustering(args));
    /* the fullest part, with no other block to hide its latency */
    double alone = 0.85 * 2 * args->device->properties.units / 264.0;
    double work = hypot_of(n * chunks / 264, alone * most) * one;
    return spread_gpu_write(args) + 2.5e-5
           + sums / ((f32 ? 170e9 : 276e9) * rates.share) + work / rates.share
           + (4e-5 + 6e-11 * n / rates.share) / spread_repeats(args);
}

static int64_t bytes(const void *a)
{
    const struct spread_args *args = a;
    struct shape shape = shape_of(args);
    return (int64_t)sizeof(struct state) + 4
           + gpu_ordering_bytes(args->n, shape.bins, 0)
           + 8 * parts_of(&shape, args->n);
}

static void destroy(void *state)
{
    struct state *s = state;
    if (!s)
        return;
    buf_clear(&s->part);
    buf_clear(&s->count);
    gpu_ordering_release(&s->ordering);
    spread_gpu_clear(&s->gpu);
    mem_free(s);
}

static farsum_status create(const void *args, void **state)
{
    farsum_status status = FARSUM_OK;
    struct state *s = NULL;
    TRY(MEM_NEW(s, 1));
    s->shape = shape_of(args);
    spread_gpu_begin(&s->gpu, args, "stage/spread/papers/gpu_output.k");
    struct jit *jit = &s->gpu.jit;
    jit_define(jit, "EDGE", "%d", s->shape.edge);
    jit_define(jit, "TAKE", "%d", s->shape.values);
    jit_define(jit, "GROUP", "%d", s->shape.group);
    GO(jit_build(jit));
    GO(jit_kernel(jit, "spread_output_parts", 256, 0, &s->parts_kernel));
    GO(jit_kernel(jit, "spread_output", s->shape.group, s->shape.tile,
                  &s->kernel));
    GO(buf_alloc(&s->count, jit->device, 4));
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
    (void)targets;
    TRY(spread_gpu_set(&s->gpu, sources));
    if (s->gpu.n == 0)
        return FARSUM_OK;
    TRY(gpu_ordering_sort(sources->gpu, s->shape.nb, 0, &s->ordering));
    s->parts = parts_of(&s->shape, s->gpu.n);
    TRY(buf_reserve(&s->part, s->gpu.args.device, 8 * s->parts));
    TRY(buf_fill(&s->count, 0));
    return LAUNCH(
        &s->parts_kernel, kernel_groups(&s->parts_kernel, s->ordering->n_bins),
        ARG_BUF(&s->ordering->start), ARG_BUF(&s->count), ARG_BUF(&s->part),
        ARG_I64(s->ordering->n_bins), ARG_I32(MOST));
}

static farsum_status run(void *state, const void *a)
{
    const struct state *s = state;
    const struct spread_io *io = a;
    struct output_args args = {
        .cells = gpu_ordering_cells_args(s->gpu.args.mesh, s->shape.nb)};
    int64_t values = (int64_t)spread_gpu_reals(&s->gpu.args);
    int64_t chunks = (values + s->shape.values - 1) / s->shape.values;
    TRY(spread_gpu_io(&s->gpu, io, &args.mesh));
    TRY(spread_gpu_zero(&s->gpu, io));
    if (s->gpu.n == 0)
        return FARSUM_OK;
    return LAUNCH(&s->kernel, s->parts * chunks, ARG_BUF(&s->ordering->s),
                  ARG_BUF(&s->ordering->start), ARG_BUF(&s->ordering->item),
                  ARG_BUF(&s->count), ARG_BUF(&s->part), ARG_BUF(io->q),
                  ARG_BUF(io->mesh), ARG_STRUCT(args), ARG_I64(s->parts),
                  ARG_I32(MOST));
}

const struct variant spread_gpu_output = {.fits = fits,
                                          .cost = cost,
                                          .bytes = bytes,
                                          .create = create,
                                          .set = set,
                                          .run = run,
                                          .destroy = destroy,
                                          .deterministic = 0,
                                          .needs = "a device"};
