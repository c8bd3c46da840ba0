/* SPDX-License-Identifier: Apache-2.0 */
/* few.c: division of the sources into shares for threads, and the sum of the
 * shares.  Results do not depend on the number of threads. */
#include "reference/few/few.h"

#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "base/par.h"
#include "base/progress.h"
#include "base/arrays.h"
#include "reference/few/few_kern.h"

ISA_TABLE(struct few_kern, few)

enum { SHARES = 64 }; /* of the sources */

struct work {
    struct few_device_split split; /* owned */
    struct few_args args;
    const struct few_kern *kern;
    few_near_run *near;
    const void *x, *q;
    double *channel;     /* owned, [channels][n + EWALD_PAD] */
    double *image, *y;   /* owned */
    double *sums, *self; /* owned, [SHARES][m][..] */
    long double (*moments)[REFERENCE_CHANNELS][4]; /* owned, [SHARES] */
};

farsum_status few_fits(const struct task *task, double accuracy, int64_t m)
{
    if (task_axes(task) != 3 || !few_device_kind(task))
        FAIL(ERR_UNSUPPORTED, "kernel %s, %d periodic axes", task->pair.name,
             task_axes(task));
    if (task->problem.softening > 0)
        FAIL(ERR_UNSUPPORTED, "no softening in periodic cells");
    if (accuracy < FEW_DEVICE_BEST || m > FEW_MOST)
        FAIL(ERR_TOLERANCE, "tolerance %g, %lld targets", accuracy,
             (long long)m);
    return FARSUM_OK;
}

static void source_get(const struct work *w, int64_t j, double x[3], double *q)
{
    const struct task *task = w->split.of->task;
    farsum_precision type = task->problem.arrays;
    int width = task->pair.strengths;
    for (int d = 0; d < 3; d++)
        x[d] = w->args.per * array_get(w->x, type, 3 * j + d);
    for (int c = 0; c < width; c++)
        q[c] = w->args.per_q[c / 3] * array_get(w->q, type, width * j + c);
}

/* The fraction s_d, in -1/2 .. 1/2.  In a rectangular cell it is exact to the
 * last digit. */
static double fraction(const struct few_args *a, const double x[3], int d)
{
    double s = x[0] * a->inv[d] + x[1] * a->inv[3 + d] + x[2] * a->inv[6 + d];
    s = fma(x[d], a->inv[4 * d], -floor(s + 0.5));
    for (int c = 0; c < 3; c++)
        s += (c == d ? 0 : x[c] * a->inv[3 * c + d])
             + x[c] * a->inv_low[3 * c + d];
    return s;
}

static int64_t share(const struct work *w, int k)
{
    return par_start(w->args.n, SHARES, k);
}

/* Sets fractions, channels and moments of a share's sources. */
static void fill_share(struct work *w, int k)
{
    const struct reference_kind *kind = w->split.kind;
    struct ewald_points *p = &w->split.body.sources;
    int64_t stride = p->n + EWALD_PAD;
    for (int64_t j = share(w, k); j < share(w, k + 1); j++) {
        double x[3], q[REFERENCE_STRENGTHS], c[REFERENCE_CHANNELS];
        source_get(w, j, x, q);
        kind->load(q, c);
        for (int d = 0; d < 3; d++)
            p->s_high[d][j] = fraction(&w->args, x, d);
        for (int a = 0; a < kind->channels; a++) {
            long double *sum = w->moments[k][a];
            w->channel[a * stride + j] = c[a];
            sum[0] += c[a];
            for (int d = 0; d < 3; d++)
                sum[1 + d] += (long double)c[a] * x[d];
        }
    }
}

static farsum_status work_capacity(struct work *w)
{
    const struct few_device *of = w->split.of;
    const struct ewald_body *b = &w->split.body;
    struct ewald_points *p = &w->split.body.sources;
    int64_t targets = SHARES * of->m;
    w->args.images = few_device_images(&b->lattice, b->info.cutoff, NULL);
    TRY(MEM_RAW(w->image, 3 * w->args.images));
    few_device_images(&b->lattice, b->info.cutoff, w->image);
    TRY(MEM_RAW(w->y, 3 * of->m));
    TRY(MEM_NEW(w->sums, targets * of->width));
    TRY(MEM_NEW(w->self, targets * of->task->pair.strengths));
    TRY(MEM_NEW(w->moments, SHARES));
    TRY(MEM_RAW(w->channel, w->split.kind->channels * (of->n + EWALD_PAD)));
    for (int d = 0; d < 3; d++)
        TRY(MEM_RAW(p->s_high[d], of->n + EWALD_PAD));
    p->n = of->n;
    for (int i = 0; i < EWALD_PAD; i++) {
        for (int d = 0; d < 3; d++)
            p->s_high[d][p->n + i] = 0;
        for (int c = 0; c < w->split.kind->channels; c++)
            w->channel[c * (p->n + EWALD_PAD) + p->n + i] = 0;
    }
    for (int64_t i = 0; i < 3 * of->m; i++)
        w->y[i] = w->args.per * of->y[i];
    return FARSUM_OK;
}

static void near_share(struct work *w, int k)
{
    const struct few_device *of = w->split.of;
    const struct few_near near = {&w->args, w->image, w->y, of->width};
    int strengths = of->task->pair.strengths;
    struct few_block b;
    for (int64_t j = share(w, k), end = share(w, k + 1); j < end;
         j += b.count) {
        b.count = (int)(end - j < FEW_BLOCK ? end - j : FEW_BLOCK);
        for (int i = 0; i < FEW_BLOCK; i++) {
            double x[3], q[REFERENCE_STRENGTHS];
            if (i >= b.count && i >= (b.count + 7) / 8 * 8)
                break;
            source_get(w, i < b.count ? j + i : j, x, q);
            for (int d = 0; d < 3; d++)
                b.x[d][i] = x[d];
            for (int c = 0; c < strengths; c++)
                b.q[c][i] = i < b.count ? q[c] : 0;
        }
        w->near(&near, &b, w->sums + k * of->m * of->width,
                w->self + k * of->m * strengths);
    }
}

/* Adds pairs, and the self terms of targets on sources, to values. */
static void near_end(const struct work *w, double *values)
{
    const struct few_device *of = w->split.of;
    const struct reference_kind *kind = w->split.kind;
    int strengths = of->task->pair.strengths;
    for (int64_t i = 0; i < of->m; i++) {
        double q[REFERENCE_STRENGTHS] = {0}, c[REFERENCE_CHANNELS];
        double v[REFERENCE_VALUES] = {0};
        for (int64_t k = 0; k < SHARES; k++)
            for (int a = 0; a < strengths; a++)
                q[a] += w->self[(k * of->m + i) * strengths + a];
        if (kind->self) {
            kind->load(q, c);
            kind->self(&w->split.body.job.split, c, v);
        }
        for (int a = 0; a < of->width; a++) {
            long double sum = v[a];
            for (int64_t k = 0; k < SHARES; k++)
                sum += w->sums[(k * of->m + i) * of->width + a];
            values[of->width * i + a] += (double)sum;
        }
    }
}

/* Sums over the sources of the channels times e^{-ik.y}: threads take rows. */
static void modes_gather(struct work *w, struct progress *listener)
{
    enum { B = EWALD_SOURCES };
    struct ewald_job *job = &w->split.body.job;
    const struct ewald_any_kern *kern = &w->kern->modes;
    int64_t n = w->args.n, blocks = (n + B - 1) / B, rows = job->modes->rows;
    int slots = FEW_SLOTS * job->threads, shares = 8 * job->threads;
    int64_t entries = job->kind->channels * job->modes->entries;
    int lanes = w->kern->lanes;
    double *sums = job->sums;
    memset(sums, 0, (size_t)(entries * 4 * lanes) * sizeof *sums);
    for (int64_t b0 = 0; b0 < blocks && !progress_stopped(listener);
         b0 += slots) {
        int count = (int)(blocks - b0 < slots ? blocks - b0 : slots);
        PAR_FOR(job->threads, schedule(static))
        for (int s = 0; s < count; s++)
            kern->tables(job, job->sources, s, (b0 + s) * B,
                         (int)(n - (b0 + s) * B < B ? n - (b0 + s) * B : B));
        PAR_FOR(job->threads, schedule(dynamic))
        for (int r = 0; r < shares; r++)
            for (int s = 0; s < count; s++)
                kern->gather(job, s, (b0 + s) * B,
                             (int)(n - (b0 + s) * B < B ? n - (b0 + s) * B : B),
                             par_start(rows, shares, r),
                             par_start(rows, shares, r + 1));
        progress_add(listener, count * B);
    }
    for (int64_t e = 0; e < entries; e++) { /* as ewald_any_far needs them */
        double sum[8] = {0};
        for (int k = 0; k < 4 * lanes; k++)
            sum[k / lanes] += sums[e * 4 * lanes + k];
        memcpy(sums + 8 * e, sum, sizeof sum);
    }
}

static farsum_status work_run(struct work *w, double *values)
{
    struct ewald_job *job = &w->split.body.job;
    int64_t n = w->args.n;
    long double sum[REFERENCE_CHANNELS][4] = {{0}};
    job->channel = w->channel;
    PAR_FOR(job->threads, schedule(dynamic))
    for (int k = 0; k < SHARES; k++)
        fill_share(w, k);
    struct progress *listener = progress_phase(2 * n, "summing by Ewald's sum");
    modes_gather(w, listener);
    PAR_FOR(job->threads, schedule(dynamic))
    for (int k = 0; k < SHARES; k++)
        if (!progress_stopped(listener)) {
            near_share(w, k);
            progress_add(listener, share(w, k + 1) - share(w, k));
        }
    TRY(progress_check(listener));
    for (int k = 0; k < SHARES; k++)
        for (int c = 0; c < 4 * w->split.kind->channels; c++)
            sum[c / 4][c % 4] += w->moments[k][c / 4][c % 4];
    ewald_any_far(job, w->split.of->task->isa, values);
    few_device_mean(&w->split, sum, values);
    near_end(w, values);
    return FARSUM_OK;
}

farsum_status few_sum(const struct few_device *of, const void *x, const void *q,
                      double *values)
{
    farsum_status status = FARSUM_OK;
    struct work w = {
        .split = {.of = of, .kind = few_device_kind(of->task), .host = 1},
        .kern = isa_few[of->task->isa][0],
        .x = x,
        .q = q};
    for (int k = 0; !w.near; k++)
        if (strcmp(w.kern->near[k].name, of->task->pair.name) == 0)
            w.near = w.kern->near[k].run;
    GO(few_device_split(&w.split));
    few_device_args(of, &w.split.body, &w.args);
    GO(work_capacity(&w));
    GO(work_run(&w, values));
done:
    ewald_body_close(&w.split.body);
    mem_free(w.channel);
    mem_free(w.image);
    mem_free(w.y);
    mem_free(w.sums);
    mem_free(w.self);
    mem_free(w.moments);
    return status;
}
