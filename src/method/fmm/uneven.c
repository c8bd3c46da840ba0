/* SPDX-License-Identifier: Apache-2.0 */
/* uneven.c: choice between a dense and a sparse tree.  Open space: sparse for
 * points far from uniform.  A periodic cell: the one predicted to be faster. */
#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "base/par.h"
#include "base/arrays.h"
#include "method/fmm/fmm.h"

/* Below this clustering factor a dense tree is used without further tests. */
#define EVEN 1.5
/* Factor of a sparse tree's time over the prediction from its shape: boxes that
 * clusters do not fill, higher orders. */
#define CLUSTERINGS 2
/* Points per thread, at least. */
enum { UNEVEN_LEAST = 4096 };

static double uneven_low(const struct fmm_places *p, int axis, int threads)
{
    double low = array_get(p->x[axis], p->type, 0);
    PAR_FOR(threads, schedule(static) reduction(min : low))
    for (int64_t i = 1; i < p->n; i++) {
        double v = array_get(p->x[axis], p->type, p->step * i);
        low = v < low ? v : low;
    }
    return low;
}

/* Adds points begin to end to the cells that contain them. */
static void uneven_count(const struct fmm_places *p, const double low[3],
                         const double edge[3], int64_t begin, int64_t end,
                         int32_t *count)
{
    for (int64_t i = begin; i < end; i++) {
        int64_t at = 0;
        for (int d = 0; d < 3; d++) {
            double v = array_get(p->x[d], p->type, p->step * i);
            double f = (p->per * v - p->per * low[d]) / edge[d];
            int64_t k = (int64_t)(f * FMM_CELL);
            at = at * FMM_CELL + (k < FMM_CELL ? k : FMM_CELL - 1);
        }
        count[at]++;
    }
}

farsum_status fmm_uneven(const struct fmm_places *places, const double edge[3],
                         int threads, int *uneven)
{
    int64_t n = places->n, most = n / UNEVEN_LEAST + 1;
    int parts = most < threads ? (int)most : threads;
    int32_t *count = NULL;
    double low[3];
    TRY(MEM_NEW(count, (int64_t)parts * FMM_CELLS));
    for (int d = 0; d < 3; d++)
        low[d] = uneven_low(places, d, parts);
    PAR_FOR(parts, schedule(static, 1))
    for (int p = 0; p < parts; p++)
        uneven_count(places, low, edge, par_start(n, parts, p),
                     par_start(n, parts, p + 1), count + p * FMM_CELLS);
    for (int k = FMM_CELLS; k < parts * FMM_CELLS; k++)
        count[k % FMM_CELLS] += count[k];
    *uneven = fmm_crowding(count, n) > FMM_FAR_FROM_UNIFORM;
    mem_free(count);
    return FARSUM_OK;
}

/* Seconds of a dense tree's execute for points of this clustering factor.
 * Without a sample, near pairs increase by the factor. */
static farsum_status uneven_dense(const struct task *task, const struct fmm *s,
                                  const struct fmm_shape *shape, int64_t n,
                                  int64_t m, double *crowding, double *seconds)
{
    struct choice choice[FMM_STAGES];
    struct boxes_args boxes;
    struct p2p_args pairs;
    int depth;
    *seconds = shape->seconds;
    if (task->sample.n_targets == 0 && *crowding <= 1)
        return FARSUM_OK;
    fmm_args(task, s, shape, n, m, &boxes, &pairs);
    TRY(fmm_choose(task, s, &boxes, &pairs, choice));
    if (task->sample.n_targets > 0)
        *crowding = pairs.neighbours
                    / (fmm_shape_filling(s, shape, n, &depth)
                       * pow(2 * shape->ws + 1, 3));
    else
        *seconds += (*crowding - 1) * choice[FMM_P2P].cost;
    return FARSUM_OK;
}

static farsum_status uneven_cell(const struct task *task, struct fmm *s,
                                 double crowding, int64_t n, int64_t m,
                                 double set, double *seconds, int *uneven)
{
    struct fmm_shape dense, sparse;
    farsum_status status = fmm_shape_try(task, s, 0, n, m, &dense);
    *uneven = 0;
    *seconds = 0;
    if (status != FARSUM_OK) { /* the caller's next search reports the reason */
        *uneven =
            (status == FARSUM_ERR_MEMORY || status == FARSUM_ERR_TOLERANCE)
            && fmm_shape_try(task, s, 1, n, m, &sparse) == FARSUM_OK;
        *seconds = *uneven ? CLUSTERINGS * sparse.seconds : 0;
        return FARSUM_OK;
    }
    TRY(uneven_dense(task, s, &dense, n, m, &crowding, seconds));
    /* the user may name a variant that does not support sparse trees */
    if (crowding <= EVEN
        || fmm_shape_try(task, s, 1, n, m, &sparse) != FARSUM_OK)
        return FARSUM_OK;
    double most = sparse.seconds * fmax(s->slower, CLUSTERINGS);
    *uneven = most + set < *seconds;
    *seconds = *uneven ? most : *seconds;
    return FARSUM_OK;
}

/* CLUSTERINGS is for points of which nothing is known.  So nothing learnt from
 * earlier points is used; the same points then get the same tree again. */
farsum_status fmm_uneven_cell(const struct task *task, struct fmm *s,
                              double crowding, int64_t n, int64_t m, double set,
                              double *seconds, int *uneven)
{
    const struct fmm_learnt learnt[2] = {s->learnt[0], s->learnt[1]};
    for (int k = 0; k < 2; k++)
        s->learnt[k] = (struct fmm_learnt){.wide = learnt[k].wide};
    farsum_status status =
        uneven_cell(task, s, crowding, n, m, set, seconds, uneven);
    memcpy(s->learnt, learnt, sizeof learnt);
    return status;
}

farsum_status fmm_uneven_worth(const struct task *task, struct fmm *s,
                               int64_t n, int64_t m, int *uneven)
{
    struct choice choice[FMM_STAGES];
    struct boxes_args boxes;
    struct p2p_args pairs;
    struct fmm_shape dense;
    double sparse = 0, crowding = 1, seconds;
    *uneven = 1;
    if (task->sample.n_targets == 0
        || fmm_shape_try(task, s, 0, n, m, &dense) != FARSUM_OK)
        return FARSUM_OK;
    TRY(uneven_dense(task, s, &dense, n, m, &crowding, &seconds));
    fmm_args(task, s, &s->shape, n, m, &boxes, &pairs);
    boxes.n_boxes = s->tree.n_boxes;
    boxes.n_leaves = s->tree.n_leaves;
    boxes.n_parents = s->tree.n_boxes - s->tree.n_leaves;
    TRY(fmm_choose(task, s, &boxes, &pairs, choice));
    for (int r = 0; r < FMM_STAGES; r++)
        sparse += choice[r].cost;
    *uneven = sparse < seconds;
    if (!*uneven && s->shape.seconds > 0)
        s->slower = sparse / s->shape.seconds;
    return FARSUM_OK;
}
