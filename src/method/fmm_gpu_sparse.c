/* fmm_gpu_sparse.c: crowded points of a device: whether they are, and a sparse
 * tree of them, which the host builds. */
#include <string.h>

#include "base/mem.h"
#include "method/arrays.h"
#include "method/fmm_gpu.h"
#include "points/gpu.h"

/* As fmm_gpu.k has it. */
struct fmm_region {
    double corner[3], edge[3];
    int64_t n;
    int32_t wide, spare;
};
_Static_assert(sizeof(struct fmm_region) == 64, "as the kernel has it");

farsum_status fmm_gpu_crowded(const struct farsum_plan *plan, struct fmm *s,
                              int *crowded)
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
    *crowded = fmm_crowded(count, region.n);
done:
    mem_free(count);
    return status;
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
