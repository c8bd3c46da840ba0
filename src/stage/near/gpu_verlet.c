/* gpu_verlet: each target has a list of the sources within the cutoff and the
 * skin, which threads in step sum; in f64 those that f32 is enough for apart.
 * Ours (docs/decisions/0046).  Lists take longer to make than the sum of their
 * pairs: they are for points that are summed several times, or that move little
 * from set to set.  Sums run in a fixed order. */
#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "points/gpu.h"
#include "points/gpu_scan.h"
#include "stage/gpu_rates.h"
#include "stage/near/near_columns.h"
#include "stage/near/near_outer.h"

enum { GROUP = 128, MOST = 32, BITS = 27, ALIGN = 8 };
/* What rounding and f32 leave of a distance, cutoffs: lists reach so much
 * farther. */
#define MARGIN 1e-5

/* The host's twins of gpu_verlet.k's structs. */
struct verlet {
    double range, near, close, moved;
    int32_t same, pad;
};
_Static_assert(sizeof(struct verlet) == 40, "as the kernel has it");
struct verlet_far {
    double unit;
    float inner, scale, shift, per_unit;
    int32_t image[9], pad;
};
_Static_assert(sizeof(struct verlet_far) == 64, "as the kernel has it");

/* Where points were listed. */
struct listed {
    int64_t n;
    struct buf s; /* [3][n] f64, sorted */
};

struct state {
    struct near_gpu near;
    struct near_side side;
    struct kernel count, fill, move, integers, sum;
    struct gpu_scan *scan;
    struct verlet shape;
    struct near_ball ball;
    struct verlet_far far;
    struct near_outer outer;
    struct near_poly inner; /* of the pairs that are not for f32 */
    struct listed source, target;
    struct buf length; /* [targets][2] u32, entries of the lists' parts */
    struct buf room;   /* [targets] u32, what these take */
    struct buf first;  /* [targets] u64, where they begin */
    struct buf entry, total, flag;
    struct buf words; /* sources as pairs in f32 want them */
    double cell[9];
    int apart;      /* 1: an entry is two words */
    int has_lists;  /* 1: of points in such a cell */
    int same, close;
};

/* Threads that share a list. */
static int verlet_share(const struct near_args *args)
{
    return near_gpu_share(args, args->precision == FARSUM_F32 ? 4 : 2, MOST);
}

static farsum_status verlet_fits(const void *args)
{
    const struct near_args *a = args;
    TRY(near_skin_fits(a));
    return near_gpu_sources_fit(a);
}

/* Bytes of a source for the pairs in f32 of a plan in f64. */
static int64_t verlet_words(const struct near_args *args)
{
    return args->precision == FARSUM_F32
               ? 0
               : 16 * (int64_t)((near_kernel(args)->strengths + 6) / 4);
}

/* Cells a cutoff. */
static void verlet_density(const struct near_args *args, double a_cutoff[3])
{
    double s = args->neighbours / (4 * M_PI / 3);
    double wide = fmin(fmax(round(cbrt(s)), 2), 4);
    near_gpu_density(args, (double[3]){wide, wide, 2 * wide}, a_cutoff);
}

static double verlet_range(const struct near_args *args)
{
    return 1 + args->skin + MARGIN;
}

/* One word holds an entry where sources are few enough and no image is farther
 * than the next; with something to spare for other numbers and cells. */
static int verlet_apart(const struct near_args *args)
{
    int apart = args->n_sources > (int64_t)1 << (BITS - 1);
    for (int d = 0; d < 3; d++)
        apart |= args->cell->height[d] < 1.25 * verlet_range(args);
    return apart;
}

/* Entries of a list. */
static double verlet_entries(const struct near_args *args)
{
    return args->neighbours * pow(verlet_range(args), 3) + 1;
}

/* Fitted to times of an H200: 3000 to 4e6 uniform points with 17 to 1070
 * neighbours and skins of 0 to 0.3 cutoffs, charges, stokeslets, rotlets and
 * stresslets in f32 and f64, to 15 percent: of a list, of its entries by what a
 * source is read as, and of its pairs. */
static double verlet_seconds(const struct near_args *a)
{
    const int f32 = a->precision == FARSUM_F32;
    const double entries = verlet_entries(a);
    const double parts = (double)near_side_bytes(a) / 16;
    double work = f32 ? 3300 + (55 + 35 * parts) * entries
                      : 1500 + (50 + 20 * parts) * entries;
    work += 0.33 * near_work(a) * a->neighbours;
    double steps = 180 + 8 * entries / verlet_share(a);
    return near_gpu_alone(a, 4)
           * (near_gpu_busy(a, work, 1)
              + steps * gpu_rates(a->device, a->precision).wait);
}

/* Sorting, and two searches of the cells around a target. */
static double verlet_making(const struct near_args *a)
{
    const int f32 = a->precision == FARSUM_F32;
    double work = f32 ? 36000 + 385 * a->neighbours
                      : 24000 + 213 * a->neighbours;
    return near_gpu_alone(a, 4) * near_gpu_busy(a, work, 1) + 9e-5;
}

/* With a skin a tenth of the sets are taken to be new lists. */
static double verlet_cost(const void *args)
{
    const struct near_args *a = args;
    double runs = a->repeats > 1 ? a->repeats : 1;
    if (a->skin > 0)
        runs *= 10;
    return verlet_seconds(a) + verlet_making(a) / runs;
}

/* A list's entries are looked at, its pairs summed. */
static void verlet_ops(const void *args, struct work *work)
{
    const struct near_args *a = args;
    double targets = near_targets(a), entries = verlet_entries(a);
    near_ops_looked(a, targets * entries, work);
    near_ops_pairs(a, targets * a->neighbours, work);
    near_ops_arrays(a, work);
    work->launches++; /* which puts strengths beside coordinates */
    work->read += 4 * (1 + verlet_apart(a)) * targets * entries
                  + 4 * (double)a->n_sources;
}

static int64_t verlet_bytes(const void *args)
{
    const struct near_args *a = args;
    double a_cutoff[3], targets = near_targets(a);
    double entries = (verlet_entries(a) + ALIGN) * targets;
    int64_t listed = a->skin > 0 ? 24 * (a->n_sources + a->n_targets) : 0;
    verlet_density(a, a_cutoff);
    return near_gpu_bytes(a, a_cutoff, 1,
                          (int64_t)targets * verlet_share(a) / GROUP + 1)
           + a->n_sources * (near_side_bytes(a) + verlet_words(a))
           + (int64_t)(4 * (1 + verlet_apart(a)) * entries + 20 * targets)
           + listed;
}

static void verlet_destroy(void *state)
{
    struct state *s = state;
    if (!s)
        return;
    struct buf *all[] = {&s->side.at, &s->source.s, &s->target.s,
                         &s->length,  &s->room,     &s->first,
                         &s->entry,   &s->total,    &s->flag,
                         &s->words};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        buf_clear(all[i]);
    gpu_scan_destroy(s->scan);
    near_gpu_destroy(s);
}

static farsum_status verlet_create(const void *args, void **state)
{
    farsum_status status = FARSUM_OK;
    const struct near_args *a = args;
    struct state *s = NULL;
    GO(MEM_NEW(s, 1));
    struct jit *jit = &s->near.jit;
    near_outer_fit(a, &s->outer, &s->inner);
    struct near_args own = *a;
    own.poly = &s->inner;
    near_gpu_begin(&s->near, &own, "stage/near/gpu_verlet.k", GROUP);
    near_outer_define(&s->outer, near_kernel(a), jit);
    s->near.range = verlet_range(a);
    s->apart = verlet_apart(a);
    jit_define(jit, "LANES", "%d", verlet_share(a));
    jit_define(jit, "APART", "%d", s->apart);
    GO(near_gpu_build(&s->near, GROUP));
    GO(near_side_create(&s->side, &s->near, GROUP));
    GO(jit_kernel(jit, "verlet_count", GROUP, 0, &s->count));
    GO(jit_kernel(jit, "verlet_fill", GROUP, 0, &s->fill));
    GO(jit_kernel(jit, "verlet_move", GROUP, 0, &s->move));
    if (s->outer.n > 0)
        GO(jit_kernel(jit, "verlet_far", GROUP, 0, &s->integers));
    GO(jit_kernel(jit, "near_verlet", GROUP, 0, &s->sum));
    GO(gpu_scan_create(a->device, GPU_SCAN_U32_U64, &s->scan));
    GO(buf_alloc(&s->total, a->device, 8));
    GO(buf_alloc(&s->flag, a->device, 8));
    *state = s;
    s = NULL;
done:
    verlet_destroy(s);
    return status;
}

/* Points to where they are now, if each is near enough to where it was. */
static farsum_status verlet_move(struct state *s, const struct points *points,
                                 struct near_placed *placed,
                                 const struct listed *listed)
{
    TRY(points_gpu_fractions(points->gpu));
    s->near.cells.n = placed->n;
    return LAUNCH(&s->move, kernel_groups(&s->move, placed->n),
                  ARG_BUF(&points->gpu->s), ARG_BUF(&placed->order),
                  ARG_BUF(&listed->s), ARG_BUF(&placed->x), ARG_BUF(&s->flag),
                  ARG_STRUCT(s->near.cells), ARG_STRUCT(s->shape));
}

/* *kept: the lists are these points' too, which are in their places now.
 * Waits. */
static farsum_status verlet_keep(struct state *s, const struct points *sources,
                                 const struct points *targets, int *kept)
{
    struct near_gpu *g = &s->near;
    const int same = !targets || targets == sources;
    uint32_t flag[2];
    *kept = 0;
    if (!(g->args.skin > 0) || !s->has_lists || same != g->same
        || g->source.n != sources->n || (!same && g->target.n != targets->n)
        || memcmp(s->cell, g->args.cell->a, sizeof s->cell) != 0)
        return FARSUM_OK;
    TRY(buf_fill(&s->flag, 0));
    TRY(verlet_move(s, sources, &g->source, &s->source));
    if (!same)
        TRY(verlet_move(s, targets, &g->target, &s->target));
    TRY(buf_download(&s->flag, 0, flag, sizeof flag));
    *kept = flag[0] == 0;
    return FARSUM_OK;
}

static farsum_status verlet_listed(struct state *s, const struct points *points,
                                   struct listed *listed)
{
    int64_t bytes = 24 * points->n;
    if (!(s->near.args.skin > 0))
        return FARSUM_OK;
    TRY(buf_reserve(&listed->s, s->near.args.device, bytes));
    return buf_copy(&listed->s, 0, &points->gpu->sort.s, 0, bytes);
}

/* Room for all entries, some more if there was none for them. */
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

/* Groups of a kernel whose threads in step make a list. */
static int64_t verlet_groups(const struct state *s, const struct kernel *kernel)
{
    int step = s->near.args.device->facts.subgroup;
    return kernel_groups(kernel, s->near.cells.n * (step > 1 ? step : 1));
}

/* Lists of the targets as they lie in their cells.  Waits. */
static farsum_status verlet_lists(struct state *s)
{
    struct near_gpu *g = &s->near;
    struct device *device = g->args.device;
    const struct near_placed *t = g->same ? &g->source : &g->target;
    uint32_t flag[2];
    g->cells.n = t->n;
    s->shape.same = g->same;
    TRY(buf_reserve(&s->length, device, 8 * t->n));
    TRY(buf_reserve(&s->room, device, 4 * t->n));
    TRY(buf_reserve(&s->first, device, 8 * t->n));
    TRY(gpu_scan_reserve(s->scan, t->n));
    TRY(buf_fill(&s->flag, 0));
    TRY(LAUNCH(&s->count, verlet_groups(s, &s->count), ARG_BUF(&g->source.x),
               ARG_BUF(&g->start), ARG_I64(g->source.n), ARG_BUF(&t->x),
               ARG_BUF(&t->more), ARG_BUF(&t->cell), ARG_BUF(&s->length),
               ARG_BUF(&s->room), ARG_BUF(&s->flag), ARG_STRUCT(g->cells),
               ARG_STRUCT(s->ball), ARG_STRUCT(s->shape)));
    TRY(gpu_scan_run(s->scan, &s->room, &s->first, t->n, &s->total));
    TRY(verlet_reserve(s));
    TRY(LAUNCH(&s->fill, verlet_groups(s, &s->fill), ARG_BUF(&g->source.x),
               ARG_BUF(&g->start), ARG_I64(g->source.n), ARG_BUF(&t->x),
               ARG_BUF(&t->more), ARG_BUF(&t->cell), ARG_BUF(&s->length),
               ARG_BUF(&s->first), ARG_BUF(&s->entry), ARG_STRUCT(g->cells),
               ARG_STRUCT(s->ball), ARG_STRUCT(s->shape)));
    TRY(buf_download(&s->flag, 0, flag, sizeof flag));
    s->close = flag[1] != 0;
    return FARSUM_OK;
}

/* Integers differ by less than 2^31 for all that is listed, whatever moves. */
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

/* Entries of one word name sources of these numbers and images. */
static farsum_status verlet_named(const struct state *s)
{
    const struct near_cells *c = &s->near.cells;
    if (s->apart)
        return FARSUM_OK;
    if (s->near.source.n > (int64_t)1 << BITS)
        FAIL(ERR_UNSUPPORTED,
             "near gpu_verlet: %lld sources, %lld are possible in lists made "
             "for %lld",
             (long long)s->near.source.n, (long long)1 << BITS,
             (long long)s->near.args.n_sources);
    for (int d = 0; d < 3; d++)
        if (c->reach[d] > c->nb[d])
            FAIL(ERR_UNSUPPORTED, "near gpu_verlet: the cell has become "
                                  "narrower than what lists reach");
    return FARSUM_OK;
}

/* Groups of the sum over the targets. */
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
    const double near = s->outer.inner + g->args.skin + MARGIN;
    const double close = g->args.skin + 2 * MARGIN, half = 0.5 * g->args.skin;
    double a_cutoff[3];
    s->has_lists = 0;
    verlet_density(&g->args, a_cutoff);
    TRY(near_gpu_set(g, a_cutoff, 1, sources, targets));
    g->ready = 0;
    TRY(near_ball_set(&s->ball, g, "gpu_verlet"));
    s->shape = (struct verlet){.range = range * range,
                               .near = near * near,
                               .close = close * close,
                               .moved = half * half};
    TRY(verlet_named(s));
    TRY(verlet_listed(s, sources, &s->source));
    if (!g->same)
        TRY(verlet_listed(s, targets, &s->target));
    TRY(verlet_lists(s));
    TRY(near_side_set(&s->side, g));
    TRY(verlet_integers(s));
    if (g->same)
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
    lists->apart = s->near.same && !s->close;
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
               ARG_BUF(parted ? &s->words : &s->side.at), ARG_BUF(&g->q),
               ARG_BUF(&s->first), ARG_BUF(&s->length), ARG_BUF(&s->entry),
               ARG_BUF(&e.target->x), NEAR_RESULTS(g, &e), ARG_STRUCT(s->far)));
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
