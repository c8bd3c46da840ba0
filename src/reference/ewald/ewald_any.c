/* SPDX-License-Identifier: Apache-2.0 */
/* ewald_any.c: periodic reference for any kernel: set-up, and the steps of a
 * run. */
#include "reference/ewald/ewald_any.h"
#include "base/mem.h"
#include "base/par.h"
#include "base/progress.h"
#include "reference/ewald/ewald_any_part.h"
#include "reference/ewald/ewald_open.h"

#include <math.h>
#include <string.h>

ISA_TABLE(struct ewald_any_kern, ewald_any)

enum { ROW_SHARES = 256 }; /* parts of the rows that threads take */

struct ewald_any {
    struct ewald_body body;
    const struct ewald_any_kern *kern;
    double *channel; /* [channels][n + EWALD_PAD] in sorted order */
};

farsum_status ewald_any_create(const struct reference_kind *kind, double screen,
                               const struct ewald_setup *setup,
                               struct ewald_any **out)
{
    struct ewald_any *e = NULL;
    farsum_status status = FARSUM_OK;
    GO(MEM_NEW(e, 1));
    e->kern = isa_ewald_any[setup->isa][0];
    e->body.job.kind = kind;
    e->body.job.split.screen = screen;
    e->body.job.split.vacuum = setup->vacuum;
    GO(ewald_body_open(&e->body, setup));
    GO(ewald_any_tune(kind, screen, &e->body.lattice, &e->body.setup,
                      &e->body.info));
    *out = e;
    e = NULL;
done:
    ewald_any_destroy(e);
    return status;
}

void ewald_any_destroy(struct ewald_any *e)
{
    if (!e)
        return;
    ewald_body_close(&e->body);
    mem_free(e->channel);
    mem_free(e);
}

farsum_status ewald_any_set_points(struct ewald_any *e, int64_t n,
                                   const double *x, int64_t m, const double *y)
{
    struct ewald_body *b = &e->body;
    const struct reference_kind *kind = b->job.kind;
    TRY(ewald_body_count(b, n, m, y));
    int cell = b->lattice.axes == 3;
    if (!cell)
        ewald_open_extent(&b->lattice, n, x, m, y);
    TRY(ewald_any_tune(kind, b->job.split.screen, &b->lattice, &b->setup,
                       &b->info));
    TRY(ewald_body_points(b, x, y, cell && kind->mean));
    TRY(ewald_body_work(b, sizeof(double), kind->channels, kind->values));
    mem_free(e->channel);
    e->channel = NULL;
    TRY(MEM_NEW(e->channel, kind->channels * (n + EWALD_PAD)));
    b->job.channel = e->channel;
    b->ready = 1;
    return FARSUM_OK;
}

void ewald_any_get_info(const struct ewald_any *e, struct ewald_info *info)
{
    *info = e->body.info;
}

/* Sets the channels in sorted order, and the mode k = 0 from their moments. */
static void load(struct ewald_any *e, const double *q, double mean[][4])
{
    const struct ewald_job *job = &e->body.job;
    const struct reference_kind *kind = job->kind;
    const struct ewald_points *p = job->sources;
    int cell = job->lattice->axes == 3;
    long double sum[REFERENCE_CHANNELS][4] = {{0}};
    memset(mean, 0, REFERENCE_VALUES * sizeof *mean);
    for (int64_t j = 0; j < p->n; j++) {
        double c[REFERENCE_CHANNELS];
        kind->load(q + kind->strengths * p->index[j], c);
        for (int a = 0; a < kind->channels; a++) {
            e->channel[a * (p->n + EWALD_PAD) + j] = c[a];
            sum[a][0] += c[a];
            for (int d = 0; d < 3 && cell && kind->mean; d++)
                sum[a][1 + d] += (long double)c[a] * p->x[3 * j + d];
        }
    }
    for (int a = 0; a < kind->channels; a++)
        e->body.job.net[a] = (double)sum[a][0];
    if (cell && kind->mean)
        kind->mean(&job->split, (double)job->lattice->volume, sum, mean);
}

/* Sums the channels over the sources.  A thread owns rows and adds block after
 * block to them.  The order is that of the sources, for any number of
 * threads. */
static void gather(struct ewald_any *e)
{
    enum { B = EWALD_SOURCES };
    struct ewald_job *job = &e->body.job;
    const struct ewald_any_kern *kern = e->kern;
    const struct ewald_modes *modes = job->modes;
    int64_t n = job->sources->n, blocks = (n + B - 1) / B, rows = modes->rows;
    int most = job->threads; /* slots of the tables */
    memset(job->sums, 0,
           (size_t)(job->kind->channels * modes->entries) * 8 * sizeof(double));
    for (int64_t b0 = 0; b0 < blocks && !progress_stopped(job->listener);
         b0 += most) {
        int slots = (int)(blocks - b0 < most ? blocks - b0 : most);
        PAR_FOR(job->threads, schedule(static))
        for (int s = 0; s < slots; s++) {
            int64_t i0 = (b0 + s) * B;
            kern->tables(job, job->sources, s, i0,
                         (int)(n - i0 < B ? n - i0 : B));
        }
        PAR_FOR(job->threads, schedule(dynamic))
        for (int r = 0; r < ROW_SHARES; r++)
            for (int s = 0; s < slots; s++) {
                int64_t i0 = (b0 + s) * B;
                kern->gather(job, s, i0, (int)(n - i0 < B ? n - i0 : B),
                             par_start(rows, ROW_SHARES, r),
                             par_start(rows, ROW_SHARES, r + 1));
            }
        progress_add(job->listener,
                     n - b0 * B < slots * B ? n - b0 * B : slots * B);
    }
}

/* Weights of all values for an entry; see ewald_any_kern.c. */
static void weigh_entry(const struct ewald_job *job,
                        const struct ewald_row *row, int32_t n)
{
    const struct reference_kind *kind = job->kind;
    int64_t entries = job->modes->entries, at = row->start + n;
    double z[2][REFERENCE_VALUES][2] = {{{0}}};
    double front = (double)(2 / job->lattice->volume); /* both half spaces */
    int cell = job->lattice->axes == 3;
    for (int minus = 0; minus < 2; minus++) {
        double s[REFERENCE_CHANNELS][2], k[3], sign = minus ? 1 : -1;
        long double wave[3];
        if (cell ? !ewald_wave(job->lattice, job->kmax, row, n, minus ? -1 : 1,
                               wave)
                 : !ewald_open_wave(job, row, n, minus ? -1 : 1, wave, &front))
            continue;
        for (int d = 0; d < 3; d++)
            k[d] = (double)wave[d];
        ewald_any_sums(job, at, sign, s);
        for (int c = 0; c < kind->channels && ewald_open_less(job, row); c++)
            s[c][0] += job->net[c];
        kind->far(&job->split, k, s, z[minus]);
    }
    for (int a = 0; a < job->width; a++) {
        double *w = (double *)job->weights + 4 * (a * entries + at);
        w[0] = front * (z[0][a][0] + z[1][a][0]);
        w[1] = front * (z[1][a][1] - z[0][a][1]);
        w[2] = front * (-z[0][a][1] - z[1][a][1]);
        w[3] = front * (z[1][a][0] - z[0][a][0]);
    }
}

static void weigh(const struct ewald_job *job)
{
    PAR_FOR(job->threads, schedule(dynamic, 8))
    for (int64_t r = 0; r < job->modes->rows; r++)
        for (int32_t n = 0; n < job->modes->row[r].length; n++)
            weigh_entry(job, job->modes->row + r, n);
}

void ewald_any_far(const struct ewald_job *job, enum isa isa, double *values)
{
    enum { T = EWALD_TARGETS };
    const struct ewald_any_kern *kern = isa_ewald_any[isa][0];
    const struct ewald_points *p = job->targets;
    int64_t blocks = (p->n + T - 1) / T;
    weigh(job);
    PAR_FOR(job->threads, schedule(dynamic))
    for (int64_t b = 0; b < blocks; b++) {
        int64_t end = p->n - b * T < T ? p->n : (b + 1) * T;
        int slot = omp_get_thread_num();
        ewald_values v = {{0}};
        kern->tables(job, p, slot, b * T, (int)(end - b * T));
        kern->far(job, slot, b * T, end, v);
        for (int64_t i = b * T; i < end; i++)
            for (int a = 0; a < job->width; a++)
                values[job->width * p->index[i] + a] = v[i - b * T][a];
    }
}

/* Near, far and mean at a block of targets. */
static void evaluate(struct ewald_any *e, double mean[][4], int64_t i0,
                     int64_t i1, double *values)
{
    const struct ewald_job *job = &e->body.job;
    const struct ewald_points *p = job->targets;
    int slot = omp_get_thread_num(), width = job->width;
    ewald_values v = {{0}};
    e->kern->tables(job, p, slot, i0, (int)(i1 - i0));
    e->kern->far(job, slot, i0, i1, v);
    e->kern->near(job, i0, i1, v);
    for (int64_t i = i0; i < i1; i++)
        for (int a = 0; a < width; a++) {
            double value = v[i - i0][a] + mean[a][0];
            for (int d = 0; d < 3 && p->x; d++)
                value += mean[a][1 + d] * p->x[3 * i + d];
            values[width * p->index[i] + a] = value;
        }
}

farsum_status ewald_any_run(struct ewald_any *e, const double *q, int width,
                            double *values)
{
    enum { T = EWALD_TARGETS };
    double mean[REFERENCE_VALUES][4];
    if (!e->body.ready)
        FAIL(ERR_STATE, "ewald: no points are set");
    int64_t m = e->body.job.targets->n, blocks = (m + T - 1) / T;
    struct progress *listener =
        progress_phase(e->body.sources.n + m, "summing by Ewald's sum");
    e->body.job.listener = listener;
    e->body.job.width = width;
    load(e, q, mean);
    gather(e);
    if (e->body.lattice.axes < 3)
        ewald_open_mean(&e->body.job, mean);
    weigh(&e->body.job);
    PAR_FOR(e->body.job.threads, schedule(dynamic))
    for (int64_t b = 0; b < blocks; b++) {
        int64_t end = m - b * T < T ? m : (b + 1) * T;
        if (progress_stopped(listener))
            continue;
        evaluate(e, mean, b * T, end, values);
        progress_add(listener, end - b * T);
    }
    return progress_check(listener);
}

double ewald_any_estimate(const struct ewald_any *e, const double *q,
                          const double *values, double *norm)
{
    const struct ewald_body *b = &e->body;
    const struct reference_kind *kind = b->job.kind;
    int64_t n = b->sources.n, m = b->job.targets->n;
    double strength = 0, value = 0;
    for (int64_t j = 0; j < n; j++)
        strength += kind->square(q + kind->strengths * j);
    for (int64_t i = 0; i < m * kind->values; i++)
        value += values[i] * values[i];
    double a = cbrt((double)b->lattice.filled / (double)n);
    *norm = fmax(sqrt(value / (double)m),
                 sqrt(strength / (double)n) / pow(a, kind->power));
    if (!(*norm > 0))
        return b->info.estimate;
    return ewald_any_cut(kind, &b->info, a) * sqrt(strength / (double)n) /
               (pow(a, kind->power) * *norm) + EWALD_ANY_ROUNDING;
}

double ewald_any_rounding(const struct ewald_any *e, const double *q,
                          const double *potential)
{
    const struct ewald_body *b = &e->body;
    int64_t n = b->sources.n, m = b->job.targets->n;
    double a = cbrt((double)b->lattice.filled / (double)n);
    double terms = 0, value = 0;
    for (int64_t j = 0; j < n; j++) {
        const double *own = q + b->job.kind->strengths * j, *p = own + 1;
        double dipole = p[0] * p[0] + p[1] * p[1] + p[2] * p[2];
        terms += (own[0] * own[0] + 2 * dipole / (a * a)) / (a * a);
        for (int k = 4; k < b->job.kind->strengths; k++) /* xy, xz, yz: twice */
            terms += (k == 4 || k == 7 || k == 9 ? 2 : 4) * own[k] * own[k]
                     / pow(a, 6);
    }
    for (int64_t i = 0; i < m; i++)
        value += potential[i] * potential[i];
    if (!(value > 0)) /* all terms vanish */
        return 0;
    return EWALD_ANY_ROUNDING * sqrt(terms / (double)n / (value / (double)m));
}
