/* SPDX-License-Identifier: Apache-2.0 */
/* reasons.c: rank 0's reasons for its choice, on all ranks. */
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "plan/plan.h"

void plan_reasons_take(struct plan_reasons *reasons,
                       const struct farsum_plan *plan)
{
    const farsum_plan_info *info = &plan->report.info;
    memset(reasons, 0, sizeof *reasons);
    snprintf(reasons->method, sizeof reasons->method, "%s",
             plan->method_reason);
    if (info->precision_reason)
        snprintf(reasons->precision, sizeof reasons->precision, "%s",
                 info->precision_reason);
    reasons->n_stages = info->n_stages;
    for (int k = 0; k < info->n_stages; k++) {
        const farsum_stage_info *from = &info->stages[k];
        snprintf(reasons->stages[k].variant, sizeof reasons->stages[k].variant,
                 "%s", from->variant);
        snprintf(reasons->stages[k].reason, sizeof reasons->stages[k].reason,
                 "%s", from->reason);
    }
}

farsum_status plan_reasons_give(const struct plan_reasons *reasons,
                                struct farsum_plan *plan)
{
    TRY(MEM_NEW(plan->reasons, 1));
    *plan->reasons = *reasons;
    return FARSUM_OK;
}

/* A plan that takes other variants once it has the points has their reasons. */
void plan_reasons_info(const struct farsum_plan *plan, farsum_plan_info *info)
{
    const struct plan_reasons *reasons = plan->reasons;
    if (!reasons)
        return;
    info->method_reason = reasons->method;
    if (*reasons->precision)
        info->precision_reason = reasons->precision;
    for (int k = 0; k < info->n_stages && k < reasons->n_stages; k++)
        if (strcmp(info->stages[k].variant, reasons->stages[k].variant) == 0)
            info->stages[k].reason = reasons->stages[k].reason;
}
