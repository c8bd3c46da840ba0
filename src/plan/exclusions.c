/* SPDX-License-Identifier: Apache-2.0 */
/* exclusions.c: pairs that are excluded or scaled by a factor. */
#include "base/fpenv.h"
#include "base/mem.h"
#include "plan/plan.h"
#include "plan/smear/smear.h"

farsum_status plan_exclude_rows(struct farsum_plan *plan, int64_t n, int64_t m)
{
    plan->task.exclusions.together = 0;
    if (plan->task.comm) /* the method makes them, once it knows the owners */
        return FARSUM_OK;
    return exclusions_rows(&plan->task.exclusions, n, m);
}

static farsum_status exclude_hand(struct farsum_plan *plan)
{
    if (!plan->method->exclude)
        return FARSUM_OK;
    return plan->method->exclude(&plan->task, plan->state);
}

farsum_status plan_exclude_hand(struct farsum_plan *plan)
{
    /* over ranks only the owners of points take them, once they are set */
    return plan->task.comm ? FARSUM_OK : exclude_hand(plan);
}

farsum_status plan_exclude_problem(struct farsum_plan *plan)
{
    const farsum_problem *p = &plan->task.problem;
    TRY(exclusions_set(&plan->task.exclusions, p->n_exclusions, p->exclusions,
                       p->exclusion_factors));
    plan->report.info.n_exclusions = p->n_exclusions;
    /* a sample's sources have known numbers */
    if (!p->sample_x || p->n_targets > 0)
        return FARSUM_OK;
    return exclusions_rows(&plan->task.exclusions, p->n_sources, 0);
}

farsum_status plan_exclude_as(const struct exclusions *e, int64_t all,
                              struct farsum_plan *to)
{
    struct plan_held before = plan_held(to);
    TRY(exclusions_set(&to->task.exclusions, e->count, e->pair, e->factor));
    plan_holds(to, before);
    to->report.info.n_exclusions = all;
    return FARSUM_OK;
}

/* Replaces count and together by their sums over all ranks. */
static farsum_status exclude_counts(const struct farsum_plan *plan,
                                    int64_t *count, int64_t *together)
{
    int64_t all[2] = {*count, *together};
    if (!plan->task.comm)
        return FARSUM_OK;
    TRY(task_agree(&plan->task, comm_sum_counts(plan->task.comm, all, 2)));
    *count = all[0];
    *together = all[1];
    return FARSUM_OK;
}

farsum_status farsum_plan_set_exclusions(farsum_plan *plan, int64_t count,
                                         const int64_t *pairs,
                                         const double *factors)
{
    FP_GUARD;
    farsum_status status = FARSUM_OK;
    if (!plan)
        FAIL(ERR_ARGUMENT, "plan is NULL");
    TRY(task_connected(&plan->task));
    TRY(device_usable(plan->task.device));
    if (plan->task.dry)
        FAIL(ERR_STATE,
             "a plan made by farsum_plan_tune accepts no exclusions");
    struct plan_held before = plan_held(plan);
    struct plan_limit limit = plan_limit(plan);
    verify_late_drop(plan);
    struct exclusions made = {.version = plan->task.exclusions.version};
    int64_t all = count, together = plan->task.exclusions.together;
    GO(task_agree(&plan->task, exclusions_set(&made, count, pairs, factors)));
    GO(exclude_counts(plan, &all, &together));
    if (plan->has_points && !plan->task.comm)
        GO(exclusions_rows(&made, plan->n, plan->m));
    struct exclusions old = plan->task.exclusions;
    plan->task.exclusions = made;
    made = old;
    if (plan->has_points)
        status = exclude_hand(plan);
    farsum_status beside = FARSUM_OK;
    if (status == FARSUM_OK && plan->beside)
        beside =
            farsum_plan_set_exclusions(plan->beside, count, pairs, factors);
    if (status != FARSUM_OK || beside != FARSUM_OK) { /* restore the old ones */
        old = plan->task.exclusions;
        plan->task.exclusions = made;
        made = old;
        if (status == FARSUM_OK && plan->has_points)
            status = exclude_hand(plan);
        status = status != FARSUM_OK ? status : beside;
        goto done;
    }
    plan->report.info.n_exclusions = all;
    if (plan->has_points)
        smear_exclude(plan);
    if (together > 0 || (plan->beside && !plan->beside->has_points))
        plan->has_points = 0; /* set points may now include such pairs */
done:
    exclusions_clear(&made);
    plan_unlimit(plan, limit);
    plan_holds(plan, before);
    return status;
}
