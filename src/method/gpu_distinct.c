/* gpu_distinct.c: a device finds two sources at one place, the host whether
 * exclusions leave out each pair that is.  Rare: the positions are fetched. */
#include "method/gpu_distinct.h"

#include "base/mem.h"
#include "method/arrays.h"
#include "points/points.h"

/* Coordinates as they were given, for open space. */
static farsum_status distinct_open(struct points *p, int64_t n, const void *x,
                                   farsum_precision arrays)
{
    p->n = n;
    for (int d = 0; d < 3; d++) {
        TRY(MEM_RAW(p->s[d], n));
        for (int64_t i = 0; i < n; i++)
            p->s[d][i] = array_get(x, arrays, 3 * i + d);
    }
    return FARSUM_OK;
}

farsum_status gpu_distinct(struct farsum_plan *plan,
                           const struct points_gpu *points, int64_t i,
                           int64_t j)
{
    farsum_status status = FARSUM_OK;
    const farsum_problem *problem = &plan->problem;
    int64_t n = points->n, size = problem->arrays == FARSUM_F32 ? 4 : 8;
    struct points p = {0};
    struct cell cell;
    char *x = NULL;
    if (!exclusions_of_sources(&plan->exclusions))
        return points_coincide(i, j, 1);
    GO(MEM_RAW(x, 3 * n * size));
    GO(buf_download(&points->x, 0, x, (size_t)(3 * n * size)));
    if (problem->periodic[0]) {
        GO(cell_set(&cell, problem->cell, 1));
        GO(points_set(&p, &cell, n, x, problem->arrays, "source",
                      plan->threads));
    } else {
        GO(distinct_open(&p, n, x, problem->arrays));
    }
    GO(points_distinct(&p, problem->periodic[0], plan->threads,
                       &plan->exclusions));
done:
    points_clear(&p);
    mem_free(x);
    return status;
}
