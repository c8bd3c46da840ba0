/* SPDX-License-Identifier: Apache-2.0 */
/* gpu_verlet: each target has a list of the sources within cutoff + skin, which
 * threads of a warp sum; in f64 those for which f32 suffices are a separate
 * part.  Our algorithm (docs/decisions/0046).  Making lists takes longer than
 * summing their pairs.  So lists are for points that are summed several times,
 * or that move little from set to set.  Sums run in a fixed order. */
#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "points/device/set.h"
#include "points/device/scan.h"
#include "stage/near/device/columns.h"
#include "stage/near/device/far_pairs.h"
#include "stage/near/device/verlet.h"

/* Host counterparts of the structs in gpu_verlet.k. */
struct verlet {
    double range, near, close, moved;
    int32_t capacity[2], same, pad;
};
_Static_assert(sizeof(struct verlet) == 48, "must match the kernel's struct");
struct verlet_far {
    double unit;
    float inner, scale, shift, per_unit;
    int32_t image[9], pad;
};
_Static_assert(sizeof(struct verlet_far) == 64, "must match the kernel's "
                                                "struct");

struct state {
    struct near_gpu near;
    struct near_side side;
    struct kernel count, fill, once, move, integers, sum;
    struct gpu_scan *scan;
    struct verlet shape;
    struct near_ball ball;
    struct verlet_far far;
    struct near_outer outer;
    struct near_poly inner; /* for the pairs in full precision */
    struct buf length; /* [targets][2] u32, entries in the lists' parts */
    struct buf capacity;   /* [targets] u32, space of both parts */
    struct buf first;  /* [targets] u64, where they begin */
    struct buf entry, total, flag;
    struct buf words; /* sources for pairs in f32 */
    double cell[9], volume; /* cell of the last lists; volume of the plan's */
    int apart;      /* 1: an entry takes two words */
    int compiled;   /* 1: kernels are compiled */
    int has_lists;  /* 1: lists are valid for this cell */
    int close;      /* 1: two sources may coincide */
    int uneven;     /* 1: lists of equal length would not suffice */
};

/* Lists may use at most half of the device's memory. */
static farsum_status verlet_fits(const void *args)
{
    const struct near_args *a = args;
    TRY(near_skin_fits(a));
    TRY(near_gpu_sources_fit(a));
    const struct device_properties *properties = &a->device->properties;
    const double bytes = (double)verlet_bytes(a);
    if (properties->memory > 0 && bytes > 0.5 * (double)properties->memory)
        FAIL(ERR_UNSUPPORTED,
             "neighbour lists need %.3g GB; they may use half of the "
             "device's memory, %.3g GB",
             1e-9 * bytes, 0.5e-9 * (double)properties->memory);
    if (properties->alloc_max > 0 && bytes > (double)properties->alloc_max)
        FAIL(ERR_UNSUPPORTED,
             "neighbour lists need %.3g GB; a buffer can hold %.3g GB",
             1e-9 * bytes, 1e-9 * (double)properties->alloc_max);
    return FARSUM_OK;
}

static void verlet_destroy(void *state)
{
    struct state *s = state;
    if (!s)
        return;
    struct buf *all[] = {&s->side.at, &s->length, &s->capacity, &s->first,
                         &s->entry,   &s->total,  &s->flag,     &s->words};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        buf_clear(all[i]);
    gpu_scan_destroy(s->scan);
    near_gpu_destroy(s);
}

/* Compiles the kernels, for entries of one word or of two. */
static farsum_status verlet_compile(struct state *s, int apart)
{
    const struct near_args args = s->near.args;
    struct jit *jit = &s->near.jit;
    if (jit->device)
        jit_clear(jit);
    s->compiled = s->has_lists = 0;
    s->apart = apart;
    near_gpu_begin(&s->near, &args,
                   "stage/near/device/gpu_verlet.k", VERLET_GROUP);
    near_outer_define(&s->outer, near_kernel(&args), jit);
    s->near.range = verlet_range(&args);
    jit_define(jit, "LANES", "%d", verlet_share(&args));
    jit_define(jit, "APART", "%d", apart);
    jit_define(jit, "PLACE_BITS", "%d", VERLET_BITS);
    jit_define(jit, "ALIGN", "%d", VERLET_ALIGN);
    TRY(near_gpu_build(&s->near, VERLET_GROUP));
    TRY(near_side_create(&s->side, &s->near, VERLET_GROUP));
    TRY(jit_kernel(jit, "verlet_count", VERLET_GROUP, 0, &s->count));
    TRY(jit_kernel(jit, "verlet_fill", VERLET_GROUP, 0, &s->fill));
    TRY(jit_kernel(jit, "verlet_once", VERLET_GROUP, 0, &s->once));
    TRY(jit_kernel(jit, "verlet_move", VERLET_GROUP, 0, &s->move));
    if (s->outer.n > 0)
        TRY(jit_kernel(jit, "verlet_far", VERLET_GROUP, 0, &s->integers));
    TRY(jit_kernel(jit, "near_verlet", VERLET_GROUP, 0, &s->sum));
    s->compiled = 1;
    return FARSUM_OK;
}

static farsum_status verlet_create(const void *args, void **state)
{
    farsum_status status = FARSUM_OK;
    const struct near_args *a = args;
    struct state *s = NULL;
    GO(MEM_NEW(s, 1));
    near_outer_fit(a, &s->outer, &s->inner);
    s->near.args = *a;
    s->near.args.poly = &s->inner;
    s->volume = a->cell->volume;
    GO(verlet_compile(s, verlet_apart(a, a->n_sources, VERLET_SPARE)));
    GO(gpu_scan_create(a->device, GPU_SCAN_U32_U64, &s->scan));
    GO(buf_alloc(&s->total, a->device, 8));
    GO(buf_alloc(&s->flag, a->device, 12));
    *state = s;
    s = NULL;
done:
    verlet_destroy(s);
    return status;
}

/* Updates the coordinates of points; the flag says whether a point has moved
 * too far from where it was sorted, which is when lists were made. */
static farsum_status verlet_move(struct state *s, const struct points *points,
                                 struct near_placed *placed)
{
    TRY(points_gpu_fractions(points->gpu));
    s->near.cells.n = placed->n;
    return LAUNCH(&s->move, kernel_groups(&s->move, placed->n),
                  ARG_BUF(&points->gpu->s), ARG_BUF(&placed->sort->item),
                  ARG_BUF(&placed->sort->s), ARG_BUF(&placed->x),
                  ARG_BUF(&s->flag), ARG_STRUCT(s->near.cells),
                  ARG_STRUCT(s->shape));
}

/* *kept: the lists are valid for these points, whose coordinates are updated.
 * Synchronises with the device. */
static farsum_status verlet_keep(struct state *s, const struct points *sources,
                                 const struct points *targets, int *kept)
{
    struct near_gpu *g = &s->near;
    const int same = !targets || targets == sources;
    uint32_t flag[3];
    *kept = 0;
    if (!(g->args.skin > 0) || !s->has_lists || same != g->same
        || g->source.n != sources->n || (!same && g->target.n != targets->n)
        || memcmp(s->cell, g->args.cell->a, sizeof s->cell) != 0)
        return FARSUM_OK;
    TRY(buf_fill(&s->flag, 0));
    TRY(verlet_move(s, sources, &g->source));
    if (!same)
        TRY(verlet_move(s, targets, &g->target));
    TRY(buf_download(&s->flag, 0, flag, sizeof flag));
    *kept = flag[0] == 0;
    return FARSUM_OK;
}

/* Allocates all entries, with some spare if the array has to grow. */
static farsum_status verlet_reserve(struct state *s)
{
    uint64_t total;
    TRY(buf_download(&s->total, 0, &total, sizeof total));
    int64_t bytes = 4 * (1 + s->apart) * (int64_t)total;
    if (s->entry.device && s->entry.bytes >= bytes)
        return FARSUM_OK;
    return buf_reserve(&s->entry, s->near.args.device,
                       s->entry.device ? bytes + bytes / 16 : bytes);
}

/* Thread blocks of a kernel in which a warp makes each list. */
static int64_t verlet_groups(const struct state *s, const struct kernel *kernel)
{
    int step = s->near.args.device->properties.subgroup;
    return kernel_groups(kernel, s->near.cells.n * (step > 1 ? step : 1));
}

/* Density of sources relative to the plan's expectation. */
static double verlet_denser(const struct state *s)
{
    const struct near_args *a = &s->near.args;
    if (a->n_sources <= 0)
        return 1;
    return (double)s->near.source.n / (double)a->n_sources * s->volume
           / a->cell->volume;
}

/* Makes lists of equal length in one pass; *enough: they were long enough.
 * Synchronises with the device. */
static farsum_status verlet_once(struct state *s, const struct near_placed *t,
                                 int *enough)
{
    struct near_gpu *g = &s->near;
    const double range = verlet_range(&g->args);
    const double outer =
        s->outer.n > 0 ? 1 - pow(sqrt(s->shape.near) / range, 3) : 0;
    uint32_t flag[3];
    *enough = 0;
    if (s->uneven)
        return FARSUM_OK;
    verlet_capacity(verlet_entries(&g->args) * verlet_denser(s), fmax(outer, 0),
                    s->shape.capacity);
    int64_t capacity = (int64_t)s->shape.capacity[0] + s->shape.capacity[1];
    if (buf_reserve(&s->entry, g->args.device,
                    4 * (1 + s->apart) * capacity * t->n)
        != FARSUM_OK) /* counted, they take less */
        return FARSUM_OK;
    TRY(LAUNCH(&s->once, verlet_groups(s, &s->once), ARG_BUF(&g->source.x),
               ARG_BUF(&g->source.sort->start), ARG_I64(g->source.n),
               ARG_BUF(&t->x), ARG_BUF(&t->more), ARG_BUF(&t->cell),
               ARG_BUF(&s->length), ARG_BUF(&s->first), ARG_BUF(&s->entry),
               ARG_BUF(&s->flag), ARG_STRUCT(g->cells), ARG_STRUCT(s->ball),
               ARG_STRUCT(s->shape)));
    TRY(buf_download(&s->flag, 0, flag, sizeof flag));
    s->close = flag[1] != 0;
    s->uneven = flag[2] != 0;
    *enough = !s->uneven;
    return FARSUM_OK;
}

/* Makes lists of individual length: counts, then fills.  Synchronises with the
 * device. */
static farsum_status verlet_twice(struct state *s, const struct near_placed *t)
{
    struct near_gpu *g = &s->near;
    uint32_t flag[3];
    s->shape.capacity[0] = s->shape.capacity[1] = 0;
    TRY(buf_reserve(&s->capacity, g->args.device, 4 * t->n));
    TRY(gpu_scan_reserve(s->scan, t->n));
    TRY(LAUNCH(&s->count, verlet_groups(s, &s->count), ARG_BUF(&g->source.x),
               ARG_BUF(&g->source.sort->start), ARG_I64(g->source.n),
               ARG_BUF(&t->x), ARG_BUF(&t->more), ARG_BUF(&t->cell),
               ARG_BUF(&s->length), ARG_BUF(&s->capacity), ARG_BUF(&s->flag),
               ARG_STRUCT(g->cells), ARG_STRUCT(s->ball),
               ARG_STRUCT(s->shape)));
    TRY(gpu_scan_run(s->scan, &s->capacity, &s->first, t->n, &s->total));
    TRY(verlet_reserve(s));
    TRY(LAUNCH(&s->fill, verlet_groups(s, &s->fill), ARG_BUF(&g->source.x),
               ARG_BUF(&g->source.sort->start), ARG_I64(g->source.n),
               ARG_BUF(&t->x), ARG_BUF(&t->more), ARG_BUF(&t->cell),
               ARG_BUF(&s->length), ARG_BUF(&s->first), ARG_BUF(&s->entry),
               ARG_STRUCT(g->cells), ARG_STRUCT(s->ball),
               ARG_STRUCT(s->shape)));
    TRY(buf_download(&s->flag, 0, flag, sizeof flag));
    s->close = flag[1] != 0;
    return FARSUM_OK;
}

/* Makes the lists of the targets in the order of their cells. */
static farsum_status verlet_lists(struct state *s)
{
    struct near_gpu *g = &s->near;
    struct device *device = g->args.device;
    const struct near_placed *t = near_gpu_placed(g);
    int enough;
    g->cells.n = t->n;
    s->shape.same = g->same;
    TRY(buf_reserve(&s->length, device, 8 * t->n));
    TRY(buf_reserve(&s->first, device, 8 * t->n));
    TRY(buf_fill(&s->flag, 0));
    TRY(verlet_once(s, t, &enough));
    return enough ? FARSUM_OK : verlet_twice(s, t);
}

/* Sets integer units: differences of all listed pairs stay below 2^31, whatever
 * moves. */
static farsum_status verlet_integers(struct state *s)
{
    struct near_gpu *g = &s->near;
    struct verlet_far *f = &s->far;
    double unit = ldexp(1, 29);
    while (unit * (2 * g->range - 1) >= 0x1p31)
        unit /= 2;
    *f = (struct verlet_far){
        .unit = unit,
        .inner = (float)(s->outer.inner * s->outer.inner),
        .scale = (float)s->outer.scale,
        .shift = (float)s->outer.shift,
        .per_unit = (float)(1 / unit),
    };
    for (int k = 0; k < 9; k++)
        f->image[k] =
            (int32_t)(uint32_t)llrint(unit * g->args.cell->a[k]);
    if (s->outer.n == 0)
        return FARSUM_OK;
    return buf_reserve(&s->words, g->args.device,
                       verlet_words(&g->args) * g->source.n);
}

/* Thread blocks of the sum over the targets. */
static int64_t verlet_sums(const struct state *s)
{
    return kernel_groups(&s->sum,
                         s->near.cells.n * verlet_share(&s->near.args));
}

static farsum_status verlet_new(struct state *s, const struct points *sources,
                                const struct points *targets)
{
    struct near_gpu *g = &s->near;
    const double range = verlet_range(&g->args);
    const double near = s->outer.inner + g->args.skin + VERLET_MARGIN;
    const double close = g->args.skin + 2 * VERLET_MARGIN;
    const double half = 0.5 * g->args.skin;
    double a_cutoff[3];
    s->has_lists = 0;
    if (memcmp(s->cell, g->args.cell->a, sizeof s->cell) != 0)
        s->uneven = 0;
    const int apart = verlet_apart(&g->args, sources->n, 1 + 1e-9);
    if (!s->compiled || apart > s->apart)
        TRY(verlet_compile(s, apart || s->apart));
    verlet_density(&g->args, a_cutoff);
    TRY(near_gpu_set(g, a_cutoff, 1, sources, targets));
    g->ready = 0;
    TRY(near_ball_set(&s->ball, g, "gpu_verlet"));
    s->shape = (struct verlet){.range = range * range,
                               .near = near * near,
                               .close = close * close,
                               .moved = half * half};
    TRY(verlet_lists(s));
    TRY(near_side_set(&s->side, g));
    TRY(verlet_integers(s));
    TRY(near_gpu_records(g, verlet_sums(s)));
    memcpy(s->cell, g->args.cell->a, sizeof s->cell);
    s->has_lists = 1;
    return FARSUM_OK;
}

static farsum_status verlet_set(void *state, const struct points *sources,
                                const struct points *targets)
{
    struct state *s = state;
    struct near_lists *lists = s->near.args.lists;
    int kept = 0;
    s->near.ready = 0;
    TRY(verlet_keep(s, sources, targets, &kept));
    if (!kept)
        TRY(verlet_new(s, sources, targets));
    s->near.ready = 1;
    if (!lists)
        return FARSUM_OK;
    lists->made += !kept;
    lists->kept += kept;
    lists->distinct = s->near.same && !s->close;
    return FARSUM_OK;
}

static farsum_status verlet_run(void *state, const void *data)
{
    struct state *s = state;
    struct near_gpu *g = &s->near;
    const struct near_io *io = data;
    struct near_ends e;
    TRY(near_side_run(&s->side, g, io, &e));
    const int parted = s->outer.n > 0;
    if (parted)
        TRY(LAUNCH(&s->integers, kernel_groups(&s->integers, g->source.n),
                   ARG_BUF(&g->source.x), ARG_BUF(&g->q), ARG_BUF(&s->words),
                   ARG_STRUCT(s->far), ARG_I64(g->source.n)));
    int64_t groups = verlet_sums(s);
    TRY(LAUNCH(&s->sum, groups, ARG_BUF(&s->side.at),
               ARG_BUF(parted ? &s->words : &s->side.at), ARG_BUF(&s->first),
               ARG_BUF(&s->length), ARG_BUF(&s->entry), ARG_BUF(&e.target->x),
               NEAR_RESULTS(g, &e), ARG_STRUCT(s->far),
               ARG_I32(s->shape.capacity[0])));
    return near_gpu_total(g, io, groups);
}

const struct variant near_gpu_verlet = {
    .fits = verlet_fits,
    .cost = verlet_cost,
    .bytes = verlet_bytes,
    .create = verlet_create,
    .set = verlet_set,
    .run = verlet_run,
    .destroy = verlet_destroy,
    .deterministic = 1,
    .lists = 1,
    .needs = "a device",
    .work = verlet_ops,
};
