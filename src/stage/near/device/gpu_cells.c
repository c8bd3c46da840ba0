/* SPDX-License-Identifier: Apache-2.0 */
/* gpu_cells: one thread per target loops over every cell within the cutoff,
 * with one to four cells per cutoff.  Simple; supports any kernel.  Points are
 * sorted stably and no sum is shared, so results repeat bitwise.
 *
 * In f32 coordinates are integers modulo 2^32 (docs/decisions/0007). */
#include "base/mem.h"
#include "stage/near/device/device.h"

enum { GROUP = 128 };

/* Fitted to times of an H200: 3000 to 1e6 uniform points with 30 to 400
 * neighbours, 1 to 4 cells per cutoff, charges and stokeslets in f32 and
 * f64. */
static double cells_seconds(const struct near_args *a, int cells)
{
    const double a_cutoff[3] = {cells, cells, cells};
    int f32 = a->precision == FARSUM_F32;
    double near = a->neighbours, runs = (2 * cells + 1) * (2 * cells + 1);
    double looked, summed;
    near_gpu_looks(a, a_cutoff, &looked, &summed);
    double work = 2750 + 287 * runs + (43 * looked + 2.3 * near_work(a)) * near;
    /* runs, then one source after another, however few targets there are */
    double steps = 360 + 17 * runs + (f32 ? 3.5 : 4.5) * (looked + 1) * near;
    return near_gpu_waiting(a, steps,
                            near_gpu_seconds(a, work, f32 ? 0.93 : 0.98));
}

static void cells_density(const struct near_args *args, double a_cutoff[3])
{
    for (int d = 0; d < 3; d++)
        a_cutoff[d] = near_gpu_best(args, cells_seconds);
}

static double cells_cost(const void *args)
{
    return cells_seconds(args, near_gpu_best(args, cells_seconds));
}

static void cells_says(const void *args, char *text, size_t size)
{
    near_gpu_says(near_gpu_best(args, cells_seconds), text, size);
}

static void cells_ops(const void *args, struct work *work)
{
    double a_cutoff[3];
    cells_density(args, a_cutoff);
    near_ops_pairs(args, near_gpu_ops(args, a_cutoff, work), work);
}

static int64_t cells_bytes(const void *args)
{
    const struct near_args *a = args;
    double a_cutoff[3];
    cells_density(a, a_cutoff);
    return near_gpu_bytes(a, a_cutoff, 0,
                          (a->n_sources + a->n_targets) / GROUP);
}

static farsum_status cells_create(const void *args, void **state)
{
    farsum_status status = FARSUM_OK;
    struct near_gpu *g = NULL;
    GO(MEM_NEW(g, 1));
    near_gpu_begin(g, args, "stage/near/device/gpu_cells.k", GROUP);
    GO(near_gpu_build(g, GROUP));
    GO(near_gpu_sums(g, "near_sum", GROUP));
    g->has_each = (g->args.outputs & FARSUM_PARTICLE_VIRIAL) != 0;
    if (g->has_each)
        GO(jit_kernel(&g->jit, "near_sum_each", GROUP, 0, &g->sum_each));
    *state = g;
    g = NULL;
done:
    near_gpu_destroy(g);
    return status;
}

static farsum_status cells_set(void *state, const struct points *sources,
                               const struct points *targets)
{
    struct near_gpu *g = state;
    double a_cutoff[3];
    cells_density(&g->args, a_cutoff);
    TRY(near_gpu_set(g, a_cutoff, 0, sources, targets));
    return near_gpu_records(g, kernel_groups(&g->sum, near_gpu_placed(g)->n));
}

static farsum_status cells_run(void *state, const void *data)
{
    struct near_gpu *g = state;
    const struct near_io *io = data;
    struct near_ends e;
    TRY(near_gpu_strengths(g, io, &e));
    if (io->each && (!g->has_each || !g->same))
        FAIL(ERR_INTERNAL, "near gpu_cells: particle_virial needs targets that "
                           "are the sources, and outputs that include it");
    if (io->each)
        TRY(LAUNCH(&g->sum_each, kernel_groups(&g->sum_each, e.target->n),
                   NEAR_SOURCES(g), ARG_BUF(&e.target->x),
                   ARG_BUF(&e.target->cell), ARG_BUF(e.q_target),
                   ARG_BUF(&e.target->sort->item),
                   ARG_BUF((const void *)io->each), ARG_STRUCT(g->cells)));
    if (g->cells.want == 0)
        return FARSUM_OK;
    const struct kernel *sum = io->virial ? &g->sum_virial : &g->sum;
    int64_t groups = kernel_groups(sum, e.target->n);
    TRY(LAUNCH(sum, groups, NEAR_SOURCES(g), ARG_BUF(&e.target->x),
               ARG_BUF(&e.target->cell), NEAR_RESULTS(g, &e)));
    return near_gpu_total(g, io, groups);
}

const struct variant near_gpu_cells = {
    .fits = near_gpu_fits,
    .cost = cells_cost,
    .bytes = cells_bytes,
    .create = cells_create,
    .set = cells_set,
    .run = cells_run,
    .destroy = near_gpu_destroy,
    .deterministic = 1,
    .needs = "a device",
    .work = cells_ops,
    .says = cells_says,
};
