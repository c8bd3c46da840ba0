/* SPDX-License-Identifier: Apache-2.0 */
/* ewald_sum.c: periodic reference for laplace: set-up, and the steps of a
 * run. */
#include "reference/ewald/ewald_sum.h"
#include "base/mem.h"
#include "base/par.h"
#include "base/progress.h"
#include "reference/ewald/ewald_part.h"

#include <string.h>

ISA_TABLE(struct ewald_kern, ewald)

enum { SHARE = 7 }; /* energy, virial xx yy zz xy xz yz */

struct ewald {
    struct ewald_body body;
    const struct ewald_kern *kern;
    double *q;             /* [n + EWALD_PAD] in sorted order */
    long double (*share)[SHARE]; /* one per block of targets */
};

farsum_status ewald_create(const struct ewald_setup *setup, struct ewald **out)
{
    struct ewald *e = NULL;
    farsum_status status = FARSUM_OK;
    GO(MEM_NEW(e, 1));
    GO(ewald_body_open(&e->body, setup));
    GO(ewald_tune(&e->body.lattice, &e->body.setup, &e->body.info));
    *out = e;
    e = NULL;
done:
    ewald_destroy(e);
    return status;
}

static void free_work(struct ewald *e)
{
    mem_free(e->q);
    mem_free(e->share);
    mem_free(e->body.job.mode);
    e->q = NULL;
    e->share = NULL;
    e->body.job.mode = NULL;
}

void ewald_destroy(struct ewald *e)
{
    if (!e)
        return;
    free_work(e);
    ewald_body_close(&e->body);
    mem_free(e);
}

/* Allocates the workspace of a run. */
static farsum_status reserve_work(struct ewald *e)
{
    struct ewald_body *b = &e->body;
    struct ewald_job *job = &b->job;
    size_t size = e->kern->real_size;
    free_work(e);
    TRY(ewald_body_work(b, size, b->setup.threads, 1));
    TRY(mem_alloc(&job->mode, b->modes.entries * 2, size, 0));
    TRY(MEM_NEW(e->q, b->sources.n + EWALD_PAD));
    TRY(MEM_NEW(e->share, job->targets->n / EWALD_TARGETS + 1));
    job->q = e->q;
    return FARSUM_OK;
}

farsum_status ewald_set_points(struct ewald *e, int64_t n, const double *x,
                               int64_t m, const double *y)
{
    struct ewald_body *b = &e->body;
    TRY(ewald_body_count(b, n, m, y));
    TRY(ewald_tune(&b->lattice, &b->setup, &b->info));
    e->kern = b->info.level == EWALD_LONG ? &ewald_long
                                          : isa_ewald[b->setup.isa][0];
    TRY(ewald_body_points(b, x, y, b->setup.vacuum));
    TRY(reserve_work(e));
    e->kern->fill(&b->job);
    b->ready = 1;
    return FARSUM_OK;
}

void ewald_get_info(const struct ewald *e, struct ewald_info *info)
{
    *info = e->body.info;
}

/* Terms that do not depend on pairs: net charge and dipole. */
struct whole {
    long double net, dipole[3], background, surface;
};

static void sum_whole(struct ewald *e, const double *q, struct whole *w)
{
    const struct ewald_points *p = &e->body.sources;
    memset(w, 0, sizeof *w);
    for (int64_t j = 0; j < p->n; j++) {
        e->q[j] = q[p->index[j]];
        w->net += e->q[j];
        for (int d = 0; d < 3 && e->body.setup.vacuum; d++)
            w->dipole[d] += (long double)e->q[j] * p->x[3 * j + d];
    }
    long double xi = e->body.info.xi;
    w->background = -EWALD_PI * w->net / (xi * xi * e->body.lattice.volume);
    if (e->body.setup.vacuum)
        w->surface = 4 * EWALD_PI / (3 * e->body.lattice.volume);
}

/* Completes a block and stores the outputs in the caller's order. */
static void finish(const struct ewald *e, const struct whole *w, int64_t i0,
                   int64_t i1, const struct ewald_block *b, double *potential,
                   double *field, long double share[SHARE])
{
    const struct ewald_points *p = e->body.job.targets;
    for (int a = 0; a < SHARE; a++)
        share[a] = 0;
    for (int64_t i = i0; i < i1; i++) {
        const long double *v = b->virial[i - i0];
        long double phi = b->potential[i - i0] + w->background;
        for (int d = 0; d < 3 && e->body.setup.vacuum; d++)
            phi += w->surface * w->dipole[d] * p->x[3 * i + d];
        if (potential)
            potential[p->index[i]] = (double)phi;
        for (int d = 0; d < 3 && field; d++)
            field[3 * p->index[i] + d] =
                (double)(b->field[i - i0][d] - w->surface * w->dipole[d]);
        if (!e->body.same)
            continue;
        long double half = 0.5L * e->q[i];
        share[0] += half * phi;
        for (int a = 0; a < 6; a++)
            share[1 + a] += half * v[a];
    }
}

/* Near and far sums over all targets. */
static void run_targets(struct ewald *e, const struct whole *w,
                        double *potential, double *field)
{
    const struct ewald_kern *kern = e->kern;
    int64_t m = e->body.job.targets->n;
    int64_t blocks = (m + EWALD_TARGETS - 1) / EWALD_TARGETS;
    struct progress *listener = e->body.job.listener;
    PAR_FOR(e->body.job.threads, schedule(dynamic))
    for (int64_t b = 0; b < blocks; b++) {
        int64_t i0 = b * EWALD_TARGETS, i1 = i0 + EWALD_TARGETS;
        struct ewald_block block;
        if (progress_stopped(listener))
            continue;
        if (i1 > m)
            i1 = m;
        kern->near(&e->body.job, i0, i1, &block);
        if (e->body.job.want_far)
            kern->far(&e->body.job, omp_get_thread_num(), i0, i1, &block);
        finish(e, w, i0, i1, &block, potential, field, e->share[b]);
        progress_add(listener, i1 - i0);
    }
}

/* Adds up W of near field (in the shares), far field, background and
 * surface. */
static void total_virial(const struct ewald *e, const struct whole *w,
                         const long double near[SHARE], double *virial)
{
    static const int at[9] = {0, 3, 4, 3, 1, 5, 4, 5, 2};
    const long double *m = w->dipole;
    long double v[6] = {0};
    e->kern->virial(&e->body.job, v);
    long double m2 = m[0] * m[0] + m[1] * m[1] + m[2] * m[2];
    /* Background energy net * background / 2 scales as 1/V; surface energy
     * (surface/2) |M|^2 as |M|^2/V. */
    long double trace = (w->net * w->background + w->surface * m2) / 2;
    for (int i = 0; i < 9; i++) {
        long double x = near[1 + at[i]] + v[at[i]];
        x -= w->surface * m[i / 3] * m[i % 3];
        virial[i] = (double)(x + (i % 4 == 0 ? trace : 0));
    }
}

farsum_status ewald_run(struct ewald *e, const double *q, double *potential,
                        double *field, double *energy, double *virial)
{
    if (!e->body.ready)
        FAIL(ERR_STATE, "ewald: no points are set");
    if ((energy || virial) && !e->body.same)
        FAIL(ERR_ARGUMENT,
             "ewald: energy and virial need targets that are the sources");
    struct ewald_job *job = &e->body.job;
    const struct ewald_kern *kern = e->kern;
    struct whole w;
    sum_whole(e, q, &w);
    job->want_virial = virial != NULL;
    job->want_far = potential || field || energy;
    int64_t n = e->body.sources.n, entries = e->body.modes.entries;
    int threads = job->threads;
    job->listener =
        progress_phase(n + job->targets->n, "summing by Ewald's sum");
    /* A loop, not a region, so that every share is done for any team size. */
    PAR_FOR(threads, schedule(static))
    for (int t = 0; t < threads; t++)
        kern->gather(job, t, par_start(n, threads, t),
                     par_start(n, threads, t + 1));
    PAR_FOR(threads, schedule(static))
    for (int t = 0; t < threads; t++)
        kern->weigh(job, par_start(entries, threads, t),
                    par_start(entries, threads, t + 1));
    run_targets(e, &w, potential, field);
    TRY(progress_check(job->listener));
    if (!energy && !virial)
        return FARSUM_OK;
    long double share[SHARE] = {0};
    for (int64_t b = 0; b < (n + EWALD_TARGETS - 1) / EWALD_TARGETS; b++)
        for (int a = 0; a < SHARE; a++)
            share[a] += e->share[b][a];
    if (energy)
        *energy = (double)share[0];
    if (virial)
        total_virial(e, &w, share, virial);
    return FARSUM_OK;
}
