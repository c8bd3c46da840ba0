/* SPDX-License-Identifier: Apache-2.0 */
/* device_coincident.c: check of coincident sources.  The device finds two of
 * them; the host checks whether exclusions name every such pair.  This is rare,
 * so positions are downloaded. */
#include "method/staging/device_coincident.h"

#include "base/mem.h"
#include "base/arrays.h"
#include "points/wrap.h"

/* Downloads fractions of the cell, stored as [3][n]. */
static farsum_status distinct_placed(const struct points_gpu *gpu,
                                     struct points *p)
{
    for (int d = 0; d < 3; d++) {
        TRY(MEM_RAW(p->s[d], p->n));
        TRY(buf_download(&gpu->s, 8 * d * p->n, p->s[d], 8 * p->n));
    }
    return FARSUM_OK;
}

/* Splits input coordinates [n][3], for open space. */
static farsum_status distinct_open(struct points *p, const void *x,
                                   farsum_precision arrays)
{
    for (int d = 0; d < 3; d++) {
        TRY(MEM_RAW(p->s[d], p->n));
        for (int64_t i = 0; i < p->n; i++)
            p->s[d][i] = array_get(x, arrays, 3 * i + d);
    }
    return FARSUM_OK;
}

/* Downloads the positions, if they are on the device. */
static farsum_status distinct_fetch(const struct task *task,
                                    const struct points_gpu *gpu,
                                    struct points *p)
{
    farsum_status status = FARSUM_OK;
    const farsum_problem *problem = &task->problem;
    int64_t bytes = 3 * gpu->n * array_size(problem->arrays);
    struct cell cell;
    char *x = NULL;
    p->n = gpu->n;
    if (gpu->placed)
        return distinct_placed(gpu, p);
    GO(MEM_RAW(x, bytes));
    GO(buf_download(&gpu->x, 0, x, bytes));
    if (task_axes(task) == 0) {
        GO(distinct_open(p, x, problem->arrays));
    } else {
        p->n = 0;
        GO(task_cell(task, &cell));
        GO(points_set(p, &cell, gpu->n, x, problem->arrays, "source",
                      task->threads));
    }
done:
    mem_free(x);
    return status;
}

farsum_status gpu_distinct(struct task *task, const struct points_gpu *points,
                           int64_t i, int64_t j)
{
    farsum_status status = FARSUM_OK;
    struct points p = {0};
    if (!exclusions_of_sources(&task->exclusions))
        return points_coincide(i, j, 1);
    GO(distinct_fetch(task, points, &p));
    GO(points_distinct(&p, task_axes(task) > 0, task->threads,
                       &task->exclusions));
    /* the pair found by the device must be among those found by the host */
    if (task->exclusions.together == 0)
        GO(points_coincide(i, j, 1));
done:
    points_clear(&p);
    return status;
}
