/* ewald_sum.c: the periodic oracle: set-up, and the order of a run. */
#include "method/ewald_sum.h"
#include "base/mem.h"
#include "base/par.h"
#include "method/ewald_part.h"

#include <string.h>

ISA_TABLE(struct ewald_kern, ewald)

enum { SHARE = 7 }; /* energy, virial xx yy zz xy xz yz */

struct ewald {
    struct ewald_setup setup;
    struct ewald_lattice lattice;
    struct ewald_info info;
    struct ewald_boxes boxes;
    struct ewald_modes modes;
    struct ewald_points sources, targets; /* targets.n = 0: the sources */
    const struct ewald_kern *kern;
    struct ewald_job job;
    double *q;             /* [n + EWALD_PAD] in sorted order */
    long double (*share)[SHARE]; /* a block of targets each */
    int ready, same;
};

farsum_status ewald_create(const struct ewald_setup *setup, struct ewald **out)
{
    struct ewald *e = NULL;
    farsum_status status = FARSUM_OK;
    GO(MEM_NEW(e, 1));
    e->setup = *setup;
    e->setup.threads = par_threads(setup->threads);
    GO(ewald_lattice_set(&e->lattice, setup->cell));
    GO(ewald_tune(&e->lattice, &e->setup, &e->info));
    *out = e;
    e = NULL;
done:
    ewald_destroy(e);
    return status;
}

static void free_work(struct ewald *e)
{
    struct ewald_job *job = &e->job;
    for (int d = 0; d < 3; d++)
        mem_free(job->table[d]);
    mem_free(job->sums);
    mem_free(job->weights);
    mem_free(job->mode);
    mem_free(e->q);
    mem_free(e->share);
    e->q = NULL;
    e->share = NULL;
    memset(job, 0, sizeof *job);
}

void ewald_destroy(struct ewald *e)
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
static farsum_status reserve_work(struct ewald *e)
{
    struct ewald_job *job = &e->job;
    const struct ewald_points *targets = e->same ? &e->sources : &e->targets;
    int threads = e->setup.threads;
    size_t size = e->kern->real_size;
    int64_t entries = e->modes.entries;
    free_work(e);
    for (int d = 0; d < 3; d++)
        TRY(mem_alloc(&job->table[d],
                      (int64_t)threads * (e->modes.most[d] + 1) * 2 *
                          EWALD_SOURCES,
                      size, 1));
    TRY(mem_alloc(&job->sums, threads * entries * 8, size, 0));
    TRY(mem_alloc(&job->weights, entries * 4, size, 0));
    TRY(mem_alloc(&job->mode, entries * 2, size, 0));
    TRY(MEM_NEW(e->q, e->sources.n + EWALD_PAD));
    TRY(MEM_NEW(e->share, targets->n / EWALD_TARGETS + 1));
    job->lattice = &e->lattice;
    job->boxes = &e->boxes;
    job->modes = &e->modes;
    job->sources = &e->sources;
    job->targets = targets;
    job->xi = e->info.xi;
    job->rc = e->info.cutoff;
    job->kmax = e->info.kmax;
    job->coincide = EWALD_COINCIDE * (double)e->lattice.length[2];
    job->q = e->q;
    job->threads = threads;
    return FARSUM_OK;
}

farsum_status ewald_set_points(struct ewald *e, int64_t n, const double *x,
                               int64_t m, const double *y)
{
    int threads = e->setup.threads, vacuum = e->setup.vacuum;
    e->ready = 0;
    if (n < 1 || (y && m < 1))
        FAIL(ERR_ARGUMENT, "ewald: %lld sources, %lld targets", (long long)n,
             (long long)m);
    e->same = !y;
    e->setup.n = n;
    e->setup.m = y ? m : 0;
    TRY(ewald_tune(&e->lattice, &e->setup, &e->info));
    e->kern = e->info.level == EWALD_LONG ? &ewald_long
                                          : isa_ewald[e->setup.isa][0];
    TRY(ewald_boxes_set(&e->boxes, &e->lattice, e->info.cutoff, n));
    TRY(ewald_modes_set(&e->modes, &e->lattice, e->info.kmax));
    TRY(ewald_points_set(&e->sources, &e->lattice, &e->boxes, n, x, vacuum,
                         threads));
    ewald_points_free(&e->targets);
    if (y)
        TRY(ewald_points_set(&e->targets, &e->lattice, &e->boxes, m, y, vacuum,
                             threads));
    TRY(reserve_work(e));
    e->kern->fill(&e->job);
    e->ready = 1;
    return FARSUM_OK;
}

void ewald_get_info(const struct ewald *e, struct ewald_info *info)
{
    *info = e->info;
}

/* What does not depend on the pair: net charge and dipole. */
struct whole {
    long double net, dipole[3], background, surface;
};

static void sum_whole(struct ewald *e, const double *q, struct whole *w)
{
    const struct ewald_points *p = &e->sources;
    memset(w, 0, sizeof *w);
    for (int64_t j = 0; j < p->n; j++) {
        e->q[j] = q[p->index[j]];
        w->net += e->q[j];
        for (int d = 0; d < 3 && e->setup.vacuum; d++)
            w->dipole[d] += (long double)e->q[j] * p->x[3 * j + d];
    }
    long double xi = e->info.xi;
    w->background = -EWALD_PI * w->net / (xi * xi * e->lattice.volume);
    if (e->setup.vacuum)
        w->surface = 4 * EWALD_PI / (3 * e->lattice.volume);
}

/* Completes a block and hands it out; outputs in the caller's order. */
static void finish(const struct ewald *e, const struct whole *w, int64_t i0,
                   int64_t i1, const struct ewald_block *b, double *potential,
                   double *field, long double share[SHARE])
{
    const struct ewald_points *p = e->job.targets;
    for (int a = 0; a < SHARE; a++)
        share[a] = 0;
    for (int64_t i = i0; i < i1; i++) {
        const long double *v = b->virial[i - i0];
        long double phi = b->potential[i - i0] + w->background;
        for (int d = 0; d < 3 && e->setup.vacuum; d++)
            phi += w->surface * w->dipole[d] * p->x[3 * i + d];
        if (potential)
            potential[p->index[i]] = (double)phi;
        for (int d = 0; d < 3 && field; d++)
            field[3 * p->index[i] + d] =
                (double)(b->field[i - i0][d] - w->surface * w->dipole[d]);
        if (!e->same)
            continue;
        long double half = 0.5L * e->q[i];
        share[0] += half * phi;
        for (int a = 0; a < 6; a++)
            share[1 + a] += half * v[a];
    }
}

/* Near and far, over all targets. */
static void run_targets(struct ewald *e, const struct whole *w,
                        double *potential, double *field)
{
    const struct ewald_kern *kern = e->kern;
    int64_t m = e->job.targets->n;
    int64_t blocks = (m + EWALD_TARGETS - 1) / EWALD_TARGETS;
#pragma omp parallel for schedule(dynamic) num_threads(e->job.threads)
    for (int64_t b = 0; b < blocks; b++) {
        int64_t i0 = b * EWALD_TARGETS, i1 = i0 + EWALD_TARGETS;
        struct ewald_block block;
        if (i1 > m)
            i1 = m;
        kern->near(&e->job, i0, i1, &block);
        if (e->job.want_far)
            kern->far(&e->job, omp_get_thread_num(), i0, i1, &block);
        finish(e, w, i0, i1, &block, potential, field, e->share[b]);
    }
}

/* W of near (in the shares), far, background and surface. */
static void total_virial(const struct ewald *e, const struct whole *w,
                         const long double near[SHARE], double *virial)
{
    static const int at[9] = {0, 3, 4, 3, 1, 5, 4, 5, 2};
    const long double *m = w->dipole;
    long double v[6] = {0};
    e->kern->virial(&e->job, v);
    long double m2 = m[0] * m[0] + m[1] * m[1] + m[2] * m[2];
    /* Background energy net * background / 2 goes as 1/V; surface energy
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
    if (!e->ready)
        FAIL(ERR_STATE, "ewald: no points are set");
    if ((energy || virial) && !e->same)
        FAIL(ERR_ARGUMENT,
             "ewald: energy and virial need targets that are the sources");
    struct ewald_job *job = &e->job;
    const struct ewald_kern *kern = e->kern;
    struct whole w;
    sum_whole(e, q, &w);
    job->want_virial = virial != NULL;
    job->want_far = potential || field || energy;
    int64_t n = e->sources.n, entries = e->modes.entries;
    int threads = job->threads;
    /* A loop, not a region: every share is done, whatever the team's size. */
#pragma omp parallel for schedule(static) num_threads(threads)
    for (int t = 0; t < threads; t++)
        kern->gather(job, t, par_start(n, threads, t),
                     par_start(n, threads, t + 1));
#pragma omp parallel for schedule(static) num_threads(threads)
    for (int t = 0; t < threads; t++)
        kern->weigh(job, par_start(entries, threads, t),
                    par_start(entries, threads, t + 1));
    run_targets(e, &w, potential, field);
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
