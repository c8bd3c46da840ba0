/* SPDX-License-Identifier: Apache-2.0 */
/* device.c: kernels, memory and points of a spectral plan on a device. */
#include "method/spectral/device_ranks.h"

#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "base/arrays.h"
#include "method/open_axis/device.h"
#include "method/staging/device_coincident.h"
#include "points/device/ordering.h"
#include "points/device/sort_state.h"

enum { GROUP = 256 };

void spectral_gpu_destroy(struct spectral_gpu *g)
{
    if (!g)
        return;
    struct buf *all[] = {&g->mesh,       &g->q,           &g->potential,
                         &g->field,      &g->x,           &g->y,
                         &g->fact,       &g->record,      &g->energy_sum,
                         &g->virial_sum, &g->channel,     &g->near_potential,
                         &g->near_field, &g->near_energy, &g->near_virial};
    graph_clear(&g->recording);
    second_stream_clear(&g->aside);
    gpu_arrays_clear(&g->given);
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        buf_clear(all[i]);
    for (int w = 0; g->has_watches && w < GPU_WATCHES; w++)
        stopwatch_clear(&g->watch[w]);
    if (g->jit.device)
        jit_clear(&g->jit);
    if (g->flow_jit.device)
        jit_clear(&g->flow_jit);
    gpu_exclude_clear(&g->exclude);
    gpu_mixed_clear(&g->mixed);
    gpu_moments_clear(&g->moments);
    gpu_part_clear(&g->part);
    gpu_each_clear(&g->each);
    gpu_open_axis_destroy(g->open_axis);
    gpu_ranks_destroy(g->ranks);
    mem_free(g);
}

static farsum_status gpu_kernels(struct spectral_gpu *g)
{
    struct {
        const char *name;
        struct kernel *kernel;
    } all[] = {
        {"spectral_strengths", &g->strengths},
        {"spectral_in", &g->in},
        {"spectral_dipole", &g->dipole},
        {"spectral_fold", &g->fold},
        {"spectral_out", &g->out},
        {"spectral_totals", &g->totals},
        {"spectral_range", &g->range},
        {"spectral_coincident", &g->coincident},
        {"spectral_coincident_end", &g->coincident_end},
    };
    TRY(jit_build(&g->jit));
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        TRY(jit_kernel(&g->jit, all[i].name, GROUP, 0, all[i].kernel));
    return FARSUM_OK;
}

static farsum_status gpu_memory(struct spectral_gpu *g,
                                const struct parameters *t,
                                const struct task *task)
{
    int64_t channel =
        parameters_channel(t, g->device) * array_size(task->problem.precision);
    double fact[FACTS] = {0};
    fact[FACT_BAD] = fact[FACT_TWIN] = fact[FACT_RANGE] = -1;
    fact[FACT_UNIT] = fact[FACT_UNIT_2] = 1;
    if (!task->comm) { /* else a rank has its part */
        TRY(buf_alloc(&g->mesh, g->device, task->pair.channels * channel));
        TRY(buf_fill(&g->mesh, 0));
    }
    TRY(buf_alloc(&g->fact, g->device, sizeof fact));
    TRY(buf_upload(&g->fact, 0, fact, sizeof fact));
    TRY(buf_alloc(&g->record, g->device, 8 * SUM_RECORD * SUM_RECORDS));
    TRY(buf_alloc(&g->energy_sum, g->device, 8));
    TRY(buf_alloc(&g->virial_sum, g->device, 72));
    if (g->beside) {
        TRY(buf_alloc(&g->near_energy, g->device, 8));
        TRY(buf_alloc(&g->near_virial, g->device, 72));
    }
    return FARSUM_OK;
}

/* Creates the stopwatches of a sum over ranks, whose stages wait for
 * exchanges. */
static farsum_status gpu_watches_over(struct spectral_gpu *g)
{
    g->has_watches = 1;
    for (int w = 0; w < GPU_WATCHES; w++)
        TRY(stopwatch_create(&g->watch[w], g->device));
    return FARSUM_OK;
}

/* Creates the stopwatches.  Each starts at the end of the previous one in its
 * queue. */
static farsum_status gpu_watches(struct spectral_gpu *g)
{
    struct stopwatch *w = g->watch;
    g->has_watches = 1;
    TRY(stopwatch_create(&w[GPU_ALL], g->device));
    void *begin = w[GPU_ALL].from;
    TRY(stopwatch_create_from(&w[STAGE_NEAR], g->device, begin));
    void *from = g->beside ? begin : w[STAGE_NEAR].to;
    const int mesh[] = {STAGE_SPREAD, STAGE_FFT, STAGE_SCALE, GPU_BACK,
                        STAGE_INTERP};
    for (size_t i = 0; i < sizeof mesh / sizeof *mesh; i++) {
        TRY(stopwatch_create_from(&w[mesh[i]], g->device, from));
        from = w[mesh[i]].to;
    }
    return FARSUM_OK;
}

farsum_status spectral_gpu_create(const struct task *task, struct spectral *s)
{
    struct spectral_gpu *g = NULL;
    TRY(MEM_NEW(g, 1));
    s->gpu = g;
    g->device = task->device;
    jit_begin(&g->jit, g->device, "method/spectral/device.k",
              task->problem.precision);
    jit_define(&g->jit, "GROUP", "%d", GROUP);
    jit_define(&g->jit, "MOMENTS", "%d", task->pair.kind->moments);
    TRY(gpu_kernels(g));
    if (!task->pair.kind->gradient)
        TRY(gpu_flow_create(task, g));
    if (task->pair.kind->moments)
        TRY(gpu_moments_create(g, task->problem.precision));
    if (task_is_mixed(task))
        TRY(gpu_mixed_create(g));
    if (task_axes(task) == 2)
        TRY(gpu_open_axis_create(g, task->problem.precision));
    TRY(gpu_each_create(task, s));
    if (parameters_beside(task))
        TRY(second_stream_create(&g->aside, g->device));
    g->beside = parameters_beside(task) && !task->comm;
    TRY(gpu_memory(g, &s->parameters, task));
    TRY(task->comm ? gpu_watches_over(g) : gpu_watches(g));
    TRY(points_gpu_create(g->device, &s->source.gpu));
    TRY(points_gpu_ahead(s->source.gpu, task->problem.n_sources));
    if (task->problem.n_targets == 0)
        return FARSUM_OK;
    TRY(points_gpu_create(g->device, &s->target.gpu));
    return points_gpu_ahead(s->target.gpu, task->problem.n_targets);
}

farsum_status gpu_place(const struct task *task, struct spectral *s,
                        struct points *points, struct buf *kept, int64_t n,
                        const void *x, const char *what)
{
    struct spectral_gpu *g = s->gpu;
    farsum_precision type = task->problem.arrays;
    int64_t bytes = 3 * n * array_size(type);
    struct cell cell;
    struct buf given = {0};
    cell_scale(&cell, &s->parameters.cell, s->parameters.rc);
    cell.unit = task_per(task);
    points->n = 0;
    if (task->problem.memory == FARSUM_HOST) {
        TRY(buf_given_host(g->device, x, bytes, what));
        TRY(points_gpu_set(points->gpu, &cell, n, x, type, what));
        if (kept) {
            TRY(buf_reserve(kept, g->device, bytes));
            TRY(buf_upload(kept, 0, x, bytes));
        }
    } else {
        TRY(buf_given(&given, g->device, x, bytes, what));
        TRY(points_gpu_set_device(points->gpu, &cell, n, &given, type, what));
        if (kept) {
            TRY(buf_reserve(kept, g->device, bytes));
            TRY(buf_copy(kept, 0, &given, 0, bytes));
        }
    }
    points->n = n;
    return FARSUM_OK;
}

farsum_status gpu_reserve(const struct task *task, struct spectral_gpu *g,
                          int64_t n, int64_t m)
{
    int64_t real = array_size(task->problem.precision);
    unsigned outputs = task->problem.outputs;
    const struct pair *pair = &task->pair;
    const int moments = pair->kind->moments;
    /* which contains the field */
    if ((moments || g->open_axis) && outputs & FARSUM_VIRIAL)
        outputs |= FARSUM_FIELD;
    TRY(buf_reserve(&g->q, g->device, n * pair->strengths * real));
    if (pair->kind->apart || moments)
        TRY(buf_reserve(&g->channel, g->device,
                        n * (moments ? pair->strengths : pair->channels)
                            * real));
    if (moments)
        TRY(gpu_moments_reserve(task, g, m));
    if (outputs & (FARSUM_POTENTIAL | FARSUM_VELOCITY))
        TRY(buf_reserve(&g->potential, g->device, m * pair->values * real));
    if (outputs & FARSUM_FIELD)
        TRY(buf_reserve(&g->field, g->device, 3 * m * real));
    if (g->beside && (outputs & (FARSUM_POTENTIAL | FARSUM_VELOCITY)))
        TRY(buf_reserve(&g->near_potential, g->device,
                        m * pair->values * real));
    if (g->beside && (outputs & FARSUM_FIELD))
        TRY(buf_reserve(&g->near_field, g->device, 3 * m * real));
    if (task_is_mixed(task))
        TRY(gpu_mixed_reserve(task, g, n));
    return gpu_arrays_reserve(&g->given, task, n, m);
}

/* Tiles for the search of coincident sources: about the cell's shape. */
static void coincident_tiles(const struct spectral *s, int64_t n, int32_t nb[3])
{
    double most = 16 * (double)n + 4096, all = INFINITY;
    for (double part = 1; all > most; part *= 0.9) {
        all = 1;
        for (int d = 0; d < 3; d++) {
            nb[d] = (int32_t)fmin(fmax(part * s->parameters.cell.height[d], 1),
                                  1000);
            all *= nb[d];
        }
    }
}

farsum_status gpu_coincident(struct spectral *s)
{
    farsum_status status = FARSUM_OK;
    struct spectral_gpu *g = s->gpu;
    struct points_gpu *points = s->source.gpu;
    struct gpu_ordering *held = NULL;
    const struct gpu_ordering *sort = gpu_ordering_current(points, 0);
    struct gpu_tile_args tiles;
    int64_t n_bins = 0;
    if (!sort) {
        int32_t nb[3];
        coincident_tiles(s, points->n, nb);
        GO(gpu_ordering_sort(points, nb, 0, &held));
        sort = held;
    }
    GO(gpu_tiles(sort->nb, sort->n, &tiles, &n_bins));
    int64_t groups = gpu_records(&g->coincident, sort->n);
    GO(LAUNCH(&g->coincident, groups, ARG_BUF(&sort->s), ARG_BUF(&sort->item),
              ARG_BUF(&sort->start), ARG_BUF(&g->record), ARG_STRUCT(tiles),
              ARG_F64(HUGE_VAL)));
    GO(LAUNCH(&g->coincident_end, 1, ARG_BUF(&g->record), ARG_BUF(&g->fact),
              ARG_I64(groups), ARG_F64(HUGE_VAL)));
    g->coincident_asked = 1;
done:
    gpu_ordering_release(&held);
    return status;
}

farsum_status spectral_gpu_set_points(struct task *task, struct spectral *s,
                                      int64_t n, const void *x, int64_t m,
                                      const void *y)
{
    struct spectral_gpu *g = s->gpu;
    int kept = spectral_unwraps(task);
    const struct points *targets = m > 0 ? &s->target : &s->source;
    TRY(gpu_range_last(task, s));
    g->summed = g->coincident_asked = 0;
    TRY(gpu_place(task, s, &s->source, kept ? &g->x : NULL, n, x, "source"));
    if (m > 0)
        TRY(gpu_place(task, s, &s->target, kept ? &g->y : NULL, m, y,
                      "target"));
    TRY(gpu_reserve(task, g, n, m > 0 ? m : n));
    if (g->open_axis)
        TRY(gpu_open_axis_set_points(task, s, n, m));
    for (int r = 0; r < STAGE_COUNT; r++) {
        const struct variant *v = s->parameters.choice[r].row->variant;
        const struct points *a = r == STAGE_INTERP ? targets : &s->source;
        if (v->set && s->states[r]) /* a part lacks some stages */
            TRY(v->set(s->states[r], a, targets));
        /* the cells of the near variant are the smallest */
        if (r == STAGE_NEAR && s->states[r] && !task->problem.exclude_coincident
            && !s->lists.distinct)
            TRY(gpu_coincident(s));
    }
    TRY(gpu_each_set(task, s, n));
    if (task->problem.memory == FARSUM_HOST)
        TRY(spectral_gpu_distinct(task, s));
    s->n = g->n = n;
    s->m = m;
    g->targets = m > 0 ? m : n;
    return FARSUM_OK;
}
