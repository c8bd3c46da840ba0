/* SPDX-License-Identifier: Apache-2.0 */
/* bound_order.c: smallest order whose bound is within the tolerance for evenly
 * filled boxes, for options.strict or for few points; and the check of a sum's
 * bound. */
#include <math.h>
#include <stdio.h>

#include "base/mem.h"
#include "base/hypot.h"
#include "base/arrays.h"
#include "method/fmm/bound/bound.h"

/* Points of a lattice with few unit cells all have similar positions in their
 * boxes, for example at corners; so may few points of any kind.  Means over
 * boxes then underestimate the order's error by up to 1e5 times, so bounds
 * determine the order.  With more cells the factor is at most 2.3, which the
 * estimates' margin covers. */
enum { ALIKE = 512, FEW = 32 };
static int strict_alike(const struct task *task, const struct fmm *s)
{
    const struct sample *sample = &task->sample;
    return s->input.periodic && s->input.kernel == FMM_LAPLACE
           && task->options.fmm.order == 0
           && (sample->n <= FEW || (sample->n <= ALIKE && sample->lattice));
}

farsum_status fmm_strict_create(const struct task *task, struct fmm *s)
{
    const farsum_problem *p = &task->problem;
    struct fmm_strict *t = NULL;
    if (!task->options.strict && !strict_alike(task, s))
        return FARSUM_OK;
    TRY(MEM_NEW(t, 1));
    *(task->options.strict ? &s->strict : &s->alike) = t;
    t->order = -1;
    t->mean = t->most = 1;
    if (task->sample.fmm.known) {
        t->mean = task->sample.fmm.mean;
        t->most = task->sample.fmm.most;
        t->spread = task->sample.fmm.spread;
        return FARSUM_OK;
    }
    if (!p->sample_q)
        return FARSUM_OK;
    t->mean = t->most = 0;
    for (int64_t i = 0; i < p->n_sources; i++) {
        double q = fabs(task->sample_q[i]);
        t->mean += q / (double)p->n_sources;
        t->most = fmax(t->most, q);
    }
    double square = s->input.q2 - t->mean * t->mean;
    t->spread = square > 0 ? sqrt(square) : 0;
    if (t->most == 0)
        t->mean = t->most = 1;
    return FARSUM_OK;
}

void fmm_strict_destroy(struct fmm_strict *t)
{
    if (!t)
        return;
    mem_free(t->boxes.pair);
    mem_free(t->weight);
    mem_free(t->size);
    mem_free(t->sum);
    mem_free(t->q);
    mem_free(t);
}

/* (10.38) for evenly filled boxes. */
static double strict_even(const struct fmm *s, const struct fmm_shape *shape,
                          int64_t n, int order, int field)
{
    const struct fmm_strict *t = strict_of(s);
    const double *box = shape->box;
    int depth, first = fmm_shape_first(s, shape);
    double sum = 0, filling = fmm_shape_filling(s, shape, n, &depth);
    double h = cbrt(s->input.volume * filling
                    / ((double)n * box[0] * box[1] * box[2]));
    for (int level = depth; level >= first; level--, h *= 2, filling *= 8) {
        double one = (level > 0 ? t->boxes.list : t->boxes.top)[field][order]
                     * (filling * t->mean + t->most - t->mean);
        if (level == 0)
            one += t->boxes.rest[field][order] * (double)n * t->mean;
        sum += one / (field ? h * h : h);
    }
    return sum;
}

farsum_status fmm_strict_order(const struct task *task, const struct fmm *s,
                               const struct fmm_shape *shape, int64_t n,
                               int *order)
{
    struct fmm_strict *t = strict_of(s);
    struct fmm_clustering clustering;
    int field = strict_field(task);
    fmm_shape_clustering(s, shape, n, &clustering);
    TRY(strict_boxes_set(&t->boxes, s, shape));
    double limit = strict_limit(task, s, &clustering), bound = 0;
    for (int p = s->input.periodic ? 2 : 1; p < STRICT_ORDERS; p++) {
        bound = strict_even(s, shape, n, p, field);
        if (bound <= limit) {
            *order = p;
            return FARSUM_OK;
        }
    }
    return strict_fails(task, limit,
                        strict_error(task, &s->input, &clustering, t->most,
                                     limit > 0 ? bound : 0, t->near));
}

/* Raises the estimate to the bound that replaces means.  The ratio of a sum's
 * strengths to the sample's enters as one factor. */
static void alike_tell(const struct task *task, const struct fmm *s,
                       const struct fmm_input *input)
{
    const struct fmm_strict *t = s->alike;
    double norm = strict_norm(task, input);
    double scale = s->input.q2 > 0 ? sqrt(input->q2 / s->input.q2) : 1;
    double error = strict_left(task, input, &s->clustering, scale * t->most,
                               scale * t->bound, 0);
    if (task->problem.error == FARSUM_ERROR_ABSOLUTE)
        error *= task->problem.coulomb;
    else
        error = norm > 0 ? error / norm : 0;
    if (isfinite(error))
        task->report->info.estimated_error =
            fmax(task->report->info.estimated_error, error);
}

/* Reports the bound of the current points, or of evenly filled boxes before
 * points are set. */
farsum_status fmm_strict_about(const struct task *task, const struct fmm *s)
{
    struct fmm_strict *t = strict_of(s);
    if (!t)
        return FARSUM_OK;
    double bound = t->bound;
    if (t->order < 0) {
        TRY(strict_boxes_set(&t->boxes, s, &s->shape));
        bound = strict_even(s, &s->shape, task->problem.n_sources,
                            s->shape.order, strict_field(task));
    }
    if (s->strict) {
        task->report->info.bound = strict_error(task, &s->input, &s->clustering,
                                                t->most, bound, t->near);
    } else {
        t->bound = bound;
        alike_tell(task, s, &s->input);
    }
    return FARSUM_OK;
}

/* Reports a sum's bound, and fails if it exceeds the tolerance. */
farsum_status fmm_strict_sum(const struct task *task, const struct fmm *s,
                             const struct fmm_input *input)
{
    const struct fmm_strict *t = s->strict;
    if (s->alike)
        alike_tell(task, s, input);
    if (!t)
        return FARSUM_OK;
    double most = t->given, ratio, near;
    if (s->gpu) {
        ratio = most * t->over;
    } else {
        most = 0;
        for (int64_t i = 0; i < s->source.n; i++)
            most = fmax(most, fabs(s->caller.q[i]));
        ratio = strict_ratio(s);
    }
    TRY(strict_rounded(task, s, &s->tree, s->caller.q, sqrt(input->q2), &near));
    task->report->info.bound =
        strict_error(task, input, &s->clustering, most,
                     t->bound > 0 ? t->bound * ratio : 0, near);
    if (task->report->info.bound > task->problem.tolerance)
        FAIL(ERR_TOLERANCE,
             "strict: with these strengths and results order %d is proved to "
             "keep %.3g, not the tolerance %g; %s",
             s->shape.order, task_error(task, task->report->info.bound),
             task->given.tolerance,
             task->options.fmm.order
                 ? "a higher order, or one that is chosen, may"
                 : "a sample of them lets the plan choose for them");
    return FARSUM_OK;
}
