/* SPDX-License-Identifier: Apache-2.0 */
/* team.c: common host code of the variants with teams; see gm_1d.c.
 *
 * The paper's cells are padded lists of points in any order.  Here points are
 * sorted by cells, so that no thread meets padding and sums repeat. */
#include "stage/near/papers/team.h"

#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "points/device/set.h"
#include "stage/device.h"

enum {
    GROUP_MOST = 1024,
    DECLARED_MOST = 49152, /* bytes of shared memory that can be declared
                              statically */
    /* Operations of one evaluation on an H200 in f64, from the paper; a
     * multiply-add counts as two. */
    ERFC = 267,
    EXP = 51,
    RSQRT = 30,
    REST = 40,
};

static const double own[3] = {1, 1, 1}; /* cells per cutoff, as in the paper */
/* The kernels that math/pair_erfc.kh supports. */
static const char *const kernels[] = {"laplace", "stokeslet", "rotlet",
                                      "stresslet"};

struct state {
    struct near_gpu near;
    int64_t n_cells;
};

static void team_shape(const struct near_args *args,
                       const struct team_kind *kind, int team[2])
{
    for (int d = 0; d < 2; d++)
        team[d] = args->team[d] != 0 ? args->team[d] : kind->team[d];
}

static farsum_status team_shape_fits(const struct near_args *args,
                                     const struct team_kind *kind)
{
    const struct device_properties *properties = &args->device->properties;
    int most =
        properties->group_max < GROUP_MOST ? properties->group_max : GROUP_MOST;
    int team[2];
    team_shape(args, kind, team);
    for (int d = 0; d < 2; d++)
        if (team[d] < 1 || team[d] > most || (team[d] & (team[d] - 1)) != 0)
            FAIL(ERR_UNSUPPORTED,
                 "%s: near_team is %d x %d; use powers of two up to %d, or 0 "
                 "for the variant's choice",
                 kind->row, team[0], team[1], most);
    if (team[0] > most / team[1])
        FAIL(ERR_UNSUPPORTED,
             "%s: near_team is %d x %d threads; %s has thread blocks of at "
             "most %d",
             kind->row, team[0], team[1], args->device->name, most);
    if (team[1] > 1 && !kind->over_two)
        FAIL(ERR_UNSUPPORTED, "%s: %d threads per target; this variant has one",
             kind->row, team[1]);
    int64_t real = gpu_real(args->precision);
    int64_t held = kind->held * (3 + near_kernel(args)->strengths) * real;
    int64_t bytes = (held + (args->wide ? 8 : real) + 8) * team[0] * team[1];
    if (bytes > DECLARED_MOST)
        FAIL(ERR_UNSUPPORTED,
             "%s: near_team %d x %d needs %lld bytes of shared memory; %d "
             "can be declared",
             kind->row, team[0], team[1], (long long)bytes, DECLARED_MOST);
    return gpu_local_fits(args->device, bytes);
}

farsum_status team_fits(const struct near_args *args,
                        const struct team_kind *kind)
{
    const char *name = near_kernel(args)->name;
    size_t k = 0, n = sizeof kernels / sizeof *kernels;
    TRY(near_gpu_teams_fit(args));
    if (!args->split || strcmp(split_name(args->split), "gaussian") != 0)
        FAIL(ERR_UNSUPPORTED,
             "%s supports only the Gaussian split, as it evaluates erfc; not "
             "%s",
             kind->row,
             args->split ? split_name(args->split) : "an unknown split");
    if (args->soft > 0)
        FAIL(ERR_UNSUPPORTED, "%s does not soften", kind->row);
    while (k < n && strcmp(kernels[k], name) != 0)
        k++;
    if (k == n)
        FAIL(ERR_UNSUPPORTED, "%s has no closed form for kernel %s", kind->row,
             name);
    return team_shape_fits(args, kind);
}

/* The 27 cells hold 6.4 times the neighbours.  About 0.7 of them are within the
 * cutoff of some thread of the warp and are evaluated, at 0.7 of the peak as
 * the paper reports.  The cost is doubled as long as it is not fitted to our
 * times, so that variants without erfc are selected in doubt. */
double team_cost(const struct near_args *args)
{
    double looked = 6.4 * args->neighbours;
    double evaluated = 0.5 * (ERFC + EXP + RSQRT + REST)
                       * (args->outputs & FARSUM_FIELD ? 2 : 1);
    double work = looked * (10 + 0.7 * evaluated);
    return near_gpu_seconds(args, 2 * work, 0.7);
}

void team_ops(const void *data, struct work *work)
{
    const struct near_args *args = data;
    double a_cutoff[3];
    near_gpu_density(args, own, a_cutoff);
    double pairs = near_gpu_ops(args, a_cutoff, work);
    count_calls(&work->count, COUNT_RSQRT, pairs);
    count_closed(near_kernel(args)->name, near_wants_value(args),
                 near_wants_field(args), pairs, &work->count);
    near_ops_field(args, pairs, work);
}

int64_t team_bytes(const void *data)
{
    const struct near_args *args = data;
    double a_cutoff[3];
    near_gpu_density(args, own, a_cutoff);
    double cells = 1; /* near_gpu_set makes fewer cells where these are many */
    for (int d = 0; d < 3; d++)
        cells *= fmax(a_cutoff[d] * args->cell->height[d], 1);
    int64_t records =
        (int64_t)fmin(cells, 16.0 * (double)args->n_sources + 4096);
    return near_gpu_bytes(args, a_cutoff, 0, records)
           + (args->n_targets ? 4 * records : 0);
}

void team_destroy(void *state)
{
    struct state *s = state;
    if (s)
    near_gpu_destroy(s);
}

farsum_status team_create(const struct near_args *args,
                          const struct team_kind *kind, void **state)
{
    farsum_status status = FARSUM_OK;
    struct state *s = NULL;
    int team[2];
    GO(MEM_NEW(s, 1));
    team_shape(args, kind, team);
    int group = team[0] * team[1];
    struct jit *jit = &s->near.jit;
    near_gpu_begin(&s->near, args, "stage/near/papers/team.k", group);
    jit_define(jit, "TEAM_X", "%d", team[0]);
    jit_define(jit, "TEAM_Y", "%d", team[1]);
    jit_define(jit, "HELD", "%d", kind->held);
    jit_define_table(jit, "XI", &args->split->xi, 1);
    GO(near_gpu_build(&s->near, group));
    GO(near_gpu_sums(&s->near, "team_sum", group));
    *state = s;
    s = NULL;
done:
    team_destroy(s);
    return status;
}

farsum_status team_set(void *state, const struct points *sources,
                       const struct points *targets)
{
    struct state *s = state;
    struct near_gpu *g = &s->near;
    double a_cutoff[3];
    near_gpu_density(&g->args, own, a_cutoff);
    TRY(near_gpu_set(g, a_cutoff, 0, sources, targets));
    s->n_cells = (int64_t)g->cells.nb[0] * g->cells.nb[1] * g->cells.nb[2];
    return near_gpu_records(g, s->n_cells);
}

farsum_status team_run(void *state, const void *data)
{
    struct state *s = state;
    struct near_gpu *g = &s->near;
    const struct near_io *io = data;
    struct near_ends e;
    TRY(near_gpu_strengths(g, io, &e));
    TRY(LAUNCH(io->virial ? &g->sum_virial : &g->sum, s->n_cells,
               NEAR_SOURCES(g), ARG_BUF(&e.target->x),
               ARG_BUF(&e.target->sort->start), NEAR_RESULTS(g, &e)));
    return near_gpu_total(g, io, s->n_cells);
}
