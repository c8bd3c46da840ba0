/* SPDX-License-Identifier: Apache-2.0 */
/* choose_tree.c: choice between a dense and a sparse tree for clustered points
 * on a device. */
#include <string.h>

#include "base/mem.h"
#include "method/fmm/device/set_points.h"
#include "points/device/set.h"

/* Extra time to build a sparse tree instead of a dense one: constant, and per
 * point. */
#define TREE 1e-3
#define TREE_POINT 1e-9

static farsum_status sparse_crowding(const struct task *task, struct fmm *s,
                                     double *crowding)
{
    farsum_status status = FARSUM_OK;
    struct fmm_gpu *g = s->gpu;
    struct fmm_region region = {.n = s->source.n,
                                .wide = task->problem.arrays != FARSUM_F32,
                                .fractions = s->input.periodic};
    const struct buf *x = region.fractions ? &s->source.gpu->s : &g->x;
    struct gpu_box box = {0};
    int32_t *count = NULL;
    const int64_t bytes = 4 * FMM_CELLS;
    if (region.fractions)
        GO(points_gpu_fractions(s->source.gpu));
    else
        GO(points_gpu_box(s->source.gpu, &box));
    region.per = task_per(task);
    for (int d = 0; d < 3; d++)
        region.corner[d] = region.per * box.lo[d];
    memcpy(region.edge, s->input.edge, sizeof region.edge);
    GO(MEM_RAW(count, FMM_CELLS));
    GO(buf_reserve(&g->boxes, g->device, bytes));
    GO(buf_fill_part(&g->boxes, 0, 0, bytes));
    GO(LAUNCH(&g->cells, kernel_groups(&g->cells, region.n), ARG_BUF(x),
              ARG_BUF(x), ARG_BUF(&g->boxes), ARG_STRUCT(region)));
    GO(buf_download(&g->boxes, 0, count, bytes));
    *crowding = fmm_crowding(count, region.n);
done:
    mem_free(count);
    return status;
}

/* Seconds of an execute with boxes filled as unevenly as `crowding`.  For near
 * pairs the cells give only a lower limit of the unevenness. */
static farsum_status sparse_dense(const struct task *task, const struct fmm *s,
                                  double crowding, int64_t n, int64_t m,
                                  double *seconds)
{
    struct choice choice[FMM_STAGES];
    struct boxes_args boxes;
    struct p2p_args pairs;
    fmm_args(task, s, &s->shape, n, m, &boxes, &pairs);
    TRY(fmm_choose(task, s, &boxes, &pairs, choice));
    *seconds = s->shape.seconds + (crowding - 1) * choice[FMM_P2P].cost;
    return FARSUM_OK;
}

/* Extra time per execute to build a sparse tree. */
static double sparse_set(const struct task *task, int64_t n, int64_t m)
{
    const double repeats = task->options.repeats;
    return (TREE + (double)(n + m) * TREE_POINT) / (repeats > 1 ? repeats : 1);
}

/* Chooses the tree of a periodic cell.  If there is a sample, it predicts the
 * clustering, and the call does not wait for the device. */
static farsum_status sparse_cell(const struct task *task, struct fmm *s,
                                 int64_t n, int64_t m)
{
    double crowding = 1, seconds;
    int uneven = 0;
    if (task->sample.n_targets == 0)
        TRY(sparse_crowding(task, s, &crowding));
    TRY(fmm_uneven_cell(task, s, crowding, n, m, sparse_set(task, n, m),
                        &seconds, &uneven));
    return fmm_shape(task, s, uneven, n, m, &s->shape);
}

farsum_status fmm_gpu_shape(const struct task *task, struct fmm *s, int64_t n,
                            int64_t m)
{
    struct fmm_shape sparse;
    double crowding = 1, dense;
    if (s->names.tree)
        return fmm_shape(task, s, 0, n, m, &s->shape);
    if (s->input.periodic)
        return sparse_cell(task, s, n, m);
    TRY(sparse_crowding(task, s, &crowding));
    /* the user may name a variant that does not support sparse trees */
    if (crowding <= FMM_FAR_FROM_UNIFORM
        || fmm_shape_try(task, s, 1, n, m, &sparse) != FARSUM_OK)
        return fmm_shape(task, s, 0, n, m, &s->shape);
    if (fmm_shape_try(task, s, 0, n, m, &s->shape) != FARSUM_OK) {
        s->shape = sparse;
        return FARSUM_OK;
    }
    TRY(sparse_dense(task, s, crowding, n, m, &dense));
    if (sparse.seconds + sparse_set(task, n, m) < dense)
        s->shape = sparse;
    return FARSUM_OK;
}
