/* SPDX-License-Identifier: Apache-2.0 */
/* gpu_group: the group mesh.  Contributions (particle, weight, point in group)
 * are listed by groups of 16 to 256 neighbouring mesh points (default: 64).  A
 * thread block adds them in shared memory by atomics and writes each point
 * once.  Guo, Liu, Xu, Du, Chow, Procedia Comput. Sci. 51 (2015) 120, section
 * 3: the fastest to build of their stored structures.  The paper does not say
 * which points it groups; here they are bricks, so that a particle touches few.
 * Not deterministic.  (comparison) */
#include "points/device/scan.h"
#include "stage/spread/device.h"

#include "base/mem.h"

#include <math.h>

enum { GROUP = 256, THREADS = 128, LOCAL = 32768 };

/* Parameters that follow from args. */
struct shape {
    int side[3]; /* of a brick */
    int64_t bricks[3];
    int64_t groups;
    int runs, batch;
    int64_t local; /* maximum bytes of shared memory of insert */
};

struct state {
    struct spread_gpu gpu;
    struct shape shape;
    struct kernel count_entries, insert, sum;
    struct gpu_scan *scan;
    struct buf count;    /* [groups + 1] i64; zero outside of set */
    struct buf start;    /* [groups + 1] u64 */
    struct buf particle; /* u32 */
    struct buf at;       /* u8 */
    struct buf value;    /* reals */
};

/* Intervals of P mesh points from `first` on that are in one brick each. */
static int stretches(int64_t mesh, int side, int open, int P, int64_t first)
{
    int runs = 0;
    int64_t last = -1;
    for (int j = 0; j < P; j++) {
        int64_t m = first + j, b = -1;
        if (!open)
            m = (m % mesh + mesh) % mesh;
        if (m >= 0 && m < mesh)
            b = m / side;
        runs += b >= 0 && b != last;
        last = b;
    }
    return runs;
}

/* The maximum of that for any particle: bricks repeat except at the mesh's
 * end. */
static int most_stretches(int64_t mesh, int side, int open, int P)
{
    enum { ENDS = 2 * (WINDOW_MAX + 8) };
    int most = 1;
    for (int64_t first = -P; first < mesh; first++) {
        int runs = stretches(mesh, side, open, P, first);
        most = runs > most ? runs : most;
        if (first == ENDS && mesh > 2 * ENDS)
            first = mesh - ENDS;
    }
    return most;
}

static int64_t local_bytes(const struct shape *s,
                           const struct spread_args *args)
{
    int64_t P = args->window->support,
            boxes = (int64_t)s->runs * s->runs * s->runs;
    return s->batch
           * ((3 * P | 1) * (gpu_real(args->precision) + 12)
              + 24 * (int64_t)s->runs + 8 * boxes);
}

static farsum_status shape_set(struct shape *s, const struct spread_args *args)
{
    static const int sides[][4] = {
        {16, 2, 2, 4},  {32, 2, 4, 4},  {64, 4, 4, 4},
        {128, 4, 4, 8}, {256, 4, 8, 8},
    };
    int group = args->group ? args->group : 64, found = 0;
    for (int k = 0; k < 5; k++)
        if (sides[k][0] == group) {
            found = 1;
            for (int d = 0; d < 3; d++)
                s->side[d] = sides[k][d + 1];
        }
    if (!found)
        FAIL(ERR_UNSUPPORTED,
             "groups of %d mesh points; use 16, 32, 64, 128 or 256, or 0 for "
             "the variant's choice",
             group);
    s->groups = 1;
    s->runs = 1;
    for (int d = 0; d < 3; d++) {
        int runs = most_stretches(args->mesh[d], s->side[d], args->open[d] != 0,
                                  args->window->support);
        s->runs = runs > s->runs ? runs : s->runs;
        s->bricks[d] = (args->mesh[d] + s->side[d] - 1) / s->side[d];
        s->groups *= s->bricks[d];
    }
    s->batch = 16;
    while (s->batch > 1 && local_bytes(s, args) > LOCAL)
        s->batch /= 2;
    int64_t step = spread_channels(args) < 4 ? spread_channels(args) : 4;
    int64_t sums =
        step * spread_parts(args) * group * gpu_real(args->precision);
    s->local = local_bytes(s, args) > sums ? local_bytes(s, args) : sums;
    return FARSUM_OK;
}

static farsum_status fits(const void *a)
{
    const struct spread_args *args = a;
    struct shape shape;
    TRY(spread_gpu_fits(args));
    TRY(shape_set(&shape, args));
    if (shape.groups > INT32_MAX)
        FAIL(ERR_UNSUPPORTED,
             "%lld groups of mesh points; at most %d are possible",
             (long long)shape.groups, INT32_MAX);
    return gpu_local_fits(args->device, shape.local);
}

static double entries(const struct spread_args *args)
{
    return (double)args->n * spread_gpu_cube(args);
}

/* An entry is read once for four channels, its strengths come from the cache,
 * and its sums are atomics in shared memory. */
static double cost(const void *a)
{
    const struct spread_args *args = a;
    struct gpu_rates rates = spread_gpu_rates(args);
    double passes = (spread_channels(args) + 3) / 4;
    double n = entries(args), size = gpu_real(args->precision);
    double points = (double)spread_gpu_rows(args);
    /* the fullest brick ends last */
    double most = 64 * n / points * pow(spread_clustering(args), 1.2);
    double product =
        n * passes * (5 + size) / rates.bytes
        + (n / 655e9 + most * 3.4e-9) * spread_gpu_reals(args) / rates.share
        + 8.7e-12 * points / rates.share;
    double build = 86 * n / rates.bytes + 8 * rates.launch;
    return spread_gpu_write(args) + 2e-6 + product
           + build / spread_repeats(args);
}

static int64_t bytes(const void *a)
{
    const struct spread_args *args = a;
    struct shape shape;
    int64_t P = args->window->support;
    if (shape_set(&shape, args) != FARSUM_OK)
        return 0;
    return (int64_t)sizeof(struct state) + 16 * (shape.groups + 1) + (1 << 16)
           + args->n * P * P * P * (5 + gpu_real(args->precision));
}

static void destroy(void *state)
{
    struct state *s = state;
    if (!s)
        return;
    gpu_scan_destroy(s->scan);
    buf_clear(&s->count);
    buf_clear(&s->start);
    buf_clear(&s->particle);
    buf_clear(&s->at);
    buf_clear(&s->value);
    spread_gpu_clear(&s->gpu);
    mem_free(s);
}

static farsum_status compile(struct state *s)
{
    struct jit *jit = &s->gpu.jit;
    const struct shape *shape = &s->shape;
    jit_define(jit, "BATCH", "%d", shape->batch);
    jit_define(jit, "RUNS", "%d", shape->runs);
    jit_define(jit, "BX", "%d", shape->side[0]);
    jit_define(jit, "BY", "%d", shape->side[1]);
    jit_define(jit, "BZ", "%d", shape->side[2]);
    TRY(jit_build(jit));
    TRY(jit_kernel(jit, "group_count", GROUP, 0, &s->count_entries));
    TRY(jit_kernel(jit, "group_insert", GROUP, 0, &s->insert));
    return jit_kernel(jit, "group_sum_up", THREADS, 0, &s->sum);
}

static farsum_status create(const void *a, void **state)
{
    const struct spread_args *args = a;
    farsum_status status = FARSUM_OK;
    struct state *s = NULL;
    TRY(MEM_NEW(s, 1));
    GO(shape_set(&s->shape, args));
    int64_t n = s->shape.groups + 1;
    spread_gpu_begin(&s->gpu, args, "stage/spread/papers/gpu_group.k");
    GO(compile(s));
    GO(gpu_scan_create(args->device, GPU_SCAN_U64, &s->scan));
    GO(gpu_scan_reserve(s->scan, n));
    GO(buf_alloc(&s->count, args->device, 8 * n));
    GO(buf_alloc(&s->start, args->device, 8 * n));
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
    const struct spread_args *args = &s->gpu.args;
    int64_t P = args->window->support;
    (void)targets;
    TRY(spread_gpu_set(&s->gpu, sources));
    int64_t n = s->gpu.n, words = n * P * P * P;
    struct mesh_args mesh = spread_gpu_mesh(&s->gpu);
    const struct buf *x = &sources->gpu->s;
    TRY(buf_reserve(&s->particle, args->device, 4 * words));
    TRY(buf_reserve(&s->at, args->device, words));
    TRY(buf_reserve(&s->value, args->device,
                    words * gpu_real(args->precision)));
    if (n == 0)
        return FARSUM_OK;
    int64_t groups = (n + s->shape.batch - 1) / s->shape.batch;
    TRY(buf_fill(&s->count, 0));
    TRY(LAUNCH(&s->count_entries, groups, ARG_BUF(x), ARG_BUF(&s->count),
               ARG_STRUCT(mesh)));
    TRY(gpu_scan_run(s->scan, &s->count, &s->start, s->shape.groups + 1, NULL));
    return LAUNCH(&s->insert, groups, ARG_BUF(x), ARG_BUF(&s->count),
                  ARG_BUF(&s->start), ARG_BUF(&s->particle), ARG_BUF(&s->at),
                  ARG_BUF(&s->value), ARG_STRUCT(mesh));
}

static farsum_status run(void *state, const void *a)
{
    const struct state *s = state;
    const struct spread_io *io = a;
    struct mesh_args mesh;
    TRY(spread_gpu_io(&s->gpu, io, &mesh));
    if (mesh.n == 0)
        return spread_gpu_zero(&s->gpu, io);
    return LAUNCH(&s->sum, s->shape.groups, ARG_BUF(&s->start),
                  ARG_BUF(&s->particle), ARG_BUF(&s->at), ARG_BUF(&s->value),
                  ARG_BUF(io->q), ARG_BUF(io->mesh), ARG_STRUCT(mesh));
}

const struct variant spread_gpu_group = {.fits = fits,
                                         .cost = cost,
                                         .bytes = bytes,
                                         .create = create,
                                         .set = set,
                                         .run = run,
                                         .destroy = destroy,
                                         .deterministic = 0,
                                         .needs = "a device"};
