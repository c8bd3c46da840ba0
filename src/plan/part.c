/* SPDX-License-Identifier: Apache-2.0 */
/* part.c: parts of a sum.  A plan is made and checked for the whole sum, of
 * which an error is known; then it leaves a part out. */
#include "farsum/expert.h"

#include "base/args.h"
#include "base/fpenv.h"
#include "plan/plan.h"

farsum_status plan_part(farsum_plan **plan)
{
    struct farsum_plan *p = *plan;
    if (p->task.dry || p->task.given.part == FARSUM_WHOLE)
        return FARSUM_OK;
    struct plan_held before = plan_held(p);
    p->task.part = p->task.given.part;
    farsum_status status =
        task_agree(&p->task, p->method->part(&p->task, p->state));
    plan_holds(p, before);
    if (status == FARSUM_OK)
        return FARSUM_OK;
    farsum_plan_destroy(p);
    *plan = NULL;
    return status;
}

farsum_status farsum_plan_near(const farsum_plan *plan, int64_t n,
                               const double *r2, double *u, double *du)
{
    FP_GUARD;
    if (!plan || (!r2 && n > 0))
        FAIL(ERR_ARGUMENT, "%s is NULL", plan ? "r2" : "plan");
    if (n < 0)
        FAIL(ERR_ARGUMENT, "n is %lld, below 0", (long long)n);
    TRY(count_check(n, "n"));
    if (!plan->method->near)
        FAIL(ERR_UNSUPPORTED, "method %s has no near function",
             plan->report.info.method);
    for (int64_t k = 0; k < n; k++)
        if (!(r2[k] >= 0))
            FAIL(ERR_ARGUMENT, "r2[%lld] is %g, not 0 or more", (long long)k,
                 r2[k]);
    return plan->method->near(&plan->task, plan->state, n, r2, u, du);
}
