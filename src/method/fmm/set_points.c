/* SPDX-License-Identifier: Apache-2.0 */
/* set_points.c: tree of the points on the host, and its statistics. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/par.h"
#include "base/arrays.h"
#include "base/progress.h"
#include "method/fmm/device/set_points.h"
#include "method/fmm/bound/bound.h"
#include "points/clustering.h"

/* Splits x [n][3] into one array per axis. */
static farsum_status points_apart(struct points *p, int64_t n, const double *x,
                                  int threads)
{
    p->n = n;
    for (int d = 0; d < 3; d++) {
        mem_free(p->s[d]);
        p->s[d] = NULL;
        p->room = 0;
        TRY(MEM_RAW(p->s[d], n));
    }
    p->room = n;
    PAR_FOR(threads, schedule(static))
    for (int64_t i = 0; i < n; i++)
        for (int d = 0; d < 3; d++)
            p->s[d][i] = x[3 * i + d];
    return FARSUM_OK;
}

/* Copies and checks positions, one array per axis. */
static farsum_status points_take(struct task *task, struct fmm *s, int64_t n,
                                 const void *x, int64_t m, const void *y)
{
    farsum_precision type = task->problem.arrays;
    TRY(reference_set_points(&s->exact, task, n, x, m, y));
    s->target.n = 0;
    if (s->facts.periodic) {
        TRY(points_set(&s->source, &s->cell, n, x, type, "source",
                       task->threads));
        if (m > 0)
            TRY(points_set(&s->target, &s->cell, m, y, type, "target",
                           task->threads));
    } else {
        TRY(points_apart(&s->source, n, s->exact.x, task->threads));
        if (m > 0)
            TRY(points_apart(&s->target, m, s->exact.y, task->threads));
        fmm_points_extent(s, task->threads);
        fmm_facts_targets(task, s);
    }
    if (!task->problem.exclude_coincident)
        TRY(points_distinct(&s->source, s->facts.periodic, task->threads,
                            &task->exclusions));
    return FARSUM_OK;
}

/* Allocates the arrays for the current tree. */
static farsum_status points_arrays(const struct task *task, struct fmm *s)
{
    size_t size = (size_t)array_size(task->problem.precision);
    int64_t numbers = multipole_size(s->shape.order);
    int64_t targets = tree_targets(&s->tree)->n;
    s->stride = (s->tree.n_boxes + 15) / 16 * 16;
    TRY(mem_reserve(&s->q, &s->have_q, s->source.n, size));
    TRY(mem_reserve(&s->potential, &s->have_potential, targets, size));
    TRY(mem_reserve(&s->field, &s->have_field, 3 * targets, size));
    TRY(mem_reserve(&s->multipole, &s->have_multipole, numbers * s->stride,
                    size));
    return mem_reserve(&s->local, &s->have_local, numbers * s->stride, size);
}

farsum_status fmm_set_points(struct task *task, void *state, int64_t n,
                             const void *x, int64_t m, const void *y)
{
    struct fmm *s = state;
    int uneven;
    TRY(progress_step(0, FMM_TURNS, "placing points"));
    if (s->gpu)
        return fmm_gpu_set_points(task, s, n, x, m, y);
    TRY(points_take(task, s, n, x, m, y));
    TRY(fmm_points_uneven(task, s, n, m, &uneven));
    farsum_status status = fmm_points_tree(task, s, uneven, n, m);
    if (status == FARSUM_ERR_TOLERANCE && fmm_points_wider(task, s))
        status = fmm_points_tree(task, s, uneven, n, m);
    TRY(status);
    TRY(points_arrays(task, s));
    return fmm_points_set(task, s);
}
