/* SPDX-License-Identifier: Apache-2.0 */
/* set.c: sorts points into clusters and lists.  If points have moved less than
 * the lists allow for, only updates their coordinates. */
#include "stage/near/host_cluster/state.h"

#include <string.h>

#include "base/mem.h"
#include "base/par.h"

/* Factor on the distance below which kernels treat two points as coincident.
 * Points nearer than that may coincide: points_distinct bounds each fractional
 * coordinate, which is up to three times the distance, and coordinates are
 * rounded. */
#define CLOSE 4
/* Factor on the distance within which pairs are watched. */
#define WIDER (1 + 1e-5)

/* Allocates the arrays of each thread around one column. */
static farsum_status set_workers(struct host_cluster *h)
{
    const struct cluster_grid *grid = &h->grid;
    int64_t near = 0, size = 1;
    for (int d = 0; d < 2; d++)
        size *= 2 * grid->reach[d] + 1;
    for (int64_t k = 0; k < size; k++)
        near += grid->near[k];
    int64_t images = 3 + (int64_t)(2.01 * grid->range / grid->p[2][2]);
    for (int t = 0; t < h->threads; t++) {
        struct worker *w = &h->worker[t];
        TRY(MEM_RESERVE(w->visit, &w->visit_capacity, near * images + 1));
        TRY(MEM_RESERVE(w->image, &w->image_capacity, near * images + 1));
        TRY(MEM_RESERVE(w->spare, &w->spare_capacity, 2 * CLUSTER_BLOCK));
    }
    return FARSUM_OK;
}

/* Tries once to list everything. */
static void set_lists(struct host_cluster *h)
{
    enum { STEP = 16 };
    const struct cluster_set *targets = host_cluster_targets(h);
    int64_t per = h->list->width / h->list->group;
    int64_t groups = targets->n_clusters * per;
    const double close = CLOSE * near_skip(&h->args) * h->grid.unit;
    int found = 0;
    h->pool.used = h->watched.used = 0;
    PAR_TEAM(h->threads)
    {
        struct worker *w = &h->worker[omp_get_thread_num()];
        struct cluster_lister lister = {
            .grid = &h->grid,
            .targets = targets,
            .sources = &h->sources,
            .newton = h->newton,
            .close = close,
            .watch = close + h->args.skin * WIDER * h->grid.unit,
            .pool = &h->pool,
            .watched = &h->watched,
            .spare = w->spare,
            .image = w->image,
            .visit = w->visit,
            .start = h->start,
            .weight = h->weight,
        };
#pragma omp for schedule(dynamic)
        for (int64_t g = 0; g < groups; g += STEP * per) {
            int64_t end = g + STEP * per;
            h->list->list(&lister, g, end < groups ? end : groups);
        }
#pragma omp atomic
        found |= lister.found;
    }
    h->close |= found;
}

static farsum_status set_pool(struct cluster_pool *pool, int64_t blocks)
{
    int64_t words = blocks * CLUSTER_BLOCK;
    TRY(MEM_RESERVE(pool->word, &pool->capacity, words));
    pool->blocks = pool->capacity / CLUSTER_BLOCK;
    return FARSUM_OK;
}

/* Adds the missing blocks, and some more. */
static farsum_status set_pool_more(struct host_cluster *h,
                                   struct cluster_pool *pool)
{
    if (pool->used <= pool->blocks)
        return FARSUM_OK;
    return set_pool(pool, pool->used + pool->used / 16 + h->threads);
}

/* Makes the lists with the existing blocks, and again if those were too few. */
static farsum_status set_list(struct host_cluster *h)
{
    const struct cluster_set *targets = host_cluster_targets(h);
    int64_t groups = targets->n_clusters * (h->list->width / h->list->group);
    TRY(MEM_RESERVE(h->start, &h->start_capacity, groups));
    TRY(MEM_RESERVE(h->weight, &h->weight_capacity, groups));
    if (!h->pool.word) {
        double words = host_cluster_words(&h->args, h->list->width);
        words = (double)targets->n * words * (h->newton ? 0.5 : 1) / 2
                + 16 * (double)groups;
        TRY(set_pool(&h->pool, (int64_t)(words / CLUSTER_BLOCK) + h->threads));
    }
    for (int turn = 0; turn < 3; turn++) {
        set_lists(h);
        if (h->pool.used <= h->pool.blocks
            && h->watched.used <= h->watched.blocks)
            return FARSUM_OK;
        TRY(set_pool_more(h, &h->pool));
        TRY(set_pool_more(h, &h->watched));
    }
    FAIL(ERR_INTERNAL,
         "near host_cluster: the number of points differs from that of the "
         "lists");
}

/* Sets the range of clusters that a thread's sums touch: from its first slab as
 * far ahead as the cutoff reaches, around the cell. */
static void set_range(struct host_cluster *h, struct worker *w)
{
    const struct cluster_set *set = host_cluster_targets(h);
    int64_t slabs = h->grid.n[0], n1 = h->grid.n[1], lo = 0, last = 0;
    w->first = w->begin;
    w->count = w->end - w->begin;
    if (!h->newton || w->count == 0)
        return;
    while (set->column[(lo + 1) * n1] <= w->begin)
        lo++;
    for (last = lo; set->column[(last + 1) * n1] < w->end;)
        last++;
    last += h->grid.reach[0];
    w->first = 0;
    w->count = set->n_clusters;
    if (last - lo + 1 >= slabs)
        return;
    w->first = set->column[lo * n1];
    w->count = last < slabs ? set->column[(last + 1) * n1] - w->first
                            : set->n_clusters - w->first
                                  + set->column[(last + 1 - slabs) * n1];
}

/* Divides the target clusters among the threads, with equal numbers of
 * pairs. */
static farsum_status set_shares(struct host_cluster *h)
{
    const struct cluster_set *set = host_cluster_targets(h);
    int64_t per = h->list->width / h->list->group, c = 0, size = 0;
    double all = 0, sum = 0;
    for (int64_t g = 0; g < set->n_clusters * per; g++)
        all += 8 + h->weight[g];
    for (int t = 0; t < h->threads; t++) {
        struct worker *w = &h->worker[t];
        w->begin = c;
        for (; c < set->n_clusters
               && (t == h->threads - 1 || sum < all * (t + 1) / h->threads);
             c++)
            for (int64_t g = c * per; g < (c + 1) * per; g++)
                sum += 8 + h->weight[g];
        w->end = c;
        set_range(h, w);
        w->from = size;
        size += (w->count * h->list->bytes * h->parts + 63) / 64 * 64;
    }
    TRY(MEM_RESERVE(h->out, &h->out_capacity, size));
    if (!h->args.wide)
        return FARSUM_OK;
    TRY(MEM_RESERVE(h->wide, &h->wide_capacity, size / (int64_t)sizeof(float)));
    if (!h->newton)
        return FARSUM_OK;
    int64_t columns = h->grid.n[0] * h->grid.n[1];
    TRY(MEM_RESERVE(h->clustering, &h->clustering_capacity, columns));
    TRY(MEM_RESERVE(h->held, &h->held_capacity, columns * h->threads));
    memset(h->held, 0, (size_t)(columns * h->threads) * sizeof *h->held);
    cluster_crowding(&h->grid, &h->sources, h->list->width, h->clustering);
    return FARSUM_OK;
}

/* Updates the points of a set; returns the square of the farthest move, raw. */
static double keep_move(const struct host_cluster *h,
                        const struct cluster_set *set)
{
    double most = 0;
    PAR_FOR(h->threads, schedule(static, 1) reduction(max : most))
    for (int t = 0; t < h->threads; t++) {
        double far = h->keep->move(
            &h->grid, set, par_start(set->n_clusters, h->threads, t),
            par_start(set->n_clusters, h->threads, t + 1));
        most = far > most ? far : most;
    }
    return most;
}

/* 1: a pair that is listed as two distinct points may coincide now. */
static int keep_meets(const struct host_cluster *h, double close)
{
    int meets = 0;
    PAR_FOR(h->threads, schedule(dynamic) reduction(| : meets))
    for (int64_t b = 0; b < h->watched.used; b++)
        meets |=
            h->keep->watched(&h->grid, host_cluster_targets(h), &h->sources,
                             h->watched.word + b * CLUSTER_BLOCK, close);
    return meets;
}

/* 1: the lists are valid for these points, whose coordinates are updated. */
static int keep_lists(struct host_cluster *h, const struct points *sources,
                      const struct points *targets)
{
    const int newton = targets == sources;
    if (!(h->args.skin > 0) || !h->listed || h->newton != newton
        || h->sources.n != sources->n || (!newton && h->other.n != targets->n)
        || memcmp(h->cell, h->args.cell->a, sizeof h->cell) != 0)
        return 0;
    const double unit = h->grid.unit, far = 0.5 * h->args.skin * unit;
    h->sources.points = sources;
    if (keep_move(h, &h->sources) > far * far)
        return 0;
    h->other.points = targets;
    if (!newton && keep_move(h, &h->other) > far * far)
        return 0;
    return !keep_meets(h, CLOSE * near_skip(&h->args) * unit);
}

/* 1: two points of some cluster may coincide; lists do not hold such pairs. */
static int set_own(const struct host_cluster *h)
{
    const double close = CLOSE * near_skip(&h->args) * h->grid.unit;
    const int64_t n = h->sources.n_clusters;
    int found = 0;
    PAR_FOR(h->threads, schedule(static, 1) reduction(| : found))
    for (int t = 0; t < h->threads; t++)
        found |= h->keep->own(&h->sources, par_start(n, h->threads, t),
                              par_start(n, h->threads, t + 1), close);
    return found;
}

/* Makes new lists.  Sources that may coincide are checked one by one.  Many at
 * one position would make long lists; those within a cluster are found before
 * listing. */
static farsum_status set_new(struct host_cluster *h,
                             const struct points *sources,
                             const struct points *targets)
{
    const int strengths = h->pair->strengths;
    int distinct = h->args.distinct;
    h->listed = h->close = 0;
    h->newton = targets == sources;
    TRY(cluster_grid_set(&h->grid, &h->args, h->list->width, sources->n));
    TRY(set_workers(h));
    h->unit = h->kern->raw(h->pair) ? h->grid.unit : 1;
    TRY(cluster_sort(&h->sorter, &h->grid, h->list, h->threads, sources,
                     strengths, &h->sources));
    if (distinct && (!h->newton || set_own(h))) {
        TRY(points_distinct(sources, 1, h->threads, h->args.exclusions));
        distinct = 0;
    }
    if (!h->newton)
        TRY(cluster_sort(&h->sorter, &h->grid, h->list, h->threads, targets,
                         strengths, &h->other));
    TRY(set_list(h));
    if (distinct && h->close)
        TRY(points_distinct(sources, 1, h->threads, h->args.exclusions));
    TRY(set_shares(h));
    memcpy(h->cell, h->args.cell->a, sizeof h->cell);
    h->listed = 1;
    return FARSUM_OK;
}

farsum_status host_cluster_set(void *state, const struct points *sources,
                               const struct points *targets)
{
    struct host_cluster *h = state;
    targets = targets ? targets : sources;
    h->ready = 0;
    const int kept = keep_lists(h, sources, targets);
    if (!kept)
        TRY(set_new(h, sources, targets));
    else if (h->args.distinct && (!h->newton || h->close || set_own(h)))
        TRY(points_distinct(sources, 1, h->threads, h->args.exclusions));
    if (h->args.lists && kept)
        h->args.lists->kept++;
    else if (h->args.lists)
        h->args.lists->made++;
    h->ready = 1;
    return FARSUM_OK;
}
