/* ewald_any.c: the periodic oracle of any kernel: set-up, and the order of a
 * run. */
#include "method/ewald_any.h"
#include "base/mem.h"
#include "base/par.h"
#include "method/ewald_any_part.h"

#include <math.h>
#include <string.h>

ISA_TABLE(struct ewald_any_kern, ewald_any)

enum { ROW_SHARES = 256 }; /* shares of the rows that threads take */

struct ewald_any {
    struct ewald_setup setup;
    struct ewald_lattice lattice;
    struct ewald_info info;
    struct ewald_boxes boxes;
    struct ewald_modes modes;
    struct ewald_points sources, targets; /* targets.n = 0: the sources */
    const struct ewald_any_kern *kern;
    struct ewald_job job;
    double *channel; /* [channels][n + EWALD_PAD] in sorted order */
    int slots;       /* of the tables */
    int ready;
};

farsum_status ewald_any_create(const struct exact_kind *kind, double screen,
                               const struct ewald_setup *setup,
                               struct ewald_any **out)
{
    struct ewald_any *e = NULL;
    farsum_status status = FARSUM_OK;
    GO(MEM_NEW(e, 1));
    e->setup = *setup;
    e->setup.threads = par_threads(setup->threads);
    e->kern = isa_ewald_any[setup->isa][0];
    e->job.kind = kind;
    e->job.split.screen = screen;
    GO(ewald_lattice_set(&e->lattice, setup->cell));
    GO(ewald_any_tune(kind, &e->lattice, &e->setup, &e->info));
    *out = e;
    e = NULL;
done:
    ewald_any_destroy(e);
    return status;
}

static void free_work(struct ewald_any *e)
{
    struct ewald_job *job = &e->job;
    for (int d = 0; d < 3; d++)
        mem_free(job->table[d]);
    mem_free(job->sums);
    mem_free(job->weights);
    mem_free(e->channel);
    e->channel = NULL;
    *job = (struct ewald_job){.kind = job->kind, .split = job->split};
}

void ewald_any_destroy(struct ewald_any *e)
{
    if (!e)
        return;
    free_work(e);
    ewald_points_free(&e->sources);
    ewald_points_free(&e->targets);
    ewald_boxes_free(&e->boxes);
    ewald_modes_free(&e->modes);
    mem_free(e);
}

/* Everything that a run works in. */
static farsum_status reserve_work(struct ewald_any *e)
{
    struct ewald_job *job = &e->job;
    const struct exact_kind *kind = job->kind;
    size_t size = sizeof(double);
    int64_t entries = e->modes.entries;
    free_work(e);
    e->slots = e->setup.threads;
    for (int d = 0; d < 3; d++)
        TRY(mem_alloc(&job->table[d],
                      (int64_t)e->slots * (e->modes.most[d] + 1) * 2 *
                          EWALD_SOURCES,
                      size, 0));
    TRY(mem_alloc(&job->sums, kind->channels * entries * 8, size, 0));
    TRY(mem_alloc(&job->weights, kind->values * entries * 4, size, 0));
    TRY(MEM_NEW(e->channel, kind->channels * (e->sources.n + EWALD_PAD)));
    job->lattice = &e->lattice;
    job->boxes = &e->boxes;
    job->modes = &e->modes;
    job->sources = &e->sources;
    job->targets = e->targets.n > 0 ? &e->targets : &e->sources;
    job->xi = job->split.xi = e->info.xi;
    job->rc = e->info.cutoff;
    job->kmax = e->info.kmax;
    job->coincide = EWALD_COINCIDE * (double)e->lattice.length[2];
    job->channel = e->channel;
    job->threads = e->setup.threads;
    return FARSUM_OK;
}

farsum_status ewald_any_set_points(struct ewald_any *e, int64_t n,
                                   const double *x, int64_t m, const double *y)
{
    int threads = e->setup.threads, keep = e->job.kind->mean != NULL;
    e->ready = 0;
    if (n < 1 || (y && m < 1))
        FAIL(ERR_ARGUMENT, "ewald: %lld sources, %lld targets", (long long)n,
             (long long)m);
    e->setup.n = n;
    e->setup.m = y ? m : 0;
    TRY(ewald_any_tune(e->job.kind, &e->lattice, &e->setup, &e->info));
    TRY(ewald_boxes_set(&e->boxes, &e->lattice, e->info.cutoff, n));
    TRY(ewald_modes_set(&e->modes, &e->lattice, e->info.kmax));
    TRY(ewald_points_set(&e->sources, &e->lattice, &e->boxes, n, x, keep,
                         threads));
    ewald_points_free(&e->targets);
    if (y)
        TRY(ewald_points_set(&e->targets, &e->lattice, &e->boxes, m, y, keep,
                             threads));
    TRY(reserve_work(e));
    e->ready = 1;
    return FARSUM_OK;
}

void ewald_any_get_info(const struct ewald_any *e, struct ewald_info *info)
{
    *info = e->info;
}

/* Channels in sorted order, and the mode k = 0 from their moments. */
static void load(struct ewald_any *e, const double *q, double mean[][4])
{
    const struct exact_kind *kind = e->job.kind;
    const struct ewald_points *p = &e->sources;
    long double sum[EXACT_CHANNELS][4] = {{0}};
    memset(mean, 0, EXACT_VALUES * sizeof *mean);
    for (int64_t j = 0; j < p->n; j++) {
        double c[EXACT_CHANNELS];
        kind->load(q + kind->strengths * p->index[j], c);
        for (int a = 0; a < kind->channels; a++) {
            e->channel[a * (p->n + EWALD_PAD) + j] = c[a];
            if (!kind->mean)
                continue;
            sum[a][0] += c[a];
            for (int d = 0; d < 3; d++)
                sum[a][1 + d] += (long double)c[a] * p->x[3 * j + d];
        }
    }
    if (kind->mean)
        kind->mean(&e->job.split, (double)e->lattice.volume, sum, mean);
}

/* Sums of channels over the sources.  A thread has rows to itself, for which
 * it adds block after block: their order is that of the sources, whatever the
 * threads. */
static void gather(struct ewald_any *e)
{
    enum { B = EWALD_SOURCES };
    struct ewald_job *job = &e->job;
    const struct ewald_any_kern *kern = e->kern;
    int64_t n = e->sources.n, blocks = (n + B - 1) / B, rows = e->modes.rows;
    memset(job->sums, 0, (size_t)(job->kind->channels * e->modes.entries) * 8 *
                             sizeof(double));
    for (int64_t b0 = 0; b0 < blocks; b0 += e->slots) {
        int slots = (int)(blocks - b0 < e->slots ? blocks - b0 : e->slots);
#pragma omp parallel for schedule(static) num_threads(job->threads)
        for (int s = 0; s < slots; s++) {
            int64_t i0 = (b0 + s) * B;
            kern->tables(job, job->sources, s, i0,
                         (int)(n - i0 < B ? n - i0 : B));
        }
#pragma omp parallel for schedule(dynamic) num_threads(job->threads)
        for (int r = 0; r < ROW_SHARES; r++)
            for (int s = 0; s < slots; s++) {
                int64_t i0 = (b0 + s) * B;
                kern->gather(job, s, i0, (int)(n - i0 < B ? n - i0 : B),
                             par_start(rows, ROW_SHARES, r),
                             par_start(rows, ROW_SHARES, r + 1));
            }
    }
}

/* Weights of all values of an entry; see ewald_any_kern.c. */
static void weigh_entry(const struct ewald_job *job,
                        const struct ewald_row *row, int32_t n)
{
    const struct exact_kind *kind = job->kind;
    int64_t entries = job->modes->entries, at = row->start + n;
    double z[2][EXACT_VALUES][2] = {{{0}}};
    for (int minus = 0; minus < 2; minus++) {
        double s[EXACT_CHANNELS][2], k[3], sign = minus ? 1 : -1;
        long double wave[3];
        if (!ewald_wave(job->lattice, job->kmax, row, n, minus ? -1 : 1, wave))
            continue;
        for (int d = 0; d < 3; d++)
            k[d] = (double)wave[d];
        for (int c = 0; c < kind->channels; c++) {
            const double *sum =
                (const double *)job->sums + 8 * (c * entries + at);
            double p = sum[0] + sum[4], q = sum[1] + sum[5];
            double r = sum[2] + sum[6], t = sum[3] + sum[7];
            s[c][0] = p + sign * t; /* sum c e^{-ik.y} */
            s[c][1] = -r + sign * q;
        }
        kind->far(&job->split, k, s, z[minus]);
    }
    double front = (double)(2 / job->lattice->volume); /* both half spaces */
    for (int a = 0; a < job->width; a++) {
        double *w = (double *)job->weights + 4 * (a * entries + at);
        w[0] = front * (z[0][a][0] + z[1][a][0]);
        w[1] = front * (z[1][a][1] - z[0][a][1]);
        w[2] = front * (-z[0][a][1] - z[1][a][1]);
        w[3] = front * (z[1][a][0] - z[0][a][0]);
    }
}

static void weigh(struct ewald_any *e)
{
    const struct ewald_job *job = &e->job;
#pragma omp parallel for schedule(dynamic, 8) num_threads(job->threads)
    for (int64_t r = 0; r < e->modes.rows; r++)
        for (int32_t n = 0; n < e->modes.row[r].length; n++)
            weigh_entry(job, e->modes.row + r, n);
}

/* Near, far and mean at a block of targets. */
static void evaluate(struct ewald_any *e, double mean[][4], int64_t i0,
                     int64_t i1, double *values)
{
    const struct ewald_job *job = &e->job;
    const struct ewald_points *p = job->targets;
    int slot = omp_get_thread_num(), width = job->width;
    ewald_values v = {{0}};
    e->kern->tables(job, p, slot, i0, (int)(i1 - i0));
    e->kern->far(job, slot, i0, i1, v);
    e->kern->near(job, i0, i1, v);
    for (int64_t i = i0; i < i1; i++)
        for (int a = 0; a < width; a++) {
            double value = v[i - i0][a] + mean[a][0];
            for (int d = 0; d < 3 && job->kind->mean; d++)
                value += mean[a][1 + d] * p->x[3 * i + d];
            values[width * p->index[i] + a] = value;
        }
}

farsum_status ewald_any_run(struct ewald_any *e, const double *q, int width,
                            double *values)
{
    enum { T = EWALD_TARGETS };
    double mean[EXACT_VALUES][4];
    if (!e->ready)
        FAIL(ERR_STATE, "ewald: no points are set");
    e->job.width = width;
    load(e, q, mean);
    gather(e);
    weigh(e);
    int64_t m = e->job.targets->n, blocks = (m + T - 1) / T;
#pragma omp parallel for schedule(dynamic) num_threads(e->job.threads)
    for (int64_t b = 0; b < blocks; b++)
        evaluate(e, mean, b * T, m - b * T < T ? m : (b + 1) * T, values);
    return FARSUM_OK;
}

double ewald_any_estimate(const struct ewald_any *e, const double *q,
                          const double *values, double *norm)
{
    const struct exact_kind *kind = e->job.kind;
    int64_t n = e->sources.n, m = e->job.targets->n;
    double strength = 0, value = 0;
    for (int64_t j = 0; j < n; j++)
        strength += kind->square(q + kind->strengths * j);
    for (int64_t i = 0; i < m * kind->values; i++)
        value += values[i] * values[i];
    *norm = sqrt(value / (double)m);
    if (!(*norm > 0))
        return e->info.estimate;
    double a = cbrt((double)e->lattice.volume / (double)n);
    return ewald_any_cut(kind, &e->info, a) * sqrt(strength / (double)n) /
               (pow(a, kind->power) * *norm) + EWALD_ANY_ROUNDING;
}
