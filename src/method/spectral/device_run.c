/* SPDX-License-Identifier: Apache-2.0 */
/* device_run.c: a sum of a spectral plan on a device.  Asynchronous until
 * results go to a caller on the host. */
#include <math.h>

#include "base/progress.h"
#include "method/open_axis/device.h"
#include "method/open_axis/inside.h"
#include "method/spectral/device_ranks.h"
#include "method/staging/device_coincident.h"
#include "points/device/set.h"
#include "ranks/asked.h"

_Static_assert(sizeof(struct spectral_units) == 152, "as the kernels have it");

void gpu_units_set(const struct task *task, struct spectral_units *u)
{
    const struct units *units = &task->units;
    u->exponent = units->constant - task->pair.kind->power * units->length;
    u->length = units->length;
    u->per = task_per(task);
}

static struct spectral_units run_units(const struct task *task,
                                       const struct spectral *s,
                                       const struct gpu_ends *e)
{
    double rc = s->parameters.rc,
           volume = s->parameters.cell.volume * rc * rc * rc;
    int vacuum = task->problem.surface == FARSUM_VACUUM;
    /* the virial of dipoles and of slabs contains the field */
    int field = ((task->pair.kind->moments || s->open_axis) && e->virial)
                || (task->pair.kind->moments && e->particle_virial);
    static const double dipole[PAIR_STRENGTHS] = {0, 1};
    struct spectral_units u = {
        /* the kernels divide by one cutoff */
        .coulomb =
            task_constant(task) * pow(rc, 1 - s->parameters.pair.kind->power),
        .cutoff = rc,
        .background = spectral_background(s, 1),
        .surface = vacuum ? 4 * M_PI / (3 * volume) : 0,
        .none = HUGE_VAL,
        .n = s->gpu->n,
        .targets = s->gpu->targets,
        .first_q = e->first_q,
        .first_out = e->first_out,
        .rhs = e->rhs,
        .wide = task->problem.arrays != FARSUM_F32,
        .apart = spectral_apart(s),
        .potential = e->potential != NULL,
        .field = e->field || field,
        .gradient = e->gradient != NULL,
        .each = e->particle_virial != NULL,
        .dipole = pair_square(&task->pair, dipole),
        .energy = e->energy || (s->open_axis && e->virial),
        .virial = e->virial != NULL,
        .beside = s->gpu->beside,
        .number = s->gpu->ranks ? s->gpu->ranks->route.first : 0,
    };
    gpu_units_set(task, &u);
    return u;
}

/* Computes sums over the strengths, scales the strengths to their unit, and
 * zeroes arrays to which results are added. */
static farsum_status run_in(const struct task *task, const struct spectral *s,
                            const struct spectral_units *u,
                            const struct gpu_ends *e)
{
    farsum_status status = FARSUM_OK;
    struct spectral_gpu *g = s->gpu;
    const struct buf *none = &g->record; /* placeholder, if no array is
                                            requested */
    int64_t groups = gpu_given_records(g, &g->strengths, u->n);
    int64_t all = gpu_all_records(g, groups);
    KEEP_ON(LAUNCH(&g->strengths, groups, ARG_BUF(e->q), ARG_BUF(e->q),
                   ARG_BUF(&g->record), ARG_STRUCT(*u)));
    KEEP_ON(gpu_records_gather(g, task, groups));
    KEEP_ON(LAUNCH(
        &g->in, gpu_records(&g->in, u->n > u->targets ? u->n : u->targets),
        ARG_BUF(e->q), ARG_BUF(e->q), ARG_BUF(gpu_all_record(g)), ARG_I64(all),
        ARG_BUF(&g->fact), ARG_BUF(&g->q),
        ARG_BUF(u->potential ? &g->potential : none),
        ARG_BUF(u->field ? &g->field : none),
        ARG_BUF(u->beside && u->potential ? &g->near_potential : none),
        ARG_BUF(u->beside && u->field ? &g->near_field : none),
        ARG_BUF(&g->energy_sum), ARG_BUF(&g->virial_sum),
        ARG_BUF(u->beside ? &g->near_energy : none),
        ARG_BUF(u->beside ? &g->near_virial : none), ARG_STRUCT(*u)));
    const struct gpu_moments_arrays arrays = gpu_moments_arrays(g);
    if (task->pair.kind->moments && !g->ranks) /* else the owner does */
        KEEP_ON(gpu_moments_in(s, g, u, &arrays));
    if (u->surface == 0)
        return status;
    KEEP_ON(LAUNCH(&g->dipole, groups, ARG_BUF(e->q), ARG_BUF(e->q),
                   ARG_BUF(&g->x), ARG_BUF(&g->x), ARG_BUF(&g->fact),
                   ARG_BUF(&g->record), ARG_STRUCT(*u)));
    KEEP_ON(gpu_records_gather(g, task, groups));
    KEEP_ON(LAUNCH(&g->fold, 1, ARG_BUF(gpu_all_record(g)), ARG_BUF(&g->fact),
                   ARG_I64(all), ARG_I32(FACT_DIPOLE), ARG_I32(3)));
    return status;
}

/* Converts results to the caller's units.  The records remain until they are
 * read. */
static farsum_status run_out(const struct task *task, struct spectral_gpu *g,
                             const struct spectral_units *u,
                             const struct gpu_ends *e)
{
    farsum_status status = FARSUM_OK;
    /* placeholder, neither read nor written, if a result is not requested */
    const struct buf *none = &g->record;
    const struct buf *x = u->surface == 0 ? none : u->apart ? &g->y : &g->x;
    const struct buf *potential = e->potential ? e->potential : none;
    const struct buf *field = e->field ? e->field : none;
    struct spectral_units out = *u;
    out.field = e->field != NULL;
    out.energy = e->energy != NULL;
    int64_t groups = gpu_given_records(g, &g->out, u->targets);
    KEEP_ON(LAUNCH(
        &g->out, groups, ARG_BUF(e->q), ARG_BUF(e->q), ARG_BUF(x), ARG_BUF(x),
        ARG_BUF(&g->fact), ARG_BUF(e->potential ? &g->potential : none),
        ARG_BUF(e->field ? &g->field : none),
        ARG_BUF(u->beside && e->potential ? &g->near_potential : none),
        ARG_BUF(u->beside && e->field ? &g->near_field : none),
        ARG_BUF(potential), ARG_BUF(potential), ARG_BUF(field), ARG_BUF(field),
        ARG_BUF(&g->record), ARG_STRUCT(out)));
    if (task->pair.kind->moments)
        KEEP_ON(gpu_moments_out(g, &out, e, groups));
    KEEP_ON(gpu_records_gather(g, task, groups));
    if (u->each)
        KEEP_ON(gpu_each_out(g, u, e));
    if (!u->energy && !u->virial)
        return status;
    const struct gpu_moments_arrays arrays = gpu_moments_arrays(g);
    if (task->pair.kind->moments && u->virial && !g->ranks)
        KEEP_ON(gpu_moments_virial(g, u, &arrays));
    KEEP_ON(LAUNCH(&g->totals, 1, ARG_BUF(&g->fact), ARG_BUF(&g->energy_sum),
                   ARG_BUF(&g->virial_sum),
                   ARG_BUF(u->beside ? &g->near_energy : none),
                   ARG_BUF(u->beside ? &g->near_virial : none),
                   ARG_BUF(e->energy ? e->energy : none),
                   ARG_BUF(e->virial ? e->virial : none), ARG_STRUCT(out)));
    return status;
}

/* The records of the results. */
static int64_t run_records(const struct task *task,
                           const struct spectral_gpu *g)
{
    int flow = !task->pair.kind->gradient;
    return gpu_all_records(
        g, gpu_given_records(g, flow ? &g->flow_out : &g->out, g->targets));
}

farsum_status gpu_fold_results(const struct task *task,
                               const struct spectral *s)
{
    struct spectral_gpu *g = s->gpu;
    int flow = !task->pair.kind->gradient;
    return LAUNCH(flow ? &g->flow_fold : &g->fold, 1,
                  ARG_BUF(gpu_all_record(g)), ARG_BUF(&g->fact),
                  ARG_I64(run_records(task, g)),
                  ARG_I32(flow ? FACT_PHI : FACT_FORCE), ARG_I32(flow ? 1 : 2));
}

/* Checks from the records whether the results of right-hand side r are in
 * range. */
static farsum_status run_range(const struct task *task,
                               const struct spectral *s, int64_t r)
{
    struct spectral_gpu *g = s->gpu;
    int flow = !task->pair.kind->gradient;
    return LAUNCH(flow ? &g->flow_range : &g->range, 1,
                  ARG_BUF(gpu_all_record(g)), ARG_BUF(&g->fact),
                  ARG_I64(run_records(task, g)),
                  ARG_I32(task->problem.arrays != FARSUM_F32), ARG_I64(r),
                  ARG_F64(HUGE_VAL));
}

farsum_status gpu_range_last(const struct task *task, const struct spectral *s)
{
    struct spectral_gpu *g = s->gpu;
    if (!g->pending || !g->summed)
        return FARSUM_OK;
    return run_range(task, s, g->rhs - 1);
}

/* Sums of right-hand sides, in a form that a graph can capture.  A graph is
 * kept for calls that repeat the same pointers. */
struct sum {
    const struct task *task;
    struct spectral *s;
    const struct gpu_ends *first;
    int rhs;
    int64_t n, m; /* between two right-hand sides */
};

static farsum_status run_all(void *data)
{
    const struct sum *sum = data;
    struct spectral *s = sum->s;
    farsum_status status = FARSUM_OK;
    if (s->gpu->ranks)
        transport_begin(s->gpu->ranks->transport);
    for (int r = 0; r < sum->rhs; r++) {
        struct gpu_ends e = *sum->first;
        e.first_q = r * sum->n;
        e.first_out = r * sum->m;
        e.rhs = r;
        int flow = !sum->task->pair.kind->gradient;
        struct spectral_units u = flow ? gpu_flow_units(sum->task, s, &e)
                                       : run_units(sum->task, s, &e);
        KEEP_ON(flow ? gpu_flow_in(sum->task, s->gpu, &u, &e)
                     : run_in(sum->task, s, &u, &e));
        KEEP_ON(s->gpu->ranks ? gpu_ranks_sum(sum->task, s, &u)
                              : gpu_sum(sum->task, s, &u));
        if (!s->gpu->ranks)
            KEEP_ON(gpu_exclude_run(sum->task, s, &u));
        if (s->open_axis)
            KEEP_ON(gpu_open_axis_add(s, &u));
        KEEP_ON(flow ? gpu_flow_out(sum->task, s->gpu, &u, &e)
                     : run_out(sum->task, s->gpu, &u, &e));
        if (r + 1 < sum->rhs) /* the next right-hand side reuses the records */
            KEEP_ON(run_range(sum->task, s, r));
    }
    return status;
}

static farsum_status run_sums(struct sum *sum)
{
    struct spectral_gpu *g = sum->s->gpu;
    struct gpu_ranks *r = g->ranks;
    return r ? transport_run(r->transport, &g->recording, run_all, sum)
             : graph_run(&g->recording, g->device, run_all, sum);
}

/* Stores what finish must know about the sums that begin. */
static void run_begin(struct spectral_gpu *g, int rhs,
                      const farsum_result *asked)
{
    g->pending = g->summed = 1;
    g->rhs = rhs;
    g->had_field = asked->field != NULL;
    g->had_potential = asked->potential || asked->velocity;
}

/* Sets asked: where not NULL, the sum computes this result.  Over ranks these
 * are the results that any rank requests, since all ranks make the same
 * exchanges. */
static farsum_status run_asked(const struct spectral_gpu *g, int rhs,
                               const farsum_result *result,
                               farsum_result *asked)
{
    *asked = *result;
    return g->ranks ? ranks_asked_results(g->ranks->comm, g->targets, rhs,
                                          result, asked)
                    : FARSUM_OK;
}

/* Caller on the host: transfers each right-hand side there and, if its results
 * are in range, back. */
static farsum_status run_host(const struct task *task, struct spectral *s,
                              const struct gpu_counts *counts, int r,
                              const void *q, const farsum_result *asked,
                              const farsum_result *result)
{
    struct spectral_gpu *g = s->gpu;
    const struct gpu_ends e = gpu_ends(&g->given, asked);
    const double none = -1;
    struct sum one = {task, s, &e, 1, counts->n, counts->m};
    farsum_status status = FARSUM_OK;
    double bad = -1;
    KEEP_ON(gpu_arrays_upload(&g->given, counts, r, q));
    KEEP_ON(run_sums(&one));
    KEEP_ON(run_range(task, s, r));
    KEEP_ON(buf_download(&g->fact, 8 * FACT_RANGE, &bad, sizeof bad));
    TRY(task_agree(task, status));
    if (bad >= 0) {
        TRY(buf_upload(&g->fact, 8 * FACT_RANGE, &none, sizeof none));
        return gpu_ends_range(task, r);
    }
    return task_agree(task, gpu_arrays_download(&g->given, counts, r, result));
}

/* Caller on the device: enqueues everything and returns. */
static farsum_status run_device(const struct task *task, struct spectral *s,
                                const struct gpu_counts *counts, int rhs,
                                const void *q, const farsum_result *asked,
                                const farsum_result *result)
{
    struct gpu_arrays given;
    farsum_status status =
        gpu_arrays_given(&given, task->device, counts, rhs, q, result);
    struct gpu_ends e = gpu_ends(&given, asked);
    if (s->gpu->ranks)
        KEEP_ON(gpu_ends_spare(&e, task->device, &s->gpu->ranks->spare, rhs,
                               asked, result));
    KEEP_ON(gpu_range_last(task, s));
    TRY(task_agree(task, status));
    run_begin(s->gpu, rhs, asked);
    struct sum all = {task, s, &e, rhs, counts->n, counts->m};
    return run_sums(&all);
}

farsum_status spectral_gpu_execute(struct task *task, struct spectral *s,
                                   int rhs, const void *q,
                                   farsum_result *result)
{
    const struct gpu_counts counts =
        gpu_counts(task, s->gpu->n, s->gpu->targets);
    farsum_result asked;
    if (!s->gpu->ranks) /* over ranks they come with the points */
        TRY(gpu_exclude_ready(task, s));
    if (s->open_axis)
        TRY(task_agree(task, open_axis_excludes(task, s->open_axis)));
    TRY(run_asked(s->gpu, rhs, result, &asked));
    if (task->problem.memory == FARSUM_DEVICE)
        return run_device(task, s, &counts, rhs, q, &asked, result);
    TRY(task_agree(task, gpu_ends_host(task->device, result)));
    for (int r = 0; r < rhs; r++) {
        s->gpu->pending = 0; /* a stopped sum has no facts */
        TRY(task_agree(
            task, progress_step(r, rhs, "summing on %s", task->device->name)));
        run_begin(s->gpu, rhs, &asked);
        TRY(run_host(task, s, &counts, r, q, &asked, result));
    }
    return spectral_gpu_finish(task, s);
}

/* Waits. */
farsum_status spectral_gpu_distinct(struct task *task, const struct spectral *s)
{
    struct spectral_gpu *g = s->gpu;
    double twin[2];
    if (!g->coincident_asked)
        return FARSUM_OK;
    TRY(buf_download(&g->fact, 8 * FACT_TWIN, twin, sizeof twin));
    g->coincident_asked = 0;
    if (twin[0] < 0)
        return FARSUM_OK;
    return gpu_distinct(task, s->source.gpu, (int64_t)twin[0],
                        (int64_t)twin[1]);
}

/* Seconds of the stages in the last right-hand side, times the number of
 * right-hand sides. */
static void gpu_seconds(const struct task *task, struct spectral *s)
{
    struct spectral_gpu *g = s->gpu;
    double whole = 0;
    s->seconds_back = task->report->info.seconds_stages = 0;
    if (g->timed && stopwatch_seconds(&g->watch[GPU_ALL], &whole) == FARSUM_OK)
        task->report->info.seconds_stages = whole * (double)g->rhs;
    for (int w = 0; g->timed && w < GPU_ALL; w++) {
        double seconds = 0;
        int stage = w == GPU_BACK ? STAGE_FFT : w;
        if (w != GPU_BACK)
            task->report->info.stages[stage].seconds = 0;
        if ((w == GPU_BACK || w == STAGE_INTERP) && !g->ran_back)
            continue;
        /* a caller's queue may not support timing */
        if (stopwatch_seconds(&g->watch[w], &seconds) != FARSUM_OK)
            continue;
        task->report->info.stages[stage].seconds += seconds * (double)g->rhs;
        if (w == GPU_BACK)
            s->seconds_back = seconds * (double)g->rhs;
    }
}

/* Clears the failure that finish has reported, so that it is reported once. */
static farsum_status gpu_told(struct spectral_gpu *g)
{
    const double none = -1;
    TRY(buf_upload(&g->fact, 8 * FACT_RANGE, &none, sizeof none));
    return buf_upload(&g->fact, 8 * FACT_BAD, &none, sizeof none);
}

/* Fails for the strength with this number, over ranks a global one. */
static farsum_status gpu_bad_strength(const struct spectral *s, int64_t number,
                                      int64_t r)
{
    const struct gpu_ranks *ranks = s->gpu->ranks;
    int rank = 0;
    if (ranks)
        rank = gpu_route_giver(&ranks->route, ranks->comm->size, &number);
    farsum_status status =
        status_fail(FARSUM_ERR_STRENGTH,
                    "strength %lld of right-hand side %lld is not finite",
                    (long long)number, (long long)r);
    return ranks && ranks->comm->size > 1
               ? status_prefix(status, "rank %d", rank)
               : status;
}

/* Checks positions, strengths, and the range of results.  Over ranks positions
 * have been checked, and the rest is the same on all. */
static farsum_status gpu_bad(struct task *task, const struct spectral *s,
                             const double fact[FACTS])
{
    if (!s->gpu->ranks) {
        TRY(points_gpu_check(s->source.gpu));
        if (s->m > 0)
            TRY(points_gpu_check(s->target.gpu));
        TRY(spectral_gpu_distinct(task, s));
    }
    if (fact[FACT_BAD] >= 0)
        return gpu_bad_strength(s, (int64_t)fact[FACT_BAD_AT],
                                (int64_t)fact[FACT_BAD]);
    if (fact[FACT_RANGE] >= 0)
        return gpu_ends_range(task, (int64_t)fact[FACT_RANGE]);
    return FARSUM_OK;
}

farsum_status spectral_gpu_finish(struct task *task, struct spectral *s)
{
    struct spectral_gpu *g = s->gpu;
    double fact[FACTS] = {0};
    farsum_status status = device_finish(g->device);
    if (status == FARSUM_OK && g->ranks)
        transport_settle(g->ranks->transport);
    TRY(task_agree(task, status));
    if (s->all_n == 0) /* no points: nothing was enqueued */
        return FARSUM_OK;
    int summed = g->pending && g->summed;
    KEEP_ON(gpu_range_last(task, s));
    if (summed)
        KEEP_ON(gpu_fold_results(task, s));
    g->pending = 0;
    KEEP_ON(buf_download(&g->fact, 0, fact, sizeof fact));
    TRY(task_agree(task, status));
    status = gpu_bad(task, s, fact);
    if (status != FARSUM_OK) {
        TRY(gpu_told(g));
        return status;
    }
    if (!summed)
        return FARSUM_OK;
    gpu_seconds(task, s);
    /* a charge and its moments have one unit, which the device chose */
    const double unit[UNITS_PARTS] = {
        fact[FACT_UNIT], task->pair.kind->moments ? 0 : fact[FACT_UNIT_2]};
    units_strength(task, unit);
    struct spectral_sums sums = {.q1 = fact[FACT_Q], .q2 = fact[FACT_Q2]};
    if (!task->pair.kind->gradient)
        spectral_estimate_flow(task, s, &sums, fact[FACT_PHI]);
    else
        spectral_estimate(task, s, &sums, fact[FACT_FORCE], fact[FACT_PHI],
                          g->had_field, g->had_potential);
    return FARSUM_OK;
}
