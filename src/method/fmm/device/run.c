/* SPDX-License-Identifier: Apache-2.0 */
/* run.c: a sum by the fast multipole method on a device.  Asynchronous until
 * results go to a caller on the host.  With two queues, near pairs run
 * concurrently with the far field. */
#include <math.h>
#include <string.h>

#include "base/arrays.h"
#include "base/progress.h"
#include "method/fmm/device/ranks.h"
#include "method/fmm/device/run.h"
#include "method/spectral/device.h"
#include "points/device/sort_state.h"

struct fmm_units fmm_gpu_units(const struct task *task, const struct fmm *s,
                               const struct gpu_ends *e)
{
    const struct tree *t = &s->tree;
    double volume = s->input.volume;
    struct fmm_units u = {
        .coulomb = task_constant(task),
        .h = tree_h(t, t->dense ? t->depth : 0),
        .n = t->source.n,
        .targets = tree_targets(t)->n,
        .leaves = t->n_leaves,
        .roots = tree_boxes(t, 0),
        .rhs = e->rhs,
        .level = t->depth,
        .wide = task->problem.arrays != FARSUM_F32,
        .apart = t->separate,
        .potential = e->potential != NULL,
        .field = e->field != NULL,
        .energy = e->energy != NULL,
        .virial = e->virial != NULL,
        .beside = s->gpu->beside,
        .periodic = s->input.periodic,
        .sparse = !t->dense,
        .gathered = e->potential || e->field ? s->gpu->gathered : FMM_GIVEN,
    };
    u.exponent = task->units.constant - task->units.length;
    u.length = task->units.length;
    u.per = task_per(task);
    u.none = HUGE_VAL;
    u.first_q = e->rhs * u.n;
    u.first_out = e->rhs * u.targets;
    if (s->input.periodic) {
        u.front = 2 * M_PI / (3 * volume);
        if (task->problem.surface == FARSUM_VACUUM)
            u.surface = 2 * u.front;
    }
    memcpy(u.axis, s->axis, sizeof u.axis);
    for (int d = 0; d < 3; d++) {
        u.box[d] = t->box[d];
        u.root[d] = (int32_t)t->root[d];
    }
    return u;
}

/* Computes the sums over the strengths, then scales the strengths to their
 * unit. */
static farsum_status run_in(struct fmm *s, const struct fmm_units *u,
                            const struct gpu_ends *e)
{
    struct fmm_gpu *g = s->gpu;
    const struct tree_gpu_points *p = &s->tree.gpu->source;
    const struct spectral_units about = {.none = HUGE_VAL,
                                         .n = u->n,
                                         .first_q = u->first_q,
                                         .rhs = u->rhs,
                                         .wide = u->wide,
                                         .per = u->per};
    int64_t groups = fmm_groups(u->n, FMM_GROUP);
    TRY(LAUNCH(&g->strengths, groups, ARG_BUF(e->q), ARG_BUF(e->q),
               ARG_BUF(&g->known), ARG_STRUCT(about)));
    TRY(LAUNCH(&g->in, groups, ARG_BUF(e->q), ARG_BUF(e->q), ARG_BUF(&g->known),
               ARG_I64(groups), ARG_BUF(&g->fact), ARG_BUF(&p->order),
               ARG_BUF(fmm_gpu_leaf(s, 0)), ARG_BUF(fmm_gpu_places(s)),
               ARG_BUF(&p->x), ARG_BUF(&g->q), ARG_BUF(&g->record),
               ARG_STRUCT(about), ARG_STRUCT(*u)));
    if (!u->periodic)
        return FARSUM_OK;
    TRY(LAUNCH(&g->fold, 1, ARG_BUF(&g->record), ARG_BUF(&g->fact),
               ARG_I64(groups), ARG_I32(FMM_FACT_MOMENT), ARG_I32(5)));
    if (u->surface == 0)
        return FARSUM_OK;
    TRY(LAUNCH(&g->dipole, groups, ARG_BUF(e->q), ARG_BUF(e->q), ARG_BUF(&g->x),
               ARG_BUF(&g->x), ARG_BUF(&g->fact), ARG_BUF(&g->record),
               ARG_STRUCT(about)));
    return LAUNCH(&g->dipole_fold, 1, ARG_BUF(&g->record), ARG_BUF(&g->fact),
                  ARG_I64(groups), ARG_I32(FMM_FACT_DIPOLE), ARG_I32(3));
}

/* The records of the results, over ranks those of all. */
static const struct buf *run_records(const struct fmm_gpu *g, int64_t targets,
                                     int64_t *records)
{
    if (g->ranks)
        return fmm_gpu_ranks_records(g->ranks, records);
    *records = fmm_groups(targets, FMM_GROUP);
    return &g->record;
}

farsum_status fmm_gpu_totals(struct fmm_gpu *g, const struct fmm_units *u,
                             const struct buf *energy, const struct buf *virial)
{
    int64_t records;
    const struct buf *record = run_records(g, u->targets, &records);
    return LAUNCH(&g->totals, 1, ARG_BUF(record), ARG_BUF(&g->fact),
                  ARG_BUF(energy ? energy : record),
                  ARG_BUF(virial ? virial : record), ARG_I64(records),
                  ARG_STRUCT(*u));
}

farsum_status fmm_gpu_fold(const struct task *task, const struct fmm *s)
{
    const struct gpu_ends none = {0};
    if (!s->gpu->folds)
        return FARSUM_OK;
    s->gpu->folds = 0;
    const struct fmm_units units = fmm_gpu_units(task, s, &none);
    return fmm_gpu_totals(s->gpu, &units, NULL, NULL);
}

farsum_status fmm_gpu_range(const struct task *task, const struct fmm *s,
                            int64_t r)
{
    struct fmm_gpu *g = s->gpu;
    int64_t records;
    const struct buf *record =
        run_records(g, tree_targets(&s->tree)->n, &records);
    return LAUNCH(&g->range, 1, ARG_BUF(record), ARG_BUF(&g->fact),
                  ARG_I64(records), ARG_I32(task->problem.arrays != FARSUM_F32),
                  ARG_I64(r), ARG_F64(HUGE_VAL));
}

farsum_status fmm_gpu_range_last(const struct task *task, const struct fmm *s)
{
    struct fmm_gpu *g = s->gpu;
    if (!g->pending || g->ranged)
        return FARSUM_OK;
    g->ranged = 1;
    return fmm_gpu_range(task, s, g->rhs - 1);
}

/* Converts the results to the caller's units. */
static farsum_status run_out(struct fmm *s, const struct fmm_units *u,
                             const struct gpu_ends *e)
{
    struct fmm_gpu *g = s->gpu;
    const struct tree_gpu_points *p = tree_gpu_targets(&s->tree);
    const struct buf *none = &g->record; /* placeholder, neither read nor
                                            written */
    const struct buf *x = u->surface > 0 ? u->apart ? &g->y : &g->x : none;
    const struct buf *potential = e->potential ? e->potential : none;
    const struct buf *field = e->field ? e->field : none;
    const struct buf *together = &fmm_gpu_aims(s)->inside->packed;
    int64_t groups = fmm_groups(u->targets, FMM_GROUP);
    TRY(LAUNCH(&g->out, groups, ARG_BUF(&g->q), ARG_BUF(x), ARG_BUF(x),
               ARG_BUF(&g->fact), ARG_BUF(&p->order),
               ARG_BUF(fmm_gpu_leaf(s, 1)), ARG_BUF(fmm_gpu_places(s)),
               ARG_BUF(&p->x), ARG_BUF(&g->potential), ARG_BUF(&g->field),
               ARG_BUF(u->beside ? &g->near_potential : none),
               ARG_BUF(u->beside ? &g->near_field : none), ARG_BUF(potential),
               ARG_BUF(potential), ARG_BUF(field), ARG_BUF(field),
               ARG_BUF(u->gathered ? together : none), ARG_BUF(&g->record),
               ARG_STRUCT(*u)));
    if (u->gathered)
        TRY(LAUNCH(&g->give, kernel_groups(&g->give, u->targets),
                   ARG_BUF(together), ARG_BUF(&g->at), ARG_BUF(&g->fact),
                   ARG_BUF(potential), ARG_BUF(potential), ARG_BUF(field),
                   ARG_BUF(field), ARG_STRUCT(*u)));
    if (!u->energy && !u->virial) /* only finish reads the facts */
        return FARSUM_OK;
    return fmm_gpu_totals(g, u, e->energy, e->virial);
}

farsum_status fmm_gpu_stage(struct fmm *s, int r, const void *io)
{
    struct stopwatch *watch = &s->gpu->watch[r];
    TRY(stopwatch_start(watch));
    if (!s->choice[r].row)
        return stopwatch_stop(watch);
    TRY(s->choice[r].row->variant->run(s->states[r], io));
    return stopwatch_stop(watch);
}

farsum_status fmm_gpu_zero(const struct fmm_sum *sum)
{
    const struct boxes_io io = fmm_gpu_far_io(sum);
    int64_t real = array_size(sum->task->problem.precision);
    int64_t targets = sum->units.targets;
    if (!sum->units.beside)
        return FARSUM_OK;
    if (io.potential)
        TRY(buf_fill_part(io.potential, 0, 0, targets * real));
    if (io.field)
        TRY(buf_fill_part(io.field, 0, 0, 3 * targets * real));
    return FARSUM_OK;
}

static struct buf *run_wanted(int wanted, struct buf *buf)
{
    return wanted ? buf : NULL;
}

struct boxes_io fmm_gpu_far_io(const struct fmm_sum *sum)
{
    struct fmm *s = sum->s;
    struct fmm_gpu *g = s->gpu;
    const struct fmm_units *u = &sum->units;
    return (struct boxes_io){
        &s->tree,
        &g->q,
        &g->multipole,
        &g->local,
        s->stride,
        run_wanted(u->potential || u->energy, &g->potential),
        run_wanted(u->field || u->virial, &g->field),
        NULL};
}

struct p2p_io fmm_gpu_near_io(const struct fmm_sum *sum)
{
    struct fmm_gpu *g = sum->s->gpu;
    const struct fmm_units *u = &sum->units;
    return (struct p2p_io){
        &sum->s->tree, &g->q,
        run_wanted(u->potential || u->energy,
                   g->beside ? &g->near_potential : &g->potential),
        run_wanted(u->field || u->virial,
                   g->beside ? &g->near_field : &g->field),
        .fresh = 1};
}

/* Runs every stage except p2p. */
static farsum_status run_far(void *data)
{
    const struct fmm_sum *sum = data;
    const struct boxes_io io = fmm_gpu_far_io(sum);
    TRY(fmm_gpu_zero(sum));
    for (int r = FMM_P2M; r < FMM_STAGES; r++)
        TRY(fmm_gpu_stage(sum->s, r, &io));
    return FARSUM_OK;
}

/* Runs near pairs in the device's own queue, which they keep busy for long.
 * The far field's kernels have priority whenever one of them is ready. */
static farsum_status run_sum(struct fmm_sum *sum)
{
    struct fmm *s = sum->s;
    struct fmm_gpu *g = s->gpu;
    const struct p2p_io near = fmm_gpu_near_io(sum);
    TRY(stopwatch_start(&g->watch[FMM_ALL]));
    if (g->beside)
        TRY(second_stream_fork(&g->aside));
    TRY(fmm_gpu_stage(s, FMM_P2P, &near));
    TRY(fmm_gpu_exclude_run(s, &near));
    if (g->beside) {
        TRY(second_stream_run(&g->aside, run_far, sum));
        TRY(second_stream_join(&g->aside));
    } else {
        TRY(run_far(sum));
    }
    g->timed = 1;
    return stopwatch_stop(&g->watch[FMM_ALL]);
}

static farsum_status run_all(void *data)
{
    struct fmm_sum *sum = data;
    for (int r = 0; r < sum->rhs; r++) {
        struct gpu_ends e = *sum->ends;
        e.rhs = r;
        sum->units = fmm_gpu_units(sum->task, sum->s, &e);
        TRY(run_in(sum->s, &sum->units, &e));
        TRY(run_sum(sum));
        TRY(run_out(sum->s, &sum->units, &e));
        if (r + 1 < sum->rhs) /* the next right-hand side reuses the records */
            TRY(fmm_gpu_range(sum->task, sum->s, r));
    }
    return FARSUM_OK;
}

void fmm_gpu_begin(struct fmm_gpu *g, int rhs, const farsum_result *result)
{
    g->pending = 1;
    g->ranged = 0;
    g->folds = !result->energy && !result->virial;
    g->rhs = rhs;
    g->had_field = result->field || result->virial;
    g->had_potential = result->potential || result->energy;
}

farsum_status fmm_gpu_told(struct fmm_gpu *g)
{
    const double none = -1;
    TRY(buf_upload(&g->fact, 8 * FMM_FACT_RANGE, &none, sizeof none));
    return buf_upload(&g->fact, 8 * FMM_FACT_BAD, &none, sizeof none);
}

/* Caller on the host: transfers each right-hand side there and, if its results
 * are in range, back. */
static farsum_status run_host(const struct task *task, struct fmm *s,
                              const struct gpu_counts *counts, int r,
                              const void *q, const farsum_result *result)
{
    struct fmm_gpu *g = s->gpu;
    const struct gpu_ends e = gpu_ends(&g->given, result);
    struct fmm_sum one = {.task = task, .s = s, .ends = &e, .rhs = 1};
    double bad;
    TRY(gpu_arrays_upload(&g->given, counts, r, q));
    TRY(graph_run(&g->recording, g->device, run_all, &one));
    TRY(fmm_gpu_range(task, s, r));
    g->ranged = 1;
    TRY(buf_download(&g->fact, 8 * FMM_FACT_RANGE, &bad, sizeof bad));
    if (bad >= 0) {
        TRY(fmm_gpu_told(g));
        return gpu_ends_range(task, r);
    }
    return gpu_arrays_download(&g->given, counts, r, result);
}

/* Caller on the device: enqueues everything and returns. */
static farsum_status run_device(const struct task *task, struct fmm *s,
                                const struct gpu_counts *counts, int rhs,
                                const void *q, const farsum_result *result)
{
    struct gpu_arrays given;
    TRY(gpu_arrays_given(&given, task->device, counts, rhs, q, result));
    TRY(fmm_gpu_range_last(task, s));
    fmm_gpu_begin(s->gpu, rhs, result);
    const struct gpu_ends e = gpu_ends(&given, result);
    struct fmm_sum all = {.task = task, .s = s, .ends = &e, .rhs = rhs};
    return graph_run(&s->gpu->recording, task->device, run_all, &all);
}

farsum_status fmm_gpu_execute(struct task *task, struct fmm *s, int rhs,
                              const void *q, farsum_result *result)
{
    const struct gpu_counts counts =
        gpu_counts(task, s->tree.source.n, tree_targets(&s->tree)->n);
    if (s->gpu->ranks)
        return fmm_gpu_ranks_execute(task, s, rhs, q, result);
    TRY(fmm_gpu_exclude_ready(task, s));
    TRY(fmm_gpu_gather(s, rhs));
    if (task->problem.memory == FARSUM_DEVICE) {
        TRY(fmm_strict_given(task, s, rhs, 0, q));
        return run_device(task, s, &counts, rhs, q, result);
    }
    TRY(gpu_ends_host(task->device, result));
    for (int r = 0; r < rhs; r++) {
        s->gpu->pending = 0; /* a stopped sum has no facts */
        TRY(progress_step(r, rhs, "summing on %s", task->device->name));
        fmm_gpu_begin(s->gpu, rhs, result);
        TRY(fmm_strict_given(task, s, rhs, r, q));
        TRY(run_host(task, s, &counts, r, q, result));
        if (s->strict) /* each one's bound is checked */
            TRY(fmm_gpu_finish(task, s));
    }
    return fmm_gpu_finish(task, s);
}

/* Seconds of the stages in the last right-hand side, times the number of
 * right-hand sides. */
static void run_seconds(const struct task *task, const struct fmm *s)
{
    const struct fmm_gpu *g = s->gpu;
    double seconds[FMM_WATCHES] = {0};
    for (int r = 0; g->timed && r < FMM_WATCHES; r++) {
        /* a caller's queue may not support timing */
        struct stopwatch watch = g->watch[r];
        if (stopwatch_seconds(&watch, &seconds[r]) != FARSUM_OK)
            seconds[r] = 0;
        seconds[r] *= (double)g->rhs;
    }
    task->report->info.seconds_stages = seconds[FMM_ALL];
    fmm_seconds(task, s, seconds);
}

/* Fails for the strength with this number, over ranks a global one. */
static farsum_status run_bad(const struct fmm *s, int64_t number, int64_t r)
{
    const struct fmm_gpu_ranks *ranks = s->gpu->ranks;
    int rank = ranks ? fmm_gpu_ranks_giver(ranks, &number) : -1;
    farsum_status status =
        status_fail(FARSUM_ERR_STRENGTH,
                    "strength %lld of right-hand side %lld is not finite",
                    (long long)number, (long long)r);
    return rank >= 0 ? status_prefix(status, "rank %d", rank) : status;
}

farsum_status fmm_gpu_finish(struct task *task, struct fmm *s)
{
    struct fmm_gpu *g = s->gpu;
    double fact[FMM_FACTS];
    farsum_status status = device_finish(g->device);
    if (status == FARSUM_OK && g->ranks)
        fmm_gpu_ranks_settle(g->ranks);
    TRY(task_agree(task, status));
    if (!g->pending)
        return FARSUM_OK;
    KEEP_ON(fmm_gpu_range_last(task, s));
    g->pending = 0;
    KEEP_ON(fmm_gpu_fold(task, s));
    KEEP_ON(buf_download(&g->fact, 0, fact, sizeof fact));
    if (status == FARSUM_OK
        && (fact[FMM_FACT_BAD] >= 0 || fact[FMM_FACT_RANGE] >= 0))
        status = fmm_gpu_told(g);
    TRY(task_agree(task, status));
    /* over ranks these facts are the same on all */
    if (fact[FMM_FACT_BAD] >= 0)
        return run_bad(s, (int64_t)fact[FMM_FACT_BAD_AT],
                       (int64_t)fact[FMM_FACT_BAD]);
    if (fact[FMM_FACT_RANGE] >= 0)
        return gpu_ends_range(task, (int64_t)fact[FMM_FACT_RANGE]);
    const double unit[UNITS_PARTS] = {fact[FMM_FACT_UNIT]};
    units_strength(task, unit);
    run_seconds(task, s);
    double n = (double)s->all_n;
    double own = s->all_m > 0 ? fact[FMM_FACT_Q2] / n : 1;
    const struct fmm_norms norms = {
        .q = fact[FMM_FACT_Q],
        .q2 = fact[FMM_FACT_Q2],
        .force = g->had_field ? own * fact[FMM_FACT_FORCE] : -1,
        .potential = g->had_potential ? fact[FMM_FACT_PHI] : -1,
    };
    task->report->info.net_strength = norms.q;
    task->report->net_size = sqrt(n * norms.q2);
    return fmm_estimate_sum(task, s, &norms);
}

farsum_status fmm_gpu_gather(struct fmm *s, int rhs)
{
    struct fmm_gpu *g = s->gpu;
    const struct tree_gpu_points *p = tree_gpu_targets(&s->tree);
    int again = g->summed || rhs > 1;
    g->summed = 1;
    if (g->gathered != FMM_SCATTERED || !again)
        return FARSUM_OK;
    g->gathered = FMM_GATHERED;
    return LAUNCH(&g->at_kernel, kernel_groups(&g->at_kernel, p->n),
                  ARG_BUF(&p->order), ARG_BUF(&g->at), ARG_I64(p->n));
}
