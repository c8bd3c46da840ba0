/* SPDX-License-Identifier: Apache-2.0 */
/* open.c: extent and norms of points in open space, computed on a device. */
#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "method/fmm/device/set_points.h"
#include "points/device/set.h"

/* Computes the bounding box of all points in open space. */
farsum_status fmm_gpu_bounds(struct task *task, struct fmm *s, int64_t m)
{
    struct gpu_box box[2];
    struct extent extent;
    TRY(points_gpu_box(s->source.gpu, &box[0]));
    box[1] = box[0];
    if (m > 0)
        TRY(points_gpu_box(s->target.gpu, &box[1]));
    for (int d = 0; d < 3; d++) {
        extent.low[d] = fmin(box[0].lo[d], box[1].lo[d]);
        extent.high[d] = fmax(box[0].hi[d], box[1].hi[d]);
    }
    units_points(task, &extent);
    double per = task_per(task);
    for (int d = 0; d < 3; d++) {
        s->gpu->low[d] = per * extent.low[d];
        s->gpu->high[d] = per * extent.high[d];
    }
    s->source.gpu->given.unit = per;
    if (m > 0)
        s->target.gpu->given.unit = per;
    return FARSUM_OK;
}

/* Computes the sums over the sources at some separate targets in open space,
 * and sets s->input. */
farsum_status fmm_gpu_apart(const struct task *task, struct fmm *s, int64_t m)
{
    struct fmm_gpu *g = s->gpu;
    farsum_status status = FARSUM_OK;
    struct fmm_some args = {.per = task_per(task),
                            .n = s->source.n,
                            .m = m,
                            .some = fmm_input_some(s->source.n, m),
                            .wide = task->problem.arrays != FARSUM_F32};
    double(*record)[FMM_RECORD] = NULL;
    struct fmm_apart *apart = NULL;
    if (m > 0) {
        GO(MEM_RAW(record, args.some));
        GO(MEM_RAW(apart, args.some));
        GO(LAUNCH(&g->apart, args.some, ARG_BUF(&g->x), ARG_BUF(&g->x),
                  ARG_BUF(&g->y), ARG_BUF(&g->y), ARG_BUF(&g->record),
                  ARG_STRUCT(args)));
        GO(buf_download(&g->record, 0, record,
                        args.some * (int64_t)sizeof *record));
        for (int64_t t = 0; t < args.some; t++)
            memcpy(&apart[t], record[t], sizeof *apart);
    }
    fmm_input_apart(task, s, args.some, apart);
done:
    mem_free(record);
    mem_free(apart);
    return status;
}
