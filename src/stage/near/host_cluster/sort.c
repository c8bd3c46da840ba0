/* SPDX-License-Identifier: Apache-2.0 */
/* sort.c: sorts points into columns and along z, and cuts them into clusters.
 *
 * A counting sort over bins along each column is followed by a sort within each
 * bin.  The order (column, z, index) is unique, so it does not depend on the
 * number of threads or their timing. */
#include "stage/near/host_cluster/host_cluster.h"

#include <string.h>

#include "base/mem.h"
#include "base/par.h"

/* The bin of a point. */
static int64_t sort_key(const struct cluster_grid *grid,
                        const struct points *points, int64_t i)
{
    double s0 = points->s[grid->axis[0]][i], s1 = points->s[grid->axis[1]][i];
    double r[3];
    cluster_place(grid, points, i, r);
    int64_t c0 = (int64_t)(s0 * (double)grid->n[0]);
    int64_t c1 = (int64_t)(s1 * (double)grid->n[1]);
    int64_t b = (int64_t)(r[2] / grid->p[2][2] * (double)grid->bins);
    c0 = c0 < grid->n[0] ? c0 : grid->n[0] - 1;
    c1 = c1 < grid->n[1] ? c1 : grid->n[1] - 1;
    b = b < grid->bins ? b : grid->bins - 1;
    return (c0 * grid->n[1] + c1) * grid->bins + b;
}

/* Counts the bins, then moves each point into its bin.  Afterwards bin[b] is
 * the end of bin b. */
static void sort_bins(struct cluster_sorter *sorter,
                      const struct cluster_grid *grid, int threads,
                      const struct points *points)
{
    int64_t n = points->n, sum = 0, *bin = sorter->bin, *key = sorter->key;
    int64_t bins = grid->n[0] * grid->n[1] * grid->bins;
    memset(bin, 0, (size_t)bins * sizeof *bin);
    PAR_FOR(threads)
    for (int64_t i = 0; i < n; i++) {
        key[i] = sort_key(grid, points, i);
        if (threads == 1)
            bin[key[i]]++;
        else
#pragma omp atomic
            bin[key[i]]++;
    }
    for (int64_t b = 0; b < bins; b++) {
        int64_t count = bin[b];
        bin[b] = sum;
        sum += count;
    }
    PAR_FOR(threads)
    for (int64_t i = 0; i < n; i++) {
        int64_t k;
        double r[3];
        if (threads == 1)
            k = bin[key[i]]++;
        else
#pragma omp atomic capture
            k = bin[key[i]]++;
        cluster_place(grid, points, i, r);
        sorter->point[k] = (struct cluster_point){r[2], i};
    }
}

static inline int sort_before(const struct cluster_point *x,
                              const struct cluster_point *y)
{
    return x->z < y->z || (x->z == y->z && x->at < y->at);
}

static void sort_insert(struct cluster_point *p, int64_t n)
{
    for (int64_t i = 1; i < n; i++) {
        struct cluster_point x = p[i];
        int64_t j = i;
        for (; j > 0 && sort_before(&x, &p[j - 1]); j--)
            p[j] = p[j - 1];
        p[j] = x;
    }
}

static void sort_sift(struct cluster_point *p, int64_t i, int64_t n)
{
    struct cluster_point x = p[i];
    for (;;) {
        int64_t child = 2 * i + 1;
        if (child >= n)
            break;
        if (child + 1 < n && sort_before(&p[child], &p[child + 1]))
            child++;
        if (!sort_before(&x, &p[child]))
            break;
        p[i] = p[child];
        i = child;
    }
    p[i] = x;
}

static void sort_heap(struct cluster_point *p, int64_t n)
{
    for (int64_t i = n / 2; i-- > 0;)
        sort_sift(p, i, n);
    for (int64_t i = n - 1; i > 0; i--) {
        struct cluster_point x = p[0];
        p[0] = p[i];
        p[i] = x;
        sort_sift(p, 0, i);
    }
}

/* Returns how many of the sorted points begin..end of one column the next
 * cluster takes. */
static int sort_take(const struct cluster_sorter *sorter, double split,
                     int width, int64_t begin, int64_t end)
{
    const struct cluster_point *p = sorter->point + begin;
    int n = 1;
    while (n < width && begin + n < end && p[n].z - p[0].z <= split)
        n++;
    return n;
}

/* Sorts column c and counts its clusters. */
static int64_t sort_one(struct cluster_sorter *sorter,
                        const struct cluster_grid *grid, int width, int64_t c)
{
    const int64_t *bin = sorter->bin;
    int64_t first = c * grid->bins, last = first + grid->bins;
    int64_t begin = first > 0 ? bin[first - 1] : 0, end = bin[last - 1];
    for (int64_t b = first, from = begin; b < last; from = bin[b++])
        if (bin[b] - from > 24)
            sort_heap(sorter->point + from, bin[b] - from);
    sort_insert(sorter->point + begin, end - begin);
    int64_t count = 0;
    for (int64_t k = begin; k < end; count++)
        k += sort_take(sorter, grid->split, width, k, end);
    return count;
}

static void sort_pack(const struct cluster_sorter *sorter,
                      const struct cluster_grid *grid,
                      const struct cluster_list_kern *kern,
                      struct cluster_set *set, int64_t c)
{
    const int64_t *bin = sorter->bin;
    int64_t begin = c > 0 ? bin[c * grid->bins - 1] : 0;
    int64_t end = bin[(c + 1) * grid->bins - 1], cluster = set->column[c];
    for (int64_t k = begin; k < end; cluster++) {
        int64_t at[CLUSTER_MAX];
        double z[CLUSTER_MAX];
        int n = sort_take(sorter, grid->split, kern->width, k, end);
        for (int l = 0; l < n; l++) {
            at[l] = sorter->point[k + l].at;
            z[l] = sorter->point[k + l].z;
        }
        kern->pack(grid, set, c, cluster, n, at, z);
        k += n;
    }
}

farsum_status cluster_sort(struct cluster_sorter *sorter,
                           const struct cluster_grid *grid,
                           const struct cluster_list_kern *kern, int threads,
                           const struct points *points, int strengths,
                           struct cluster_set *set)
{
    int64_t columns = grid->n[0] * grid->n[1], sum = 0;
    int width = kern->width;
    TRY(MEM_RESERVE(sorter->key, &sorter->key_capacity, points->n));
    TRY(MEM_RESERVE(sorter->point, &sorter->point_capacity, points->n));
    TRY(MEM_RESERVE(sorter->bin, &sorter->bin_capacity, columns * grid->bins));
    TRY(MEM_RESERVE(set->column, &set->columns_capacity, columns + 1));
    TRY(MEM_RESERVE(set->box, &set->box_capacity, columns));
    sort_bins(sorter, grid, threads, points);
    PAR_FOR(threads, schedule(dynamic, 16))
    for (int64_t c = 0; c < columns; c++)
        set->column[c] = sort_one(sorter, grid, width, c);
    for (int64_t c = 0; c <= columns; c++) {
        int64_t count = c < columns ? set->column[c] : 0;
        set->column[c] = sum;
        sum += count;
    }
    set->points = points;
    set->n = points->n;
    set->n_clusters = sum;
    set->rows = 3 + strengths;
    TRY(mem_reserve(&set->x, &set->x_capacity, sum * set->rows,
                    (size_t)kern->bytes));
    TRY(MEM_RESERVE(set->order, &set->order_capacity, sum * width));
    TRY(MEM_RESERVE(set->z, &set->z_capacity, sum));
    if (grid->range > grid->unit)
        TRY(MEM_RESERVE(set->listed, &set->listed_capacity, sum * 3 * width));
    PAR_FOR(threads, schedule(dynamic, 16))
    for (int64_t c = 0; c < columns; c++)
        sort_pack(sorter, grid, kern, set, c);
    return FARSUM_OK;
}

void cluster_sort_clear(struct cluster_sorter *sorter)
{
    mem_free(sorter->key);
    mem_free(sorter->point);
    mem_free(sorter->bin);
    memset(sorter, 0, sizeof *sorter);
}

void cluster_set_clear(struct cluster_set *set)
{
    mem_free(set->column);
    mem_free(set->box);
    mem_free(set->x);
    mem_free(set->order);
    mem_free(set->listed);
    mem_free(set->z);
    memset(set, 0, sizeof *set);
}
