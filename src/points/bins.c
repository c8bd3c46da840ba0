/* SPDX-License-Identifier: Apache-2.0 */
/* bins.c: a stable counting sort, parallel over parts of the caller's order. */
#include "points/bins.h"

#include "base/mem.h"
#include "base/par.h"
#include "points/wrap.h"

/* Limit of counters per point, summed over all parts, so that a sparse mesh
 * takes no more memory than its points. */
enum { COUNTERS_A_POINT = 2 };

struct sort {
    struct bins *bins;
    const double *s[3];
    double scale[3];
    int64_t stride[2];
    int parts;
    int64_t *count; /* [part][bin]; later the position of the part's next
                       point */
};

/* floor(s nb) < nb for every s < 1, even when rounded: nb/2^53 is more than
 * half of the spacing of doubles just below nb. */
static inline int64_t sort_bin(const struct sort *sort, int64_t i)
{
    int64_t bx = (int64_t)(sort->s[0][i] * sort->scale[0]);
    int64_t by = (int64_t)(sort->s[1][i] * sort->scale[1]);
    int64_t bz = (int64_t)(sort->s[2][i] * sort->scale[2]);
    return bx * sort->stride[0] + by * sort->stride[1] + bz;
}

static void sort_count(const struct sort *sort, int part)
{
    const struct bins *bins = sort->bins;
    int64_t *count = sort->count + part * bins->n_bins;
    int64_t end = par_start(bins->n, sort->parts, part + 1);
    for (int64_t b = 0; b < bins->n_bins; b++)
        count[b] = 0;
    for (int64_t i = par_start(bins->n, sort->parts, part); i < end; i++)
        count[sort_bin(sort, i)]++;
}

/* Returns the number of points in the bins of a part, summed over all parts of
 * the points. */
static int64_t sort_total(const struct sort *sort, int part)
{
    int64_t n_bins = sort->bins->n_bins, total = 0;
    int64_t from = par_start(n_bins, sort->parts, part);
    int64_t to = par_start(n_bins, sort->parts, part + 1);
    for (int p = 0; p < sort->parts; p++)
        for (int64_t b = from; b < to; b++)
            total += sort->count[p * n_bins + b];
    return total;
}

/* Converts counts to positions, for the bins of a part.  at: position of the
 * first point. */
static void sort_places(const struct sort *sort, int part, int64_t at)
{
    int64_t n_bins = sort->bins->n_bins;
    int64_t to = par_start(n_bins, sort->parts, part + 1);
    for (int64_t b = par_start(n_bins, sort->parts, part); b < to; b++) {
        sort->bins->start[b] = at;
        for (int p = 0; p < sort->parts; p++) {
            int64_t *count = &sort->count[p * n_bins + b], n = *count;
            *count = at;
            at += n;
        }
    }
}

static void sort_move(const struct sort *sort, int part)
{
    struct bins *bins = sort->bins;
    int64_t *place = sort->count + part * bins->n_bins;
    int64_t end = par_start(bins->n, sort->parts, part + 1);
    for (int64_t i = par_start(bins->n, sort->parts, part); i < end; i++) {
        int64_t k = place[sort_bin(sort, i)]++;
        bins->order[k] = i;
        for (int d = 0; d < 3; d++)
            bins->s[d][k] = sort->s[d][i];
    }
}

static void sort_run(const struct sort *sort, int64_t *total)
{
    int parts = sort->parts;
    PAR_TEAM(parts)
    {
#pragma omp for schedule(static, 1)
        for (int p = 0; p < parts; p++)
            sort_count(sort, p);
#pragma omp for schedule(static, 1)
        for (int p = 0; p < parts; p++)
            total[p] = sort_total(sort, p);
#pragma omp for schedule(static, 1)
        for (int p = 0; p < parts; p++) {
            int64_t at = 0;
            for (int i = 0; i < p; i++)
                at += total[i];
            sort_places(sort, p, at);
        }
#pragma omp for schedule(static, 1)
        for (int p = 0; p < parts; p++)
            sort_move(sort, p);
    }
    sort->bins->start[sort->bins->n_bins] = sort->bins->n;
}

static farsum_status bins_reserve(struct bins *bins)
{
    if (bins->capacity < bins->n || !bins->order) {
        int64_t have[4] = {bins->capacity, bins->capacity, bins->capacity,
                           bins->capacity};
        bins->capacity = 0;
        for (int d = 0; d < 3; d++)
            TRY(MEM_RESERVE(bins->s[d], &have[d], bins->n));
        TRY(MEM_RESERVE(bins->order, &have[3], bins->n));
        bins->capacity = bins->n;
    }
    return MEM_RESERVE(bins->start, &bins->bin_capacity, bins->n_bins + 1);
}

farsum_status bins_build(struct points *points, const int32_t nb[3],
                         int threads)
{
    farsum_status status = FARSUM_OK;
    struct bins *bins = &points->bins;
    struct sort sort = {.bins = bins};
    int64_t *total = NULL;
    double product = (double)nb[0] * nb[1] * nb[2];
    if (nb[0] < 1 || nb[1] < 1 || nb[2] < 1 || product > 1e15)
        FAIL(ERR_ARGUMENT, "bins: %d x %d x %d is not a valid count", nb[0],
             nb[1], nb[2]);
    bins->n = points->n;
    bins->n_bins = (int64_t)nb[0] * nb[1] * nb[2];
    for (int d = 0; d < 3; d++) {
        bins->nb[d] = nb[d];
        sort.s[d] = points->s[d];
        sort.scale[d] = nb[d];
    }
    sort.stride[0] = (int64_t)nb[1] * nb[2];
    sort.stride[1] = nb[2];
    int64_t most = COUNTERS_A_POINT * bins->n / bins->n_bins;
    sort.parts = par_threads(threads);
    if (sort.parts > most)
        sort.parts = most > 1 ? (int)most : 1;
    GO(bins_reserve(bins));
    GO(MEM_RAW(sort.count, sort.parts * bins->n_bins));
    GO(MEM_RAW(total, sort.parts));
    sort_run(&sort, total);
done:
    mem_free(sort.count);
    mem_free(total);
    if (status != FARSUM_OK)
        bins_clear(bins);
    return status;
}

void bins_clear(struct bins *bins)
{
    for (int d = 0; d < 3; d++)
        mem_free(bins->s[d]);
    mem_free(bins->order);
    mem_free(bins->start);
    *bins = (struct bins){0};
}
