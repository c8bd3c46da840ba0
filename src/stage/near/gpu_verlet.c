/* gpu_verlet: each target has a list of the sources within the cutoff and the
 * skin, which threads in step, one to 32 of them, sum.  Ours
 * (docs/decisions/0046).  Lists take longer to make than the sum of their
 * pairs: they are for points that are summed several times, or that move little
 * from set to set.  Sums run in a fixed order. */
#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "points/gpu.h"
#include "points/gpu_scan.h"
#include "stage/gpu_rates.h"
#include "stage/near/near_gpu.h"

enum { GROUP = 128, LEAST = 1, MOST = 32, WIDTH = 32, BITS = 27, CELLS = 2 };
/* What rounding and f32 leave of a distance, cutoffs: lists reach so much
 * farther. */
#define MARGIN 1e-5

/* The host's twin of gpu_verlet.k's struct. */
struct verlet {
    double range, close, moved;
    int32_t same, pad;
};
_Static_assert(sizeof(struct verlet) == 32, "as the kernel has it");

/* Where points were listed. */
struct listed {
    int64_t n;
    struct buf s; /* [3][n] f64, sorted */
};

struct state {
    struct near_gpu near;
    struct near_side side;
    struct kernel count, rows, fill, move, sum;
    struct gpu_scan *scan;
    struct verlet shape;
    struct listed source, target;
    struct buf length; /* [targets] u32, entries of their lists */
    struct buf row;    /* u32, entries of the lists that lie together */
    struct buf first;  /* u64, where these begin */
    struct buf entry, total, flag;
    double cell[9];
    int apart;      /* 1: an entry is two words */
    int has_lists;  /* 1: of points in such a cell */
    int same, close;
};

/* 0: as the device's threads are. */
static int verlet_width(const struct near_args *args)
{
    return args->device->facts.subgroup > 1 ? WIDTH : 1;
}

static int verlet_share(const struct near_args *args)
{
    return near_gpu_share(args, LEAST, MOST);
}

static farsum_status verlet_fits(const void *args)
{
    return near_gpu_share_fits(args);
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

/* Entries of a target's list, and with those that the longest beside it makes
 * it pass over: of so many numbers about `mean` the largest. */
static double verlet_entries(const struct near_args *args, double *padded)
{
    double mean = args->neighbours * pow(verlet_range(args), 3) + 1;
    int share = verlet_share(args), beside = verlet_width(args) / share;
    *padded = mean + sqrt(2 * log(beside) * mean) + 0.5 * (share - 1);
    return mean;
}

static double verlet_making(const struct near_args *a, double listed)
{
    const double cells[3] = {CELLS, CELLS, CELLS};
    double looked, summed;
    near_gpu_looks(a, cells, &looked, &summed);
    double work = 2750 + 287 * 25 + 60 * looked * a->neighbours + 20 * listed;
    return 2 * near_gpu_seconds(a, work, 0.5) + 1e-4;
}

static double verlet_cost(const void *args)
{
    const struct near_args *a = args;
    double padded, listed = verlet_entries(a, &padded);
    int f32 = a->precision == FARSUM_F32;
    double work = 300 + 25 * padded + 1.2 * near_work(a) * padded;
    double steps = 100 + 6 * padded / verlet_share(a);
    double run = near_gpu_waiting(
        a, steps, near_gpu_seconds(a, work, f32 ? 0.5 : 0.8));
    double repeats = a->repeats > 1 ? a->repeats : 1;
    /* with a skin a tenth of the sets are new lists */
    double sets = a->skin > 0 ? 10 * repeats : repeats;
    return run + verlet_making(a, listed) / sets;
}

static int64_t verlet_bytes(const void *args)
{
    const struct near_args *a = args;
    const double cells[3] = {CELLS, CELLS, CELLS};
    double padded, targets = near_targets(a);
    verlet_entries(a, &padded);
    int share = verlet_share(a), words = 1 + verlet_apart(a);
    double rows = targets * share / verlet_width(a) + 1;
    double listed = a->skin > 0 ? 24 * (double)(a->n_sources + a->n_targets)
                                : 0;
    return near_gpu_bytes(a, cells, 0, (int64_t)(targets * share / GROUP) + 1)
           + a->n_sources * near_side_bytes(a)
           + (int64_t)(4 * words * padded * targets + 4 * targets + 12 * rows
                       + listed);
}

static void verlet_destroy(void *state)
{
    struct state *s = state;
    if (!s)
        return;
    struct buf *all[] = {&s->side.at, &s->source.s, &s->target.s,
                         &s->length,  &s->row,      &s->first,
                         &s->entry,   &s->total,    &s->flag};
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
    near_gpu_begin(&s->near, a, "stage/near/gpu_verlet.k", GROUP);
    s->near.range = verlet_range(a);
    s->apart = verlet_apart(a);
    jit_define(jit, "LANES", "%d", verlet_share(a));
    jit_define(jit, "APART", "%d", s->apart);
    GO(near_gpu_build(&s->near, GROUP));
    GO(near_side_create(&s->side, &s->near, GROUP));
    GO(jit_kernel(jit, "verlet_count", GROUP, 0, &s->count));
    GO(jit_kernel(jit, "verlet_rows", GROUP, 0, &s->rows));
    GO(jit_kernel(jit, "verlet_fill", GROUP, 0, &s->fill));
    GO(jit_kernel(jit, "verlet_move", GROUP, 0, &s->move));
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
static farsum_status verlet_room(struct state *s)
{
    uint64_t total;
    TRY(buf_download(&s->total, 0, &total, sizeof total));
    int64_t bytes = 4 * (1 + s->apart) * (int64_t)total;
    if (s->entry.device && s->entry.bytes >= bytes)
        return FARSUM_OK;
    return buf_reserve(&s->entry, s->near.args.device,
                       s->entry.device ? bytes + bytes / 16 : bytes);
}

/* Lists of the targets as they lie in their cells.  Waits. */
static farsum_status verlet_lists(struct state *s)
{
    struct near_gpu *g = &s->near;
    struct device *device = g->args.device;
    const struct near_placed *t = g->same ? &g->source : &g->target;
    int64_t beside = verlet_width(&g->args) / verlet_share(&g->args);
    int64_t rows = (t->n + beside - 1) / beside;
    uint32_t flag[2];
    g->cells.n = t->n;
    s->shape.same = g->same;
    TRY(buf_reserve(&s->length, device, 4 * t->n));
    TRY(buf_reserve(&s->row, device, 4 * rows));
    TRY(buf_reserve(&s->first, device, 8 * rows));
    TRY(gpu_scan_reserve(s->scan, rows));
    TRY(buf_fill(&s->flag, 0));
    TRY(LAUNCH(&s->count, kernel_groups(&s->count, t->n),
               ARG_BUF(&g->source.x), ARG_BUF(&g->start), ARG_I64(g->source.n),
               ARG_BUF(&t->x), ARG_BUF(&t->cell), ARG_BUF(&s->length),
               ARG_BUF(&s->flag), ARG_STRUCT(g->cells), ARG_STRUCT(s->shape)));
    TRY(LAUNCH(&s->rows, kernel_groups(&s->rows, rows), ARG_BUF(&s->length),
               ARG_BUF(&s->row), ARG_I64(t->n)));
    TRY(gpu_scan_run(s->scan, &s->row, &s->first, rows, &s->total));
    TRY(verlet_room(s));
    TRY(LAUNCH(&s->fill, kernel_groups(&s->fill, t->n), ARG_BUF(&g->source.x),
               ARG_BUF(&g->start), ARG_I64(g->source.n), ARG_BUF(&t->x),
               ARG_BUF(&t->cell), ARG_BUF(&s->first), ARG_BUF(&s->entry),
               ARG_STRUCT(g->cells), ARG_STRUCT(s->shape)));
    TRY(buf_download(&s->flag, 0, flag, sizeof flag));
    s->close = flag[1] != 0;
    return FARSUM_OK;
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

static farsum_status verlet_new(struct state *s, const struct points *sources,
                                const struct points *targets)
{
    struct near_gpu *g = &s->near;
    const double own[3] = {CELLS, CELLS, CELLS};
    const double range = verlet_range(&g->args);
    const double close = g->args.skin + 2 * MARGIN, half = 0.5 * g->args.skin;
    double a_cutoff[3];
    s->has_lists = 0;
    near_gpu_density(&g->args, own, a_cutoff);
    TRY(near_gpu_set(g, a_cutoff, 0, sources, targets));
    g->ready = 0;
    s->shape = (struct verlet){
        .range = range * range, .close = close * close, .moved = half * half};
    TRY(verlet_named(s));
    TRY(verlet_listed(s, sources, &s->source));
    if (!g->same)
        TRY(verlet_listed(s, targets, &s->target));
    TRY(verlet_lists(s));
    TRY(near_side_set(&s->side, g));
    if (g->same)
        TRY(near_gpu_records(
            g, kernel_groups(&s->sum, sources->n * verlet_share(&g->args))));
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
    int64_t groups =
        kernel_groups(&s->sum, e.target->n * verlet_share(&g->args));
    TRY(LAUNCH(&s->sum, groups, ARG_BUF(&s->side.at), ARG_BUF(&g->q),
               ARG_BUF(&s->first), ARG_BUF(&s->length), ARG_BUF(&s->entry),
               ARG_BUF(&e.target->x), NEAR_RESULTS(g, &e)));
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
};
