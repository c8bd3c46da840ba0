/* gpu_pairs: threads in step share some targets; sources are tested in f32 and
 * those within a target's cutoff gathered before their pairs are summed, so
 * that none is summed in vain.  Ours; level with gpu_cells from a thousand
 * neighbours in f64, slower below: what is saved there goes into looking.
 * Sums run in a fixed order. */
#include <math.h>

#include "base/mem.h"
#include "stage/near/near_gpu.h"

enum { GROUP = 128, TARGETS = 2, IMAGES = 512 };

static const double a_cutoff[3] = {2, 2, 4};

/* The host's twin of gpu_pairs.k's struct. */
struct near_columns {
    float x0, y0, y1, z0, z1, z2, cut, slack;
    int32_t reach_z, columns, together, pad;
};
_Static_assert(sizeof(struct near_columns) == 48, "as gpu_pairs.k has it");

struct state {
    struct near_gpu near;
    struct kernel pairs;
    struct near_columns columns;
};

/* Fitted as that of gpu_cells: of a target its columns, and what a neighbour
 * takes with the sources that are looked at in vain. */
static double pairs_cost(const void *args)
{
    const struct near_args *a = args;
    int f32 = a->precision == FARSUM_F32;
    double work = (90 + near_work(a)) * a->neighbours + (f32 ? 110000 : 88000);
    return near_gpu_seconds(a, work, f32 ? 0.7 : 0.88);
}

/* Threads for n targets. */
static int64_t pairs_threads(const struct near_args *args, int64_t n)
{
    int64_t lanes = args->device->facts.subgroup;
    return (n + TARGETS - 1) / TARGETS * (lanes > 1 ? lanes : 1);
}

static int64_t pairs_bytes(const void *args)
{
    const struct near_args *a = args;
    return near_gpu_bytes(
        a, a_cutoff, 1, pairs_threads(a, a->n_sources + a->n_targets) / GROUP);
}

static farsum_status pairs_create(const void *args, void **state)
{
    farsum_status status = FARSUM_OK;
    struct state *s = NULL;
    GO(MEM_NEW(s, 1));
    near_gpu_begin(&s->near, args, "stage/near/gpu_pairs.k", GROUP);
    jit_define(&s->near.jit, "TARGETS", "%d", TARGETS);
    GO(near_gpu_build(&s->near, GROUP));
    GO(jit_kernel(&s->near.jit, "near_pairs", GROUP, 0, &s->pairs));
    *state = s;
    s = NULL;
done:
    near_gpu_destroy(s);
    return status;
}

static double dot(const double *a, const double *b)
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* The frame of columns, and how far f32 can be trusted. */
static farsum_status pairs_columns(struct state *s)
{
    const struct cell *cell = s->near.args.cell;
    const struct near_cells *c = &s->near.cells;
    struct near_columns *g = &s->columns;
    double ex[3], ey[3], ez[3], far = 0;
    const double *a = cell->a, *b = cell->a + 3, *last = cell->a + 6;
    double length = sqrt(dot(last, last));
    for (int d = 0; d < 3; d++)
        ez[d] = last[d] / length;
    for (int d = 0; d < 3; d++)
        ey[d] = b[d] - dot(b, ez) * ez[d];
    double across = sqrt(dot(ey, ey));
    for (int d = 0; d < 3; d++)
        ey[d] /= across;
    for (int d = 0; d < 3; d++)
        ex[d] = ey[(d + 1) % 3] * ez[(d + 2) % 3]
                - ey[(d + 2) % 3] * ez[(d + 1) % 3];
    for (int k = 0; k < 9; k++)
        far += fabs(cell->a[k]);
    *g = (struct near_columns){
        .x0 = (float)dot(a, ex), .y0 = (float)dot(a, ey),
        .y1 = (float)dot(b, ey), .z0 = (float)dot(a, ez),
        .z1 = (float)dot(b, ez), .z2 = (float)length,
    };
    double off = s->near.args.precision == FARSUM_F32 ? 1e-6
                                                      : 1e-6 + 0x1p-21 * far;
    g->slack = (float)(1e-5 + off);
    g->cut = (float)((1 + off) * (1 + off));
    g->together = (int32_t)fmax(0.75 * c->nb[2] / cell->height[2], 1);
    g->reach_z = (c->reach[2] + c->nb[2] - 1) / c->nb[2];
    for (int d = 0; d < 3; d++)
        if (c->reach[d] / c->nb[d] + 2 > IMAGES)
            FAIL(ERR_UNSUPPORTED, "near gpu_pairs: the cutoff spans %d cells "
                                  "along an axis, %d are possible",
                 (int)(c->reach[d] / c->nb[d]), IMAGES - 2);
    g->columns = (2 * c->reach[0] + 1) * (2 * c->reach[1] + 1)
                 * (2 * g->reach_z + 1);
    return FARSUM_OK;
}

static farsum_status pairs_set(void *state, const struct points *sources,
                               const struct points *targets)
{
    struct state *s = state;
    TRY(near_gpu_set(&s->near, a_cutoff, 1, sources, targets));
    s->near.ready = 0;
    TRY(pairs_columns(s));
    if (s->near.same)
        TRY(near_gpu_records(&s->near,
                             kernel_groups(&s->pairs,
                                           pairs_threads(&s->near.args,
                                                         sources->n))));
    s->near.ready = 1;
    return FARSUM_OK;
}

static farsum_status pairs_run(void *state, const void *data)
{
    struct state *s = state;
    struct near_gpu *g = &s->near;
    const struct near_io *io = data;
    struct near_ends e;
    TRY(near_gpu_strengths(g, io, &e));
    int64_t groups = kernel_groups(&s->pairs,
                                   pairs_threads(&g->args, e.target->n));
    TRY(LAUNCH(&s->pairs, groups, NEAR_SOURCES(g), ARG_BUF(&e.source->more),
               ARG_BUF(&e.target->x), ARG_BUF(&e.target->more),
               ARG_BUF(&e.target->cell), NEAR_RESULTS(g, &e),
               ARG_STRUCT(s->columns)));
    return near_gpu_total(g, io, groups);
}

const struct variant near_gpu_pairs = {
    .fits = near_gpu_fits,
    .cost = pairs_cost,
    .bytes = pairs_bytes,
    .create = pairs_create,
    .set = pairs_set,
    .run = pairs_run,
    .destroy = near_gpu_destroy,
    .deterministic = 1,
    .needs = "a device",
};
