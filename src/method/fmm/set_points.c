/* SPDX-License-Identifier: Apache-2.0 */
/* set_points.c: tree of the points on the host, and its statistics. */
#include <math.h>

#include "base/mem.h"
#include "base/arrays.h"
#include "base/progress.h"
#include "method/fmm/device/ranks.h"
#include "method/fmm/bound/bound.h"
#include "method/fmm/kernels.h"

/* Periodic cells: wraps positions to fractions. */
static farsum_status points_wrapped(const struct task *task, struct fmm *s,
                                    int64_t n, const void *x, int64_t m,
                                    const void *y)
{
    farsum_precision type = task->problem.arrays;
    int threads = task->threads;
    TRY(points_set(&s->source, &s->cell, n, x, type, "source", threads));
    if (m > 0)
        TRY(points_set(&s->target, &s->cell, m, y, type, "target", threads));
    if (s->strict)
        s->strict->reach = task_per(task)
                           * fmax(units_largest(x, type, 3 * n, threads),
                                  units_largest(y, type, 3 * m, threads));
    return FARSUM_OK;
}

/* One or two periodic axes: turns coordinates along the open ones into
 * fractions of the points' extent. */
static farsum_status points_spread(const struct task *task, struct fmm *s)
{
    struct points *const all[] = {&s->source, &s->target};
    double low[3] = {INFINITY, INFINITY, INFINITY}, reach[3], unit[3];
    double high[3] = {-INFINITY, -INFINITY, -INFINITY};
    for (int d = 0; d < 3; d++) {
        const double *a = s->cell.a + 3 * d;
        unit[d] = sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2]);
        for (int k = 0; k < 2; k++)
            for (int64_t i = 0; i < all[k]->n; i++) {
                low[d] = fmin(low[d], all[k]->s[d][i]);
                high[d] = fmax(high[d], all[k]->s[d][i]);
            }
        reach[d] = unit[d] * (high[d] - low[d]);
        if (s->input.open[d] && !(reach[d] < 1e100))
            FAIL(ERR_POSITION,
                 "positions along open axis %c reach from %g to %g, more than "
                 "1e100 cells",
                 "abc"[d], task_length(task, unit[d] * low[d]),
                 task_length(task, unit[d] * high[d]));
    }
    fmm_input_edges(task, s, reach);
    for (int d = 0; d < 3; d++) {
        double ratio = unit[d] / s->input.edge[d];
        s->span[d] = s->input.edge[d];
        for (int k = 0; k < 2 && s->input.open[d]; k++)
            for (int64_t i = 0; i < all[k]->n; i++)
                all[k]->s[d][i] = ratio * (all[k]->s[d][i] - low[d]);
    }
    return FARSUM_OK;
}

/* Copies positions, not wrapped.  extent: as for host_positions. */
static farsum_status points_copied(struct task *task, struct fmm *s, int64_t n,
                                   const void *x, int64_t m, const void *y,
                                   struct extent *extent)
{
    TRY(points_hold(&s->source, n));
    if (m > 0)
        TRY(points_hold(&s->target, m));
    const struct positions source = fmm_positions(&s->source);
    const struct positions target = fmm_positions(&s->target);
    return host_positions(task, &source, x, &target, y, extent);
}

/* Sets and checks what the tree is built from. */
static farsum_status points_take(struct task *task, struct fmm *s, int64_t n,
                                 const void *x, int64_t m, const void *y)
{
    struct extent extent;
    s->source.n = s->target.n = 0;
    if (s->input.periodic) {
        TRY(points_wrapped(task, s, n, x, m, y));
        if (s->input.axes < 3)
            TRY(points_spread(task, s));
    } else {
        TRY(points_copied(task, s, n, x, m, y, &extent));
        fmm_extent(s, extent.low, extent.high);
        if (s->input.kernel != FMM_LAPLACE)
            fmm_kernel_norms(task, s);
        else
            fmm_input_targets(task, s, &s->source, &s->target, 0);
        task->pair.reach = s->input.reach;
    }
    if (!task->problem.exclude_coincident)
        TRY(points_distinct(&s->source, s->input.periodic, task->threads,
                            &task->exclusions));
    return FARSUM_OK;
}

farsum_status fmm_points_arrays(const struct task *task, struct fmm *s)
{
    size_t size = (size_t)array_size(task->problem.precision);
    int64_t numbers = multipole_size(s->shape.order);
    int64_t targets = tree_targets(&s->tree)->n;
    struct fmm_caller *c = &s->caller;
    s->stride = (s->tree.n_boxes + 15) / 16 * 16;
    int64_t strengths = task->pair.strengths;
    TRY(fmm_kernel_arrays(task, s));
    TRY(MEM_RESERVE(c->q, &c->have_q, strengths * s->source.n));
    TRY(MEM_RESERVE(c->potential, &c->have_potential, targets));
    TRY(MEM_RESERVE(c->field, &c->have_field, 3 * targets));
    TRY(mem_reserve(&s->q, &s->have_q, strengths * s->source.n, size));
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
    TRY(task_agree(task, progress_step(0, FMM_TURNS, "placing points")));
    if (s->ranks)
        return s->gpu ? fmm_gpu_ranks_points(task, s, n, x, m, y)
                      : fmm_ranks_points(task, s, n, x, m, y);
    s->all_n = n;
    s->all_m = m;
    if (s->gpu)
        return fmm_gpu_set_points(task, s, n, x, m, y);
    TRY(points_take(task, s, n, x, m, y));
    TRY(fmm_points_uneven(task, s, n, m, &uneven));
    farsum_status status = fmm_points_tree(task, s, uneven, n, m);
    if (status == FARSUM_ERR_TOLERANCE && fmm_points_wider(task, s))
        status = fmm_points_tree(task, s, uneven, n, m);
    TRY(status);
    TRY(fmm_points_arrays(task, s));
    if (s->input.periodic) /* replaces fractions, which only the tree needed */
        TRY(points_copied(task, s, n, x, m, y, NULL));
    return fmm_points_set(task, s);
}
