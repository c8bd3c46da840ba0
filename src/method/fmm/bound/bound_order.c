/* SPDX-License-Identifier: Apache-2.0 */
/* bound_order.c: the order whose bound is within the tolerance, of boxes
 * that are filled evenly, for a proof or for few points; whether a sum's is. */
#include <math.h>
#include <stdio.h>

#include "base/mem.h"
#include "base/hypot.h"
#include "base/arrays.h"
#include "method/fmm/bound/bound.h"

/* Points of a lattice's few unit cells all lie alike in their boxes, at corners
 * for one, and so may few points of any kind: what means over boxes say of the
 * order is then too little, by up to 1e5 times, so that the bound says it.  Of
 * more cells it is by up to 2.3 times, which estimates have a margin for. */
enum { ALIKE = 512, FEW = 32 };
static int strict_alike(const struct task *task, const struct fmm *s)
{
    const struct sample *sample = &task->sample;
    return s->facts.periodic && task->options.order == 0
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
    if (!p->sample_q)
        return FARSUM_OK;
    t->mean = t->most = 0;
    for (int64_t i = 0; i < p->n_sources; i++) {
        double q = fabs(task->sample_q[i]);
        t->mean += q / (double)p->n_sources;
        t->most = fmax(t->most, q);
    }
    double square = s->facts.q2 - t->mean * t->mean;
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

/* (10.38) of boxes that are filled evenly. */
static double strict_even(const struct fmm *s, const struct fmm_shape *shape,
                          int64_t n, int order, int field)
{
    const struct fmm_strict *t = strict_of(s);
    const double *box = shape->box;
    int depth, first = fmm_shape_first(s, shape);
    double sum = 0, filling = fmm_shape_filling(s, shape, n, &depth);
    double h = cbrt(s->facts.volume * filling
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
    struct fmm_crowd crowd;
    int field = strict_field(task);
    fmm_shape_crowd(s, shape, n, &crowd);
    TRY(strict_boxes_set(&t->boxes, s, shape));
    double limit = strict_limit(task, s, &crowd), bound = 0;
    for (int p = s->facts.periodic ? 2 : 1; p < STRICT_ORDERS; p++) {
        bound = strict_even(s, shape, n, p, field);
        if (bound <= limit) {
            *order = p;
            return FARSUM_OK;
        }
    }
    return strict_fails(task, limit,
                        strict_error(task, &s->facts, &crowd, t->most,
                                     limit > 0 ? bound : 0, t->near));
}

/* What bounds in place of means say of the error: the estimate is no less.  By
 * how much a sum's strengths are those of the sample is taken as a whole. */
static void alike_tell(const struct task *task, const struct fmm *s,
                       const struct fmm_facts *facts)
{
    const struct fmm_strict *t = s->alike;
    double norm = strict_norm(task, facts);
    double scale = s->facts.q2 > 0 ? sqrt(facts->q2 / s->facts.q2) : 1;
    double error = strict_left(task, facts, &s->crowd, scale * t->most,
                               scale * t->bound, 0);
    if (task->problem.error == FARSUM_ERROR_ABSOLUTE)
        error *= task->problem.coulomb;
    else
        error = norm > 0 ? error / norm : 0;
    if (isfinite(error))
        task->report->info.estimated_error =
            fmax(task->report->info.estimated_error, error);
}

/* Of the points that are there, or before they are of evenly filled boxes. */
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
        task->report->info.bound =
            strict_error(task, &s->facts, &s->crowd, t->most, bound, t->near);
    } else {
        t->bound = bound;
        alike_tell(task, s, &s->facts);
    }
    return FARSUM_OK;
}

/* What a sum was, and whether it is within. */
farsum_status fmm_strict_sum(const struct task *task, const struct fmm *s,
                             const struct fmm_facts *facts)
{
    const struct fmm_strict *t = s->strict;
    if (s->alike)
        alike_tell(task, s, facts);
    if (!t)
        return FARSUM_OK;
    double most = t->given, ratio, near;
    if (s->gpu) {
        ratio = most * t->over;
    } else {
        most = 0;
        for (int64_t i = 0; i < s->exact.n; i++)
            most = fmax(most, fabs(s->exact.q[i]));
        ratio = strict_ratio(s);
    }
    TRY(strict_rounded(task, s, &s->tree, s->exact.q, sqrt(facts->q2), &near));
    task->report->info.bound =
        strict_error(task, facts, &s->crowd, most,
                     t->bound > 0 ? t->bound * ratio : 0, near);
    if (task->report->info.bound > task->problem.tolerance)
        FAIL(ERR_TOLERANCE,
             "strict: with these strengths and results order %d is proved to "
             "keep %.3g, not the tolerance %g; %s",
             s->shape.order, task_error(task, task->report->info.bound),
             task->given.tolerance,
             task->options.order
                 ? "a higher order, or one that is chosen, may"
                 : "a sample of them lets the plan choose for them");
    return FARSUM_OK;
}
