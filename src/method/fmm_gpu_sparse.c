/* fmm_gpu_sparse.c: crowded points of a device: whether a sparse tree is worth
 * it, and that tree, which the host builds. */
#include <string.h>

#include "base/mem.h"
#include "method/arrays.h"
#include "method/fmm_gpu.h"
#include "points/gpu.h"

/* What the host takes to build a tree and send it, for a point: by one thread,
 * and what threads do not share. */
#define TREE_POINT 7e-7
#define TREE_POINT_ALONE 1e-7

static farsum_status sparse_crowding(const struct farsum_plan *plan,
                                     struct fmm *s, double *crowding)
{
    farsum_status status = FARSUM_OK;
    struct fmm_gpu *g = s->gpu;
    struct fmm_region region = {.n = s->source.n,
                                .wide = plan->problem.arrays != FARSUM_F32};
    struct gpu_box box;
    int32_t *count = NULL;
    const int64_t bytes = 4 * FMM_CELLS;
    GO(points_gpu_box(s->source.gpu, &box));
    memcpy(region.corner, box.lo, sizeof region.corner);
    memcpy(region.edge, s->facts.edge, sizeof region.edge);
    GO(MEM_RAW(count, FMM_CELLS));
    GO(buf_reserve(&g->boxes, g->device, bytes));
    GO(buf_fill_part(&g->boxes, 0, 0, bytes));
    GO(LAUNCH(&g->cells, kernel_groups(&g->cells, region.n), ARG_BUF(&g->x),
              ARG_BUF(&g->x), ARG_BUF(&g->boxes), ARG_STRUCT(region)));
    GO(buf_download(&g->boxes, 0, count, bytes));
    *crowding = fmm_crowding(count, region.n);
done:
    mem_free(count);
    return status;
}

/* Seconds of an execute in boxes that are filled as unevenly as that; of near
 * pairs the cells tell only how uneven they are, at least. */
static farsum_status sparse_dense(const struct farsum_plan *plan,
                                  const struct fmm *s, double crowding,
                                  int64_t n, int64_t m, double *seconds)
{
    struct choice choice[FMM_ROOMS];
    struct boxes_args boxes;
    struct p2p_args pairs;
    fmm_args(plan, s, &s->shape, n, m, &boxes, &pairs);
    TRY(fmm_choose(plan, s, &boxes, &pairs, choice));
    *seconds = s->shape.seconds + (crowding - 1) * choice[FMM_P2P].cost;
    return FARSUM_OK;
}

farsum_status fmm_gpu_shape(const struct farsum_plan *plan, struct fmm *s,
                            int64_t n, int64_t m)
{
    const double repeats = plan->options.repeats;
    struct fmm_shape sparse;
    double crowding = 1, dense, tree;
    if (s->facts.periodic || s->names.tree)
        return fmm_shape(plan, s, 0, n, m, &s->shape);
    TRY(sparse_crowding(plan, s, &crowding));
    /* a row may be named that does not take a sparse tree */
    if (crowding <= FMM_FAR_FROM_UNIFORM
        || fmm_shape(plan, s, 1, n, m, &sparse) != FARSUM_OK)
        return fmm_shape(plan, s, 0, n, m, &s->shape);
    if (fmm_shape(plan, s, 0, n, m, &s->shape) != FARSUM_OK) {
        s->shape = sparse;
        return FARSUM_OK;
    }
    TRY(sparse_dense(plan, s, crowding, n, m, &dense));
    tree = (double)(n + m) * (TREE_POINT / plan->threads + TREE_POINT_ALONE);
    if (sparse.seconds + tree / (repeats > 1 ? repeats : 1) < dense)
        s->shape = sparse;
    return FARSUM_OK;
}

/* Positions side by side on the host. */
static farsum_status sparse_take(const struct farsum_plan *plan,
                                 struct points *p, const struct buf *x,
                                 const void *given)
{
    farsum_status status = FARSUM_OK;
    farsum_precision type = plan->problem.arrays;
    int64_t n = p->n;
    char *copy = NULL;
    if (p->room < n) {
        p->room = 0;
        for (int d = 0; d < 3; d++) {
            mem_free(p->s[d]);
            p->s[d] = NULL;
            GO(MEM_RAW(p->s[d], n));
        }
        p->room = n;
    }
    if (!given) {
        int64_t bytes = 3 * n * array_size(type);
        GO(MEM_RAW(copy, bytes));
        GO(buf_download(x, 0, copy, bytes));
        given = copy;
    }
#pragma omp parallel for num_threads(plan->threads) schedule(static)
    for (int64_t i = 0; i < n; i++)
        for (int d = 0; d < 3; d++)
            p->s[d][i] = array_get(given, type, 3 * i + d);
done:
    mem_free(copy);
    return status;
}

farsum_status fmm_gpu_sparse(struct farsum_plan *plan, struct fmm *s, int64_t m,
                             const void *given_x, const void *given_y)
{
    struct fmm_gpu *g = s->gpu;
    TRY(sparse_take(plan, &s->source, &g->x, given_x));
    if (m > 0)
        TRY(sparse_take(plan, &s->target, &g->y, given_y));
    TRY(fmm_points_boxes(plan, s, 1, s->source.n, m));
    TRY(tree_gpu_copy(&s->tree, g->device));
    /* sources at one place are looked for by these */
    return fmm_gpu_fractions(plan, s, m, s->tree.corner, s->tree.edge);
}
