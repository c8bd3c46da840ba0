/* SPDX-License-Identifier: Apache-2.0 */
/* gpu_pairs: one warp per few targets.  Sources are tested in f32, and those
 * within a target's cutoff are queued before their pairs are summed, so that no
 * thread sums in vain.  Our algorithm.  Level with gpu_cells from a thousand
 * neighbours in f64 and slower below, where the tests cost what the queue
 * saves.  Sums run in a fixed order. */
#include "base/mem.h"
#include "stage/near/device/columns.h"

enum { GROUP = 128, TARGETS = 2 };

static const double own[3] = {2, 2, 4}; /* cells per cutoff */

struct state {
    struct near_gpu near;
    struct kernel pairs;
    struct near_columns columns;
};

/* Fitted as in gpu_cells: the columns of a target, and the cost of a neighbour
 * including the sources tested in vain.  With NVIDIA's OpenCL 50 ms instead of
 * 20. */
static double pairs_cost(const void *args)
{
    const struct near_args *a = args;
    int f32 = a->precision == FARSUM_F32;
    double work = (90 + near_work(a)) * a->neighbours + (f32 ? 110000 : 88000);
    /* of 1029 charges, whose columns are searched one after another */
    double steps = (f32 ? 1100 : 1430) + 0.35 * a->neighbours;
    double seconds = near_gpu_seconds(a, work, f32 ? 0.7 : 0.88);
    return near_gpu_alone(a, 2.5) * near_gpu_waiting(a, steps, seconds);
}

/* Threads for n targets. */
static int64_t pairs_threads(const struct near_args *args, int64_t n)
{
    int64_t lanes = args->device->properties.subgroup;
    return (n + TARGETS - 1) / TARGETS * (lanes > 1 ? lanes : 1);
}

static int64_t pairs_bytes(const void *args)
{
    const struct near_args *a = args;
    double a_cutoff[3];
    near_gpu_density(a, own, a_cutoff);
    return near_gpu_bytes(
        a, a_cutoff, 1, pairs_threads(a, a->n_sources + a->n_targets) / GROUP);
}

static farsum_status pairs_create(const void *args, void **state)
{
    farsum_status status = FARSUM_OK;
    struct state *s = NULL;
    GO(MEM_NEW(s, 1));
    near_gpu_begin(&s->near, args, "stage/near/device/gpu_pairs.k", GROUP);
    jit_define(&s->near.jit, "TARGETS", "%d", TARGETS);
    GO(near_gpu_build(&s->near, GROUP));
    GO(jit_kernel(&s->near.jit, "near_pairs", GROUP, 0, &s->pairs));
    *state = s;
    s = NULL;
done:
    near_gpu_destroy(s);
    return status;
}

static farsum_status pairs_set(void *state, const struct points *sources,
                               const struct points *targets)
{
    struct state *s = state;
    double a_cutoff[3];
    near_gpu_density(&s->near.args, own, a_cutoff);
    TRY(near_gpu_set(&s->near, a_cutoff, 1, sources, targets));
    s->near.ready = 0;
    TRY(near_columns_set(&s->columns, &s->near, "gpu_pairs"));
    int64_t threads =
        pairs_threads(&s->near.args, near_gpu_placed(&s->near)->n);
    TRY(near_gpu_records(&s->near, kernel_groups(&s->pairs, threads)));
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
