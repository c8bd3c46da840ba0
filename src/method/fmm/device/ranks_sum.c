/* SPDX-License-Identifier: Apache-2.0 */
/* ranks_sum.c: a sum of `fmm` over ranks with a device each.
 *
 * All calls are made on all ranks, in the same order, also after a failure. */
#include "method/fmm/device/ranks.h"

#include <math.h>

#include "base/arrays.h"
#include "base/progress.h"
#include "method/spectral/device.h"
#include "ranks/asked.h"

/* Units of the points that this rank gives, or of all. */
static struct fmm_units sum_units(const struct fmm_sum *sum, int64_t n,
                                  int64_t targets)
{
    struct fmm_units u = sum->units;
    const struct fmm_ranks *k = sum->s->ranks;
    u.n = n;
    u.targets = targets;
    u.first_q = u.rhs * n;
    u.first_out = u.rhs * targets;
    u.apart = sum->s->all_m > 0;
    for (int d = 0; d < 3 && !u.periodic; d++)
        u.middle[d] = k->tree.corner[d] + 0.5 * k->tree.edge[d];
    return u;
}

static struct fmm_units sum_given(const struct fmm_sum *sum)
{
    return sum_units(sum, sum->s->gpu->ranks->source.route.n,
                     fmm_gpu_ranks_targets(sum->s)->route.n);
}

/* Gathers the records of all ranks, of so many words. */
static farsum_status sum_gather(const struct fmm_sum *sum,
                                const struct buf *record, int words)
{
    struct fmm_gpu_ranks *r = sum->s->gpu->ranks;
    return transport_gather(r->transport, record, &r->records,
                            8 * words * fmm_gpu_ranks_groups(r));
}

/* Facts of the strengths; strengths in their unit. */
static farsum_status sum_strengths(const struct fmm_sum *sum)
{
    struct fmm_gpu *g = sum->s->gpu;
    struct fmm_gpu_ranks *r = g->ranks;
    const struct gpu_ends *e = sum->ends;
    const struct fmm_units u = sum_given(sum);
    const struct spectral_units about = {.none = HUGE_VAL,
                                         .n = u.n,
                                         .first_q = u.first_q,
                                         .rhs = u.rhs,
                                         .number = r->source.route.first,
                                         .wide = u.wide,
                                         .per = u.per};
    farsum_status status = FARSUM_OK;
    int64_t groups = fmm_gpu_ranks_groups(r), all;
    const struct buf *records = fmm_gpu_ranks_records(r, &all);
    KEEP_ON(LAUNCH(&g->strengths, groups, ARG_BUF(e->q), ARG_BUF(e->q),
                   ARG_BUF(&g->known), ARG_STRUCT(about)));
    KEEP_ON(sum_gather(sum, &g->known, FMM_KNOWN));
    KEEP_ON(LAUNCH(&r->scale, fmm_groups(u.n, FMM_GROUP), ARG_BUF(e->q),
                   ARG_BUF(e->q), ARG_BUF(records), ARG_I64(all),
                   ARG_BUF(&g->fact), ARG_BUF(&r->given_q), ARG_STRUCT(about)));
    if (u.surface == 0)
        return status;
    KEEP_ON(LAUNCH(&g->dipole, groups, ARG_BUF(e->q), ARG_BUF(e->q),
                   ARG_BUF(&g->x), ARG_BUF(&g->x), ARG_BUF(&g->fact),
                   ARG_BUF(&g->record), ARG_STRUCT(about)));
    KEEP_ON(sum_gather(sum, &g->record, FMM_KNOWN));
    KEEP_ON(LAUNCH(&g->dipole_fold, 1, ARG_BUF(records), ARG_BUF(&g->fact),
                   ARG_I64(all), ARG_I32(FMM_FACT_DIPOLE), ARG_I32(3)));
    return status;
}

/* Strengths to the owners and to ghosts, in the order of leaves; moments. */
static farsum_status sum_in(const struct fmm_sum *sum)
{
    struct fmm *s = sum->s;
    struct fmm_gpu *g = s->gpu;
    struct fmm_gpu_ranks *r = g->ranks;
    const struct tree_gpu_points *p = &s->tree.gpu->source;
    const struct gpu_values given = {&r->given_q, 0, 1, 1},
                            own = {&r->q, 0, 1, 1};
    farsum_status status = FARSUM_OK;
    int64_t groups = fmm_gpu_ranks_groups(r), all, n = r->source.route.n_own;
    const struct buf *records = fmm_gpu_ranks_records(r, &all);
    KEEP_ON(gpu_sends_there(&r->source.route.sends, 1, &given, &r->q, 0));
    KEEP_ON(gpu_sends_there(&r->ghosts.sends, 1, &own, &r->q, n));
    KEEP_ON(ranks_exclusions_in(sum->task, &r->exclude, &own));
    KEEP_ON(LAUNCH(&r->in, groups, ARG_BUF(&r->q), ARG_BUF(&p->order),
                   ARG_BUF(&p->leaf), ARG_BUF(&p->x), ARG_BUF(&g->q),
                   ARG_BUF(&g->record), ARG_I64(n), ARG_STRUCT(sum->units)));
    if (!sum->units.periodic)
        return status;
    KEEP_ON(sum_gather(sum, &g->record, FMM_RECORD));
    KEEP_ON(LAUNCH(&g->fold, 1, ARG_BUF(records), ARG_BUF(&g->fact),
                   ARG_I64(all), ARG_I32(FMM_FACT_MOMENT), ARG_I32(5)));
    return status;
}

/* Every stage except p2p.  The lattice is collective. */
static farsum_status sum_far(void *data)
{
    const struct fmm_sum *sum = data;
    struct fmm *s = sum->s;
    struct fmm_gpu *g = s->gpu;
    const struct boxes_io io = fmm_gpu_far_io(sum);
    farsum_status status = fmm_gpu_zero(sum);
    for (int stage = FMM_P2M; stage < FMM_STAGES; stage++) {
        if (stage != FMM_LATTICE || !s->choice[stage].row) {
            KEEP_ON(fmm_gpu_stage(s, stage, &io));
            continue;
        }
        KEEP_ON(stopwatch_start(&g->watch[stage]));
        KEEP_ON(gpu_ranks_lattice_run(g->ranks->lattice, &io));
        KEEP_ON(stopwatch_stop(&g->watch[stage]));
    }
    return status;
}

/* Near pairs fill the device while far boxes wait for exchanges. */
static farsum_status sum_stages(struct fmm_sum *sum)
{
    struct fmm *s = sum->s;
    struct fmm_gpu *g = s->gpu;
    const struct p2p_io near = fmm_gpu_near_io(sum);
    farsum_status status = FARSUM_OK;
    if (g->beside)
        KEEP_ON(second_stream_fork(&g->aside));
    KEEP_ON(fmm_gpu_stage(s, FMM_P2P, &near));
    if (!g->beside) {
        KEEP_ON(sum_far(sum));
        return status;
    }
    KEEP_ON(second_stream_run(&g->aside, sum_far, sum));
    KEEP_ON(second_stream_join(&g->aside));
    return status;
}

/* Results to the ranks that gave the targets. */
static farsum_status sum_home(const struct fmm_sum *sum)
{
    struct fmm *s = sum->s;
    struct fmm_gpu *g = s->gpu;
    struct fmm_gpu_ranks *r = g->ranks;
    const struct tree_gpu_points *p = tree_gpu_targets(&s->tree);
    struct gpu_sends *sends = &fmm_gpu_ranks_targets(s)->route.sends;
    struct fmm_units inside = sum->units;
    int width = fmm_gpu_ranks_width(&inside);
    const struct gpu_values own = {&r->sums, 0, width, 1};
    const struct gpu_values to = {&r->given_sums, 0, width, 1};
    farsum_status status = FARSUM_OK;
    inside.surface = 0; /* its terms are added where targets are given */
    KEEP_ON(LAUNCH(&r->sum, kernel_groups(&r->sum, p->n), ARG_BUF(&g->fact),
                   ARG_BUF(&p->order), ARG_BUF(&p->leaf), ARG_BUF(&p->x),
                   ARG_BUF(&g->potential), ARG_BUF(&g->field),
                   ARG_BUF(g->beside ? &g->near_potential : &g->potential),
                   ARG_BUF(g->beside ? &g->near_field : &g->field),
                   ARG_BUF(&r->sums), ARG_STRUCT(inside)));
    KEEP_ON(fmm_gpu_ranks_exclude(sum));
    if (width > 0)
        KEEP_ON(gpu_sends_back(sends, width, &own, NULL, &to));
    return status;
}

/* Converts results to the caller's units. */
static farsum_status sum_out(const struct fmm_sum *sum)
{
    struct fmm *s = sum->s;
    struct fmm_gpu *g = s->gpu;
    struct fmm_gpu_ranks *r = g->ranks;
    const struct gpu_ends *e = sum->ends;
    const struct fmm_units u = sum_given(sum);
    const struct fmm_units all =
        sum_units(sum, s->all_n, s->all_m > 0 ? s->all_m : s->all_n);
    const struct buf *none = &g->record; /* neither read nor written */
    const struct buf *x = u.apart ? &g->y : &g->x;
    const struct buf *potential = e->potential ? e->potential : none;
    const struct buf *field = e->field ? e->field : none;
    farsum_status status = FARSUM_OK;
    x = u.surface > 0 || u.virial ? x : none;
    KEEP_ON(LAUNCH(&r->out, fmm_gpu_ranks_groups(r), ARG_BUF(&r->given_q),
                   ARG_BUF(x), ARG_BUF(x), ARG_BUF(&g->fact),
                   ARG_BUF(&r->given_sums), ARG_BUF(potential),
                   ARG_BUF(potential), ARG_BUF(field), ARG_BUF(field),
                   ARG_BUF(&g->record), ARG_STRUCT(u)));
    KEEP_ON(sum_gather(sum, &g->record, FMM_RECORD));
    if (u.energy || u.virial)
        KEEP_ON(fmm_gpu_totals(g, &all, e->energy, e->virial));
    return status;
}

static farsum_status sum_all(void *data)
{
    struct fmm_sum *sum = data;
    const struct gpu_ends *first = sum->ends;
    struct fmm_gpu *g = sum->s->gpu;
    farsum_status status = FARSUM_OK;
    transport_begin(g->ranks->transport);
    for (int r = 0; r < sum->rhs; r++) {
        struct gpu_ends e = *first;
        struct fmm_sum one = *sum;
        e.rhs = r;
        one.ends = &e;
        one.units = fmm_gpu_units(sum->task, sum->s, &e);
        KEEP_ON(stopwatch_start(&g->watch[FMM_ALL]));
        KEEP_ON(sum_strengths(&one));
        KEEP_ON(sum_in(&one));
        KEEP_ON(sum_stages(&one));
        KEEP_ON(sum_home(&one));
        KEEP_ON(stopwatch_stop(&g->watch[FMM_ALL]));
        KEEP_ON(sum_out(&one));
        if (r + 1 < sum->rhs) /* the next right-hand side reuses the records */
            KEEP_ON(fmm_gpu_range(sum->task, sum->s, r));
    }
    g->timed = status == FARSUM_OK;
    return status;
}

static farsum_status sum_run(struct fmm_sum *sum)
{
    struct fmm_gpu *g = sum->s->gpu;
    return transport_run(g->ranks->transport, &g->recording, sum_all, sum);
}

/* Caller on the host: transfers each right-hand side there and, if its results
 * are in range, back. */
static farsum_status ranks_host(const struct task *task, struct fmm *s,
                                const struct gpu_counts *counts, int r,
                                const void *q, const farsum_result *asked,
                                const farsum_result *result)
{
    struct fmm_gpu *g = s->gpu;
    const struct gpu_ends e = gpu_ends(&g->given, asked);
    struct fmm_sum one = {.task = task, .s = s, .ends = &e, .rhs = 1};
    farsum_status status = FARSUM_OK;
    double bad = -1;
    KEEP_ON(gpu_arrays_upload(&g->given, counts, r, q));
    KEEP_ON(sum_run(&one));
    KEEP_ON(fmm_gpu_range(task, s, r));
    g->ranged = 1;
    KEEP_ON(buf_download(&g->fact, 8 * FMM_FACT_RANGE, &bad, sizeof bad));
    TRY(task_agree(task, status));
    if (bad >= 0) {
        TRY(task_agree(task, fmm_gpu_told(g)));
        return gpu_ends_range(task, r);
    }
    return task_agree(task, gpu_arrays_download(&g->given, counts, r, result));
}

/* Caller on the device: enqueues everything and returns. */
static farsum_status ranks_device(const struct task *task, struct fmm *s,
                                  const struct gpu_counts *counts, int rhs,
                                  const void *q, const farsum_result *asked,
                                  const farsum_result *result)
{
    struct gpu_arrays given;
    farsum_status status =
        gpu_arrays_given(&given, task->device, counts, rhs, q, result);
    struct gpu_ends e = gpu_ends(&given, asked);
    KEEP_ON(gpu_ends_spare(&e, task->device, &s->gpu->ranks->spare, rhs, asked,
                           result));
    KEEP_ON(fmm_gpu_range_last(task, s));
    TRY(task_agree(task, status));
    fmm_gpu_begin(s->gpu, rhs, asked);
    struct fmm_sum all = {.task = task, .s = s, .ends = &e, .rhs = rhs};
    return sum_run(&all);
}

farsum_status fmm_gpu_ranks_execute(struct task *task, struct fmm *s, int rhs,
                                    const void *q, farsum_result *result)
{
    struct fmm_gpu_ranks *r = s->gpu->ranks;
    int64_t targets = fmm_gpu_ranks_targets(s)->route.n;
    const struct gpu_counts counts =
        gpu_counts(task, r->source.route.n, targets);
    farsum_result asked = *result;
    TRY(ranks_asked_results(r->comm, targets, rhs, result, &asked));
    if (task->problem.memory == FARSUM_DEVICE)
        return ranks_device(task, s, &counts, rhs, q, &asked, result);
    TRY(task_agree(task, gpu_ends_host(task->device, result)));
    for (int k = 0; k < rhs; k++) {
        s->gpu->pending = 0; /* a stopped sum has no facts */
        TRY(task_agree(
            task, progress_step(k, rhs, "summing on %s", task->device->name)));
        fmm_gpu_begin(s->gpu, rhs, &asked);
        TRY(ranks_host(task, s, &counts, k, q, &asked, result));
    }
    return fmm_gpu_finish(task, s);
}
