/* SPDX-License-Identifier: Apache-2.0 */
/* late.c: the check of a plan without a sample or with separate targets.
 * The first sum of the quantity that the tolerance limits is compared with a
 * second sum.  The plan is not made finer: its estimate becomes the measured
 * error. */
#include <string.h>

#include "base/clock.h"
#include "base/mem.h"
#include "device/buf.h"
#include "base/arrays.h"
#include "task/method.h"
#include "plan/verify/verify.h"

/* Checks results `out` of strengths q, one right-hand side, on the host. */
static farsum_status late_check(struct farsum_plan *plan, const void *q,
                                const void *out)
{
    farsum_status status = FARSUM_OK;
    const struct verify_late *late = plan->late;
    double start = clock_seconds(), seconds = 0;
    struct verify_error error;
    struct verify_sum s = {.n = late->n,
                           .m = late->m,
                           .given_x = late->x,
                           .given_y = late->y,
                           .given_q = q,
                           .results = out};
    /* a result of zero has no relative error: check a later sum */
    if (!(plan->report.info.norm > 0)
        || !(plan->report.info.estimated_error > 0))
        return FARSUM_OK;
    struct plan_held before = plan_held(plan);
    struct plan_limit limit = plan_limit(plan);
    GO(verify_sum(plan, &s));
    GO(verify_errors(plan, &s, s.results, &error));
    GO(verify_seconds(plan, start, &seconds));
done:
    plan_unlimit(plan, limit);
    if (status == FARSUM_OK) {
        /* if the draw leaves a doubt, it counts as above the tolerance */
        double found = error.is <= 1 && error.most > 1 ? error.most : error.is;
        verify_found(plan, &s, found, seconds);
        verify_late_clear(plan);
    }
    verify_clear(&s);
    status = verify_late_skip(plan, status);
    plan_holds(plan, before);
    return status;
}

/* A rank without points may give NULL. */
static const void *part_of(const void *all, int64_t bytes)
{
    return all ? (const char *)all + bytes : NULL;
}

/* Sets *there: 1 if the results have the output that the tolerance limits, on
 * any rank. */
static farsum_status late_output(const struct farsum_plan *plan,
                                 const void *out, int *there)
{
    double any = out != NULL;
    TRY(task_agree(&plan->task, task_max(&plan->task, &any, 1)));
    *there = any > 0;
    return FARSUM_OK;
}

farsum_status verify_late_sum(struct farsum_plan *plan, int rhs, const void *q,
                              const farsum_result *result)
{
    static const char none; /* of a rank without targets */
    struct verify_late *late = plan->late;
    const void *out = verify_output(plan, result);
    int width = plan->task.problem.error == FARSUM_ERROR_POTENTIAL ? 1 : 3;
    int64_t real = array_size(plan->task.problem.arrays);
    /* info describes the last right-hand side */
    int64_t strengths = late->n * plan->task.pair.strengths;
    int64_t results = (plan->apart ? late->m : late->n) * width;
    int64_t first_q = (rhs - 1) * strengths, first = (rhs - 1) * results;
    int there;
    TRY(late_output(plan, out, &there));
    if (!there) { /* finish must not check an earlier sum */
        verify_late_drop(plan);
        return FARSUM_OK;
    }
    if (!out) /* the ranks' calls must not depend on it */
        out = &none;
    if (plan->task.problem.memory == FARSUM_HOST)
        return late_check(plan, part_of(q, first_q * real),
                          part_of(out, first * real));
    struct plan_held before = plan_held(plan);
    struct plan_limit limit = plan_limit(plan);
    verify_late_drop(plan);
    farsum_status status =
        verify_late_keep(plan, q, first_q, strengths, "strengths", &late->q);
    if (status == FARSUM_OK)
        status = verify_late_keep(plan, out, first, results, "results",
                                  &late->out);
    plan_unlimit(plan, limit);
    plan_holds(plan, before);
    status = task_agree(&plan->task, status);
    if (status != FARSUM_OK) /* some ranks have kept theirs */
        verify_late_drop(plan);
    return verify_late_skip(plan, status);
}

farsum_status verify_late_finish(struct farsum_plan *plan)
{
    const struct verify_late *late = plan->late;
    if (!late || !late->out)
        return FARSUM_OK;
    return late_check(plan, late->q, late->out);
}
