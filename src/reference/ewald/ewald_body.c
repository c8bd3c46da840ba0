/* SPDX-License-Identifier: Apache-2.0 */
/* ewald_body.c: common state of the periodic references, and its set-up. */
#include "base/mem.h"
#include "base/par.h"
#include "reference/ewald/ewald_open.h"

#include <math.h>

farsum_status ewald_body_open(struct ewald_body *b,
                              const struct ewald_setup *setup)
{
    b->setup = *setup;
    b->setup.threads = par_threads(setup->threads);
    if (setup->open[0] || setup->open[1] || setup->open[2])
        return ewald_open_lattice(&b->lattice, setup);
    return ewald_lattice_set(&b->lattice, setup->cell);
}

static void free_work(struct ewald_body *b)
{
    struct ewald_job *job = &b->job;
    for (int d = 0; d < 3; d++)
        mem_free(job->table[d]);
    mem_free(job->sums);
    mem_free(job->weights);
    *job = (struct ewald_job){.kind = job->kind, .split = job->split};
}

void ewald_body_close(struct ewald_body *b)
{
    free_work(b);
    ewald_points_free(&b->sources);
    ewald_points_free(&b->targets);
    ewald_boxes_free(&b->boxes);
    ewald_modes_free(&b->modes);
}

farsum_status ewald_body_count(struct ewald_body *b, int64_t n, int64_t m,
                               const double *y)
{
    b->ready = 0;
    if (n < 1 || (y && m < 1))
        FAIL(ERR_ARGUMENT, "ewald: %lld sources, %lld targets", (long long)n,
             (long long)m);
    b->same = !y;
    b->setup.n = n;
    b->setup.m = y ? m : 0;
    return FARSUM_OK;
}

farsum_status ewald_body_points(struct ewald_body *b, const double *x,
                                const double *y, int keep_x)
{
    int64_t n = b->setup.n;
    int threads = b->setup.threads;
    b->job.split.xi = b->info.xi;
    if (b->lattice.axes < 3)
        ewald_open_widen(&b->lattice, b->info.cutoff);
    TRY(ewald_boxes_set(&b->boxes, &b->lattice, b->info.cutoff, n));
    if (b->lattice.axes < 3)
        TRY(ewald_open_modes(&b->modes, &b->lattice, b->job.kind,
                             &b->job.split, b->info.kmax));
    else
        TRY(ewald_modes_set(&b->modes, &b->lattice, b->info.kmax));
    TRY(ewald_points_set(&b->sources, &b->lattice, &b->boxes, n, x, keep_x,
                         threads));
    ewald_points_free(&b->targets);
    if (!y)
        return FARSUM_OK;
    return ewald_points_set(&b->targets, &b->lattice, &b->boxes, b->setup.m, y,
                            keep_x, threads);
}

farsum_status ewald_body_work(struct ewald_body *b, size_t real_size,
                              int64_t sums, int64_t weights)
{
    struct ewald_job *job = &b->job;
    int64_t entries = b->modes.entries, threads = b->setup.threads;
    free_work(b);
    for (int d = 0; d < 3; d++)
        TRY(mem_alloc(&job->table[d],
                      threads * (b->modes.most[d] + 1) * 2 * EWALD_SOURCES,
                      real_size, 1));
    TRY(mem_alloc(&job->sums, sums * entries * 8, real_size, 0));
    TRY(mem_alloc(&job->weights, weights * entries * 4, real_size, 0));
    job->lattice = &b->lattice;
    job->boxes = &b->boxes;
    job->modes = &b->modes;
    job->sources = &b->sources;
    job->targets = b->same ? &b->sources : &b->targets;
    job->xi = job->split.xi = b->info.xi;
    job->rc = b->info.cutoff;
    job->kmax = b->info.kmax;
    job->soft = b->setup.soft;
    const long double *length = b->lattice.length;
    job->coincide =
        EWALD_COINCIDE
        * (double)fmaxl(length[2], fmaxl(length[0], length[1]));
    job->threads = b->setup.threads;
    return FARSUM_OK;
}
