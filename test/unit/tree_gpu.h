/* SPDX-License-Identifier: Apache-2.0 */
/* tree_gpu.h: common code of the tests of trees on a device. */
#ifndef FARSUM_TEST_UNIT_TREE_GPU_H
#define FARSUM_TEST_UNIT_TREE_GPU_H

#include <stdlib.h>
#include <string.h>

#include "points/cell.h"
#include "points/wrap.h"
#include "points/tree/tree_device_set.h"
#include "unit/tree_case.h"

extern struct device *device; /* under test */

static inline void *taken(const struct buf *buf, int64_t bytes)
{
    void *p = check_memory((size_t)bytes + 1, 1);
    if (bytes > 0)
        CHECK_OK(buf_download(buf, 0, p, bytes));
    return p;
}

/* Compares a side (sources or targets) of the device's tree with the host's. */
static inline void check_side(const struct tree *host,
                              const struct tree_points *a,
                              const struct tree_gpu_points *b)
{
    int64_t real = host->precision == FARSUM_F32 ? 4 : 8, wrong = 0;
    uint32_t *begin = taken(&b->begin, 4 * (host->n_leaves + 1));
    uint32_t *order = taken(&b->order, 4 * a->n);
    char *x = taken(&b->x, 3 * a->n * real);
    uint32_t *low = real == 4 ? taken(&b->low, 4 * a->n) : NULL;
    tree_same("points", b->n, a->n);
    for (int64_t leaf = 0; leaf <= host->n_leaves; leaf++)
        wrong += begin[leaf] != (uint64_t)a->begin[leaf];
    tree_same("beginnings that differ", wrong, 0);
    for (int64_t k = 0; k < a->n; k++)
        wrong += order[k] != (uint64_t)a->order[k];
    tree_same("places in the order that differ", wrong, 0);
    /* products may be fused into sums or not; with f32's low bits both agree to
     * one step of these bits */
    double most = real == 4 ? 1.2e-10
                            : 1.2e-16 * (double)(host->root[0] + 1)
                                  * ldexp(1, host->depth);
    for (int d = 0; d < 3; d++)
        for (int64_t k = 0; k < a->n; k++) {
            const char *at = x + (d * a->n + k) * real;
            double found = real == 4 ? (double)*(const float *)(const void *)at
                                     : *(const double *)(const void *)at;
            double wanted = tree_at(host, a, d, k);
            if (low) {
                found += (double)tree_low_part(low[k], d);
                wanted += (double)tree_low_part(a->low[k], d);
            }
            wrong += !(fabs(found - wanted) <= most);
        }
    tree_same("coordinates that differ", wrong, 0);
    free(begin);
    free(order);
    free(x);
    free(low);
}

/* Points of a distribution on the device; their fractions on the host. */
static inline double *put(struct points_gpu *p, const struct tree_args *args,
                          enum tree_dist dist, int64_t n, uint64_t seed)
{
    struct cell cell;
    double rows[9] = {0};
    double *x = check_memory((size_t)(3 * n + 1), sizeof *x);
    for (int d = 0; d < 3; d++)
        rows[4 * d] = args->edge[d];
    CHECK_OK(cell_set(&cell, rows, 1));
    tree_fractions(dist, n, seed, x);
    for (int64_t k = 0; k < 3 * n; k++)
        x[k] *= args->edge[k % 3];
    CHECK_OK(points_gpu_set(p, &cell, n, x, FARSUM_F64, "source"));
    free(x);
    return taken(&p->s, 24 * n);
}

/* points/tree/tree_device_sparse.c: runs its tests; prints how long sets
 * take. */
void tree_gpu_check_sparse(void);
/* tree_gpu_clustering.c: the same. */
void tree_gpu_check_clusterings(void);
void tree_gpu_clustering_perf(void);
void tree_gpu_perf(void);
#endif
