/* SPDX-License-Identifier: Apache-2.0 */
/* host_cluster.c: SIMD over pairs of a point and a cluster of points (Pall and
 * Hess 2013, one to many).  Each pair is evaluated once; threads take slabs and
 * have private sums.  Wins wherever there are more than a few points. */
#include "stage/near/host_cluster/state.h"

#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "base/par.h"
#include "stage/device.h"

ISA_TABLE(struct cluster_kern, near_host_cluster)
ISA_TABLE(struct cluster_finish_kern, near_host_cluster_finish)

static farsum_status host_cluster_fits(const void *args)
{
    const struct near_args *a = args;
    TRY(near_skin_fits(a));
    if (near_kernel(a)->kind->moments > 1)
        FAIL(ERR_UNSUPPORTED, "does not sum quadrupoles");
    return gpu_not_wanted(a->device);
}

static farsum_status host_cluster_create(const void *data, void **state)
{
    const struct near_args *args = data;
    struct host_cluster *h = NULL;
    farsum_status status = FARSUM_OK;
    GO(MEM_NEW(h, 1));
    h->args = *args;
    h->pair = near_kernel(args);
    h->flow = !h->pair->kind->gradient;
    h->moments = h->pair->kind->moments;
    int f32 = args->precision == FARSUM_F32;
    h->list = host_cluster_list(args);
    h->keep = host_cluster_keep(args);
    h->kern = isa_near_host_cluster[args->isa][f32];
    h->finish = isa_near_host_cluster_finish[args->isa][f32];
    h->threads = par_threads(args->threads);
    h->parts = host_cluster_parts(args);
    GO(MEM_NEW(h->worker, h->threads));
    GO(MEM_NEW(h->sum, h->threads));
    *state = h;
    return FARSUM_OK;
done:
    if (h)
        mem_free(h->worker);
    mem_free(h);
    return status;
}

static farsum_status run_check(const struct host_cluster *h,
                               const struct near_io *io, int parts)
{
    if (!h->ready)
        FAIL(ERR_STATE, "near host_cluster: no points are set; call set first");
    if (!h->newton && (io->energy || io->virial))
        FAIL(ERR_ARGUMENT, "near host_cluster: energy and virial require "
                           "targets that are the sources");
    if (h->flow && (io->field || io->energy || io->virial))
        FAIL(ERR_ARGUMENT,
             "near host_cluster: flow kernels have only a velocity");
    if (io->gradient && !h->moments)
        FAIL(ERR_ARGUMENT,
             "near host_cluster: only kernels with moments have a gradient");
    if (parts > h->parts || (parts == 1 && h->parts == 3))
        FAIL(ERR_ARGUMENT, "near host_cluster: an output that was not "
                           "selected at creation");
    return FARSUM_OK;
}

/* Sums thread t's share of the pairs. */
static void run_sum(struct host_cluster *h, const struct near_io *io, int t,
                    enum cluster_output output)
{
    struct worker *w = &h->worker[t];
    const int wide = h->args.wide, spills = wide && h->newton;
    const int64_t columns = h->grid.n[0] * h->grid.n[1];
    memset(w->image_virial, 0, sizeof w->image_virial);
    h->sum[t] = (struct cluster_sum){
        .grid = &h->grid,
        .targets = host_cluster_targets(h),
        .sources = &h->sources,
        .newton = h->newton,
        .pool = h->pool.word,
        .start = h->start,
        .begin = w->begin,
        .end = w->end,
        .first = w->first,
        .count = w->count,
        .out = h->out + w->from,
        .wide = wide ? h->wide + w->from / (int64_t)sizeof(float) : NULL,
        .clustering = spills ? h->clustering : NULL,
        .held = spills ? h->held + t * columns : NULL,
        .poly = h->args.poly,
        .pair = h->pair,
        .output = output,
        .skip = near_skip(&h->args) * h->grid.unit,
        .soft = h->args.soft * h->grid.unit,
        .virial = io->virial ? w->image_virial : NULL,
    };
    h->kern->sum(&h->sum[t]);
}

static void run_finish(struct host_cluster *h, const struct near_io *io, int t,
                       double scale)
{
    const struct cluster_set *set = host_cluster_targets(h);
    struct worker *w = &h->worker[t];
    struct cluster_finish finish = {
        .grid = &h->grid,
        .targets = set,
        .part = h->sum,
        .parts = h->threads,
        .newton = h->newton,
        .wide = h->args.wide,
        .begin = par_start(set->n_clusters, h->threads, t),
        .end = par_start(set->n_clusters, h->threads, t + 1),
        .io = io,
        .unit = h->unit,
        .scale = h->unit / scale,
    };
    h->finish->finish(&finish);
    w->energy = finish.energy;
    for (int k = 0; k < 9; k++)
        w->virial[k] = finish.virial[k] * finish.scale * finish.scale;
    for (int k = 0; k < 9; k++)
        w->image_virial[k] *= finish.scale * finish.scale;
}

/* Adds the threads' shares in order.  Rotates the virial from the frame to the
 * caller's axes and makes it symmetric, as central forces require. */
static void run_total(const struct host_cluster *h, const struct near_io *io)
{
    double sum[9] = {0}, energy = 0;
    for (int t = 0; t < h->threads; t++) {
        const struct worker *w = &h->worker[t];
        energy += w->energy;
        for (int k = 0; k < 9; k++)
            sum[k] += w->virial[k] + w->image_virial[k];
    }
    double *to = io->virial;
    if (io->energy)
        *(double *)io->energy += energy;
    for (int k = 0; to && k < 9; k++)
        for (int m = 0; m < 9; m++)
            to[k] += h->grid.frame[m / 3][k / 3] * h->grid.frame[m % 3][k % 3]
                     * 0.5 * (sum[m] + sum[m % 3 * 3 + m / 3]);
}

/* The power of two of the largest charge. */
static double run_largest(const struct host_cluster *h, const void *q)
{
    double most = 0;
    int64_t n = h->sources.n;
    int f32 = h->args.precision == FARSUM_F32;
    PAR_FOR(h->threads, reduction(max : most))
    for (int64_t j = 0; j < n; j++) {
        double x = f32 ? (double)((const float *)q)[j]
                       : ((const double *)q)[j];
        most = fabs(x) > most ? fabs(x) : most;
    }
    return most > 0 ? exp2(floor(log2(most))) : 0;
}

/* Packs thread t's share of the sources' strengths. */
static void run_strengths(struct host_cluster *h, const struct near_io *io,
                          int t, double scale, double tiny)
{
    const struct cluster_set *set = &h->sources;
    int64_t begin = par_start(set->n_clusters, h->threads, t);
    int64_t end = par_start(set->n_clusters, h->threads, t + 1);
    if (h->flow || h->moments)
        h->list->vectors(&h->grid, set, io->q, begin, end);
    else
        h->list->charge(set, scale, tiny, io->q, begin, end);
}

static enum cluster_output run_output(const struct host_cluster *h,
                                      const struct near_io *io)
{
    int pot = io->potential || io->energy, field = io->field || io->virial;
    if (h->moments)
        return io->gradient || io->virial ? CLUSTER_ALL : CLUSTER_BOTH;
    if (h->flow)
        return CLUSTER_FIELD;
    return !field ? CLUSTER_POT : pot ? CLUSTER_BOTH : CLUSTER_FIELD;
}

static farsum_status host_cluster_run(void *state, const void *data)
{
    struct host_cluster *h = state;
    const struct near_io *io = data;
    if (!io->potential && !io->energy && !io->field && !io->virial
        && !io->gradient)
        return FARSUM_OK;
    const enum cluster_output output = run_output(h, io);
    TRY(run_check(h, io, cluster_parts(output)));
    const int threads = h->threads;
    double most = h->flow || h->moments ? 0 : run_largest(h, io->q);
    double scale = h->unit / (most > 0 ? most : 1);
    double tiny = h->newton && most > 0 ? h->list->tiny * h->unit : 0;
    PAR_TEAM(threads)
    {
#pragma omp for schedule(static, 1)
        for (int t = 0; t < threads; t++)
            run_strengths(h, io, t, scale, tiny);
#pragma omp for schedule(static, 1)
        for (int t = 0; t < threads; t++)
            run_sum(h, io, t, output);
#pragma omp for schedule(static, 1)
        for (int t = 0; t < threads; t++)
            run_finish(h, io, t, scale);
    }
    run_total(h, io);
    return FARSUM_OK;
}

static void host_cluster_destroy(void *state)
{
    struct host_cluster *h = state;
    if (!h)
        return;
    for (int t = 0; t < h->threads; t++) {
        mem_free(h->worker[t].image);
        mem_free(h->worker[t].visit);
        mem_free(h->worker[t].spare);
    }
    cluster_grid_clear(&h->grid);
    cluster_sort_clear(&h->sorter);
    cluster_set_clear(&h->sources);
    cluster_set_clear(&h->other);
    mem_free(h->pool.word);
    mem_free(h->watched.word);
    mem_free(h->start);
    mem_free(h->weight);
    mem_free(h->out);
    mem_free(h->wide);
    mem_free(h->clustering);
    mem_free(h->held);
    mem_free(h->worker);
    mem_free(h->sum);
    mem_free(h);
}

const struct variant near_host_cluster = {
    .fits = host_cluster_fits,
    .cost = host_cluster_cost,
    .bytes = host_cluster_bytes,
    .create = host_cluster_create,
    .set = host_cluster_set,
    .run = host_cluster_run,
    .destroy = host_cluster_destroy,
    .deterministic = 1,
    .needs = "",
    .work = host_cluster_ops,
    .lists = 1,
};
