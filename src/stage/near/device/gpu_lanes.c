/* SPDX-License-Identifier: Apache-2.0 */
/* gpu_lanes: 8 to 32 threads of a warp per target.  The sources of the columns
 * that the target's ball touches are listed and divided among the threads; each
 * source is one record.  Our algorithm (docs/decisions/0036).  Wins where
 * targets are few for the device, or neighbours too few for a cluster of
 * targets to share their search.  Sums run in a fixed order. */
#include <math.h>

#include "base/mem.h"
#include "cost/expected_rates.h"
#include "stage/near/device/columns.h"

enum { LEAST = 8, MOST = 32, IN_STEP = 128, ALONE = 8 };

struct state {
    struct near_gpu near;
    struct near_side side;
    struct kernel lanes;
    struct near_ball shape;
};

/* Threads of a warp; 1: no warps are known. */
static int lanes_step(const struct near_args *args)
{
    int step = args->device->properties.subgroup;
    return step > 1 ? step : 1;
}

static int lanes_group(const struct near_args *args)
{
    return lanes_step(args) > 1 ? IN_STEP : ALONE;
}

/* Threads per target: more where the minimum would not fill the device. */
static int lanes_share(const struct near_args *args)
{
    return near_gpu_share(args, LEAST, MOST);
}

static farsum_status lanes_fits(const void *args)
{
    return near_gpu_sources_fit(args);
}

/* Entries of a target's list. */
static int lanes_list(const struct near_args *args)
{
    return lanes_share(args) == 1 ? 32 : 64;
}

/* Fitted to times of an H200, to 5 percent: 3000 to 1e6 uniform points with 30
 * to 400 neighbours, 1 to 4 cells per cutoff, charges and stokeslets in f32 and
 * f64.  The terms are columns; pairs; lists, which few threads write where a
 * column's part is long; and sequential steps, which do not depend on the
 * number of targets. */
static double lanes_seconds(const struct near_args *a, int cells)
{
    double near = a->neighbours, runs = (2 * cells + 1) * (2 * cells + 1);
    /* cells that a ball touches, over its volume: the ball around every point
     * of one */
    double e = 1.0 / cells, z = e / 2, ball = 4 * M_PI / 3;
    double listed =
        1 + (e * e * z + 2 * (e * e + 2 * e * z) + M_PI * (2 * e + z)) / ball;
    double work = 3400 + 162 * runs + 1.55 * near_work(a) * near * listed
                  + 0.6 * e * e * near * near;
    double steps = 150 + 0.7 * runs + 9.8 * listed * near / lanes_share(a);
    int f32 = a->precision == FARSUM_F32;
    double seconds = near_gpu_busy(a, work, f32 ? 0.6 : 0.9)
                     + steps * gpu_rates(a->device, a->precision).wait;
    /* without warps a thread lists for itself: with PoCL on two cores twice
     * gpu_cells */
    double alone = fmax(near_gpu_alone(a, f32 ? 5 : 4), 2);
    return (lanes_step(a) > 1 ? 1 : alone) * seconds;
}

/* Cells per cutoff, twice as many along columns. */
static void lanes_density(const struct near_args *args, double a_cutoff[3])
{
    a_cutoff[0] = a_cutoff[1] = near_gpu_best(args, lanes_seconds);
    a_cutoff[2] = 2 * a_cutoff[0];
}

/* If more threads than the minimum share a target, the near field should be
 * hidden behind the mesh.  A cutoff that only finer cells make worthwhile does
 * not allow that.  So it is charged as with cells of half a cutoff
 * (docs/decisions/0042). */
static double lanes_cost(const void *args)
{
    const struct near_args *a = args;
    int few = !a->cells && lanes_share(a) > LEAST;
    return lanes_seconds(a, few ? 2 : near_gpu_best(a, lanes_seconds));
}

static void lanes_says(const void *args, char *text, size_t size)
{
    near_gpu_says(near_gpu_best(args, lanes_seconds), text, size);
}

static int64_t lanes_bytes(const void *args)
{
    const struct near_args *a = args;
    double a_cutoff[3];
    lanes_density(a, a_cutoff);
    int64_t threads = (a->n_sources + a->n_targets) * lanes_share(a);
    return near_gpu_bytes(a, a_cutoff, 1, threads / lanes_group(a) + 1)
           + a->n_sources * near_side_bytes(a);
}

static void lanes_destroy(void *state)
{
    struct state *s = state;
    if (!s)
        return;
    buf_clear(&s->side.at);
    near_gpu_destroy(s);
}

static farsum_status lanes_create(const void *args, void **state)
{
    farsum_status status = FARSUM_OK;
    const struct near_args *a = args;
    struct state *s = NULL;
    int group = lanes_group(a);
    GO(MEM_NEW(s, 1));
    near_gpu_begin(&s->near, a, "stage/near/device/gpu_lanes.k", group);
    jit_define(&s->near.jit, "LANES", "%d", lanes_share(a));
    jit_define(&s->near.jit, "LIST", "%d", lanes_list(a));
    GO(near_gpu_build(&s->near, group));
    GO(near_side_create(&s->side, &s->near, group));
    GO(jit_kernel(&s->near.jit, "near_lanes", group, 0, &s->lanes));
    *state = s;
    s = NULL;
done:
    lanes_destroy(s);
    return status;
}

/* Thread blocks for n targets. */
static int64_t lanes_groups(const struct state *s, int64_t n)
{
    return kernel_groups(&s->lanes, n * lanes_share(&s->near.args));
}

static farsum_status lanes_set(void *state, const struct points *sources,
                               const struct points *targets)
{
    struct state *s = state;
    struct near_gpu *g = &s->near;
    double a_cutoff[3];
    lanes_density(&g->args, a_cutoff);
    TRY(near_gpu_set(g, a_cutoff, 1, sources, targets));
    g->ready = 0;
    TRY(near_ball_set(&s->shape, g, "gpu_lanes"));
    TRY(near_side_set(&s->side, g));
    TRY(near_gpu_records(g, lanes_groups(s, near_gpu_placed(g)->n)));
    g->ready = 1;
    return FARSUM_OK;
}

static farsum_status lanes_run(void *state, const void *data)
{
    struct state *s = state;
    struct near_gpu *g = &s->near;
    const struct near_io *io = data;
    struct near_ends e;
    TRY(near_side_run(&s->side, g, io, &e));
    int64_t groups = lanes_groups(s, e.target->n);
    TRY(LAUNCH(&s->lanes, groups, ARG_BUF(&s->side.at),
               ARG_BUF(&g->source.sort->start), ARG_BUF(&e.target->x),
               ARG_BUF(&e.target->more), ARG_BUF(&e.target->cell),
               NEAR_RESULTS(g, &e), ARG_STRUCT(s->shape)));
    return near_gpu_total(g, io, groups);
}

const struct variant near_gpu_lanes = {
    .fits = lanes_fits,
    .cost = lanes_cost,
    .bytes = lanes_bytes,
    .create = lanes_create,
    .set = lanes_set,
    .run = lanes_run,
    .destroy = lanes_destroy,
    .deterministic = 1,
    .needs = "a device",
    .says = lanes_says,
};
