/* SPDX-License-Identifier: Apache-2.0 */
/* gpu_clusters: one warp per cluster of nearby targets.  Sources are listed by
 * the box around the cluster, and pairs are tested in f32.  In f64, pairs for
 * which f32 suffices are also summed in f32 (stage/near/device/far_pairs.h).
 * Our algorithm.  Sums run in a fixed order. */
#include <math.h>

#include "base/mem.h"
#include "stage/near/device/columns.h"
#include "stage/near/device/far_pairs.h"

enum { TARGETS = 16 };

/* Parameters of gpu_clusters.k with warps, and without. */
static const struct clusters_shape {
    int group, batch, ring, later, blocks;
} in_step = {64, 64, 256, 96, 14}, alone = {8, 32, 128, 64, 1};

/* f32: at smaller distances, in cutoffs, positions rounded separately are too
 * inaccurate. */
#define CLOSE 0.06

struct state {
    struct near_gpu near;
    struct kernel clusters, spots, somes, fulls;
    struct near_columns columns;
    struct near_outer outer;
    struct near_poly inner; /* for the pairs in full precision */
    struct buf spot, some, full; /* as in gpu_clusters.k */
    int wanted;                  /* 1: strengths in f32 are needed */
};

/* Bytes per source of its f32 strengths, and of its record in full
 * precision. */
static int64_t clusters_some(const struct near_args *args)
{
    return 16 * (int64_t)((near_kernel(args)->strengths + 3) / 4);
}

static int64_t clusters_full(const struct near_args *args)
{
    int64_t pairs = (near_kernel(args)->strengths + 4) / 2;
    return args->precision == FARSUM_F32 ? 0 : 16 * pairs;
}

static const struct clusters_shape *clusters_shape(const struct near_args *args)
{
    return args->device->properties.subgroup > 1 ? &in_step : &alone;
}

/* Targets per team, and threads per team. */
static int clusters_size(const struct near_args *args)
{
    return args->device->properties.subgroup > 1 ? TARGETS : 1;
}

static int64_t clusters_threads(const struct near_args *args, int64_t n)
{
    int64_t size = clusters_size(args),
            lanes = args->device->properties.subgroup;
    return (n + size - 1) / size * (lanes > 1 ? lanes : 1);
}

/* Sets cells so wide that one as high holds a cluster, and finer along the
 * column, whose order then is that of heights. */
static void clusters_cells(const struct near_args *args, int64_t n,
                           double a_cutoff[3])
{
    double volume = args->cell->volume;
    double wide = cbrt((double)n / volume / clusters_size(args));
    double own = fmin(fmax(wide, 1), NEAR_CELLS);
    near_gpu_density(args, (double[3]){own, own, 4 * own}, a_cutoff);
}

/* Fitted to times of an H200, 1e6 uniform points with 40 to 1000 neighbours,
 * stokeslets and charges, f64 and f32.  In f64 the pairs in full precision take
 * longer: all of them if the allowed error is tiny.  With NVIDIA's OpenCL,
 * whose teams are single threads: 251 and 294 ms where CUDA takes 13. */
static double clusters_cost(const void *args)
{
    const struct near_args *a = args;
    int f32 = a->precision == FARSUM_F32, all = !f32 && a->allowed < 2e-11;
    double pair = (f32 ? 133 : all ? 180 : 114) + 0.6 * near_work(a);
    double work = pair * a->neighbours + (f32 ? 40000 : 25000);
    /* of 3000 charges, which are 188 clusters */
    double steps = 800 + 4.7 * a->neighbours;
    return near_gpu_alone(a, 20)
           * near_gpu_waiting(a, steps, near_gpu_seconds(a, work, 1));
}

static int64_t clusters_bytes(const void *args)
{
    const struct near_args *a = args;
    double a_cutoff[3];
    clusters_cells(a, a->n_sources, a_cutoff);
    return near_gpu_bytes(a, a_cutoff, 1,
                          clusters_threads(a, a->n_sources + a->n_targets)
                              / clusters_shape(a)->group)
           + a->n_sources * (16 + clusters_some(a) + clusters_full(a));
}

static void clusters_destroy(void *state)
{
    struct state *s = state;
    if (!s)
        return;
    buf_clear(&s->spot);
    buf_clear(&s->some);
    buf_clear(&s->full);
    near_gpu_destroy(s);
}

/* Defines the pairs in f32, and how the others are summed. */
static void clusters_define(struct state *s)
{
    const struct near_args *args = &s->near.args;
    near_outer_define(&s->outer, near_kernel(args), &s->near.jit);
    double inner = args->precision == FARSUM_F32 ? CLOSE : s->outer.inner;
    s->wanted = args->precision == FARSUM_F32 || s->outer.n > 0;
    s->columns.inner = (float)(inner * inner);
    s->columns.scale = (float)s->outer.scale;
    s->columns.shift = (float)s->outer.shift;
}

static farsum_status clusters_create(const void *args, void **state)
{
    farsum_status status = FARSUM_OK;
    const struct near_args *a = args;
    struct state *s = NULL;
    const struct clusters_shape *shape = clusters_shape(a);
    int group = shape->group;
    GO(MEM_NEW(s, 1));
    near_outer_fit(a, &s->outer, &s->inner);
    struct near_args own = *a;
    own.poly = &s->inner;
    near_gpu_begin(&s->near, &own, "stage/near/device/gpu_clusters.k", group);
    jit_define(&s->near.jit, "TARGETS", "%d", TARGETS);
    jit_define(&s->near.jit, "BATCH", "%d", shape->batch);
    jit_define(&s->near.jit, "RING", "%d", shape->ring);
    jit_define(&s->near.jit, "LATER", "%d", shape->later);
    jit_define(&s->near.jit, "BLOCKS", "%d", shape->blocks);
    clusters_define(s);
    GO(near_gpu_build(&s->near, group));
    GO(jit_kernel(&s->near.jit, "near_clusters", group, 0, &s->clusters));
    GO(jit_kernel(&s->near.jit, "clusters_spot", group, 0, &s->spots));
    GO(jit_kernel(&s->near.jit, "clusters_some", group, 0, &s->somes));
    if (a->precision == FARSUM_F64)
        GO(jit_kernel(&s->near.jit, "clusters_full", group, 0, &s->fulls));
    *state = s;
    s = NULL;
done:
    clusters_destroy(s);
    return status;
}

static farsum_status clusters_set(void *state, const struct points *sources,
                                  const struct points *targets)
{
    struct state *s = state;
    struct near_gpu *g = &s->near;
    double a_cutoff[3];
    clusters_cells(&g->args, sources->n, a_cutoff);
    TRY(near_gpu_set(g, a_cutoff, 1, sources, targets));
    g->ready = 0;
    TRY(near_columns_set(&s->columns, g, "gpu_clusters"));
    const struct near_placed *source = &g->source;
    struct near_cells cells = g->cells;
    cells.n = source->n;
    TRY(buf_reserve(&s->spot, g->args.device, 16 * source->n));
    if (s->wanted)
        TRY(buf_reserve(&s->some, g->args.device,
                        clusters_some(&g->args) * source->n));
    if (clusters_full(&g->args) > 0)
        TRY(buf_reserve(&s->full, g->args.device,
                        clusters_full(&g->args) * source->n));
    TRY(LAUNCH(&s->spots, kernel_groups(&s->spots, source->n),
               ARG_BUF(&source->more), ARG_BUF(&source->cell),
               ARG_BUF(&s->spot), ARG_STRUCT(cells), ARG_STRUCT(s->columns)));
    int64_t threads = clusters_threads(&g->args, near_gpu_placed(g)->n);
    TRY(near_gpu_records(g, kernel_groups(&s->clusters, threads)));
    g->ready = 1;
    return FARSUM_OK;
}

static farsum_status clusters_run(void *state, const void *data)
{
    struct state *s = state;
    struct near_gpu *g = &s->near;
    const struct near_io *io = data;
    const int64_t n = g->source.n;
    const int full = clusters_full(&g->args) > 0;
    struct near_ends e;
    TRY(near_gpu_strengths(g, io, &e));
    if (s->wanted)
        TRY(LAUNCH(&s->somes, kernel_groups(&s->somes, n), ARG_BUF(&g->q),
                   ARG_BUF(&s->some), ARG_I64(n)));
    if (full)
        TRY(LAUNCH(&s->fulls, kernel_groups(&s->fulls, n),
                   ARG_BUF(&e.source->x), ARG_BUF(&g->q), ARG_BUF(&s->full),
                   ARG_I64(n)));
    int64_t groups = kernel_groups(&s->clusters,
                                   clusters_threads(&g->args, e.target->n));
    TRY(LAUNCH(
        &s->clusters, groups, NEAR_SOURCES(g),
        ARG_BUF(full ? &s->full : &g->source.sort->start), ARG_BUF(&s->spot),
        ARG_BUF(s->wanted ? &s->some : &g->source.sort->start),
        ARG_BUF(&e.target->x), ARG_BUF(&e.target->more),
        ARG_BUF(&e.target->cell), NEAR_RESULTS(g, &e), ARG_STRUCT(s->columns)));
    return near_gpu_total(g, io, groups);
}

const struct variant near_gpu_clusters = {
    .fits = near_gpu_fits,
    .cost = clusters_cost,
    .bytes = clusters_bytes,
    .create = clusters_create,
    .set = clusters_set,
    .run = clusters_run,
    .destroy = clusters_destroy,
    .deterministic = 1,
    .needs = "a device",
};
