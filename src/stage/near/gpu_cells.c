/* gpu_cells: a thread a target, cells of half a cutoff, every cell that the
 * cutoff reaches; straightforward, any kernel.  Points are sorted by a stable
 * sort and no sum is shared, so results repeat bitwise.
 *
 * In f32 coordinates are integers modulo 2^32 (docs/decisions/0007). */
#include "base/mem.h"
#include "stage/gpu.h"
#include "stage/gpu_rates.h"
#include "stage/near/near_gpu.h"

enum { GROUP = 128 };

static const double a_cutoff[3] = {2, 2, 2};

struct state {
    struct near_gpu near;
    struct kernel sum, sum_virial;
};

static farsum_status cells_fits(const void *args)
{
    const struct near_args *a = args;
    return gpu_wanted(a->device);
}

/* Operations counted from the kernel, the lanes that wait among them, over what
 * makes them the times of an H200: 1e6 uniform points, stokeslets in f64 and
 * f32, 40 to 1000 neighbours. */
static double cells_cost(const void *args)
{
    const struct near_args *a = args;
    int f32 = a->precision == FARSUM_F32;
    double n = (double)(a->n_targets ? a->n_targets : a->n_sources);
    /* 125 cells of half an edge hold 3.7 times the neighbours; a lane waits
     * for its group */
    double looked = 3.7 * a->neighbours;
    double work = (10 + near_work(a)) * looked + (f32 ? 12000 : 16000);
    return n * work
               / ((f32 ? 0.93 : 1.15)
                  * gpu_rates(a->device, a->precision).flops)
           + 2e-5;
}

static int64_t cells_bytes(const void *args)
{
    const struct near_args *a = args;
    return near_gpu_bytes(a, a_cutoff, 0,
                          (a->n_sources + a->n_targets) / GROUP);
}

static void cells_destroy(void *state)
{
    struct state *s = state;
    if (!s)
        return;
    near_gpu_clear(&s->near);
    mem_free(s);
}

static farsum_status cells_create(const void *args, void **state)
{
    farsum_status status = FARSUM_OK;
    const struct near_args *a = args;
    struct state *s = NULL;
    GO(MEM_NEW(s, 1));
    near_gpu_begin(&s->near, a, "stage/near/gpu_cells.k", GROUP);
    GO(near_gpu_build(&s->near, GROUP));
    GO(jit_kernel(&s->near.jit, "near_sum", GROUP, 0, &s->sum));
    if (a->outputs & FARSUM_VIRIAL)
        GO(jit_kernel(&s->near.jit, "near_sum_virial", GROUP, 0,
                      &s->sum_virial));
    *state = s;
    s = NULL;
done:
    cells_destroy(s);
    return status;
}

static farsum_status cells_set(void *state, const struct points *sources,
                               const struct points *targets)
{
    struct state *s = state;
    TRY(near_gpu_set(&s->near, a_cutoff, 0, sources, targets));
    if (!s->near.same)
        return FARSUM_OK;
    return near_gpu_records(&s->near, kernel_groups(&s->sum, sources->n));
}

static farsum_status cells_run(void *state, const void *data)
{
    struct state *s = state;
    struct near_gpu *g = &s->near;
    const struct near_io *io = data;
    const struct near_placed *source = &g->source;
    const struct near_placed *target = near_gpu_targets(g);
    const struct buf *none = &g->start;
    TRY(near_gpu_strengths(g, io));
    const struct kernel *sum = io->virial ? &s->sum_virial : &s->sum;
    int64_t groups = kernel_groups(sum, target->n);
    TRY(LAUNCH(sum, groups, ARG_BUF(&source->x), ARG_BUF(&g->q),
               ARG_BUF(&g->start), ARG_I64(source->n), ARG_BUF(&target->x),
               ARG_BUF(&target->cell), ARG_BUF(&target->order),
               ARG_BUF(io->potential ? io->potential : none),
               ARG_BUF(io->field ? io->field : none),
               ARG_BUF(g->same ? &g->record : none), ARG_STRUCT(g->cells)));
    return near_gpu_total(g, io, groups);
}

const struct variant near_gpu_cells = {
    .fits = cells_fits,
    .cost = cells_cost,
    .bytes = cells_bytes,
    .create = cells_create,
    .set = cells_set,
    .run = cells_run,
    .destroy = cells_destroy,
    .deterministic = 1,
    .needs = "a device",
};
