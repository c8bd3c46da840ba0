/* SPDX-License-Identifier: Apache-2.0 */
/* info.c: a plan's report in the caller's units. */
#include "plan/plan.h"

static double scaled(double v, int e)
{
    return scale_by(scale_of(e), v);
}

void plan_units_info(const struct farsum_plan *plan, farsum_plan_info *info)
{
    const struct units *u = &plan->task.units;
    int absolute = plan->task.problem.error == FARSUM_ERROR_ABSOLUTE;
    int norm = plan->task.problem.error == FARSUM_ERROR_FORCE
                   ? task_exponent_field(&plan->task) + u->strength
                   : task_exponent(&plan->task);
    info->cutoff = scaled(info->cutoff, u->length);
    info->skin = scaled(info->skin, u->length);
    info->net_strength = scaled(info->net_strength, u->strength);
    if (!absolute)
        info->norm = scaled(info->norm, norm);
    info->estimated_error = task_error(&plan->task, plan_estimate(plan));
    info->estimated_energy_error = plan_estimate_energy(plan, 0);
    info->estimated_virial_error = plan_estimate_energy(plan, 1);
    info->lists_made -= plan->lists_before[0];
    info->lists_kept -= plan->lists_before[1];
    info->checked_error =
        plan->checked < 0 ? -1 : plan->checked * plan->task.given.tolerance;
    info->bound = task_error(&plan->task, info->bound);
}
