/* SPDX-License-Identifier: Apache-2.0 */
/* info.c: a plan's report in the caller's units. */
#include <math.h>

#include "base/hypot.h"
#include "plan/plan.h"
#include "plan/smear/smear.h"

/* A reference estimates the error of potentials.  The error of its virial is
 * taken as this many times larger. */
#define OF_VIRIAL 10

/* If the RMS of the results, per unit of strength, is this many times larger or
 * smaller than at the check, the sources' order may have gone. */
#define CHANGED 1.25

static int plan_changed(const struct farsum_plan *plan)
{
    for (int k = 0; k < 2; k++) {
        double was = plan->size[k], is = plan->report.size[k];
        if (was > 0 && is > 0 && (is > CHANGED * was || was > CHANGED * is))
            return 1;
    }
    return 0;
}

/* The measured error over the estimate, when the plan was checked. */
static double plan_factor(const struct farsum_plan *plan)
{
    return plan->checked * plan->task.given.tolerance / plan->unchecked;
}

/* Factor on corrected estimates if the sources' order has gone: the estimate is
 * then that of random order, at least. */
static double plan_growth(const struct farsum_plan *plan)
{
    double random = fmax(plan->report.disorder, 1);
    return plan_changed(plan) ? fmax(random / plan_factor(plan), 1) : 1;
}

/* The estimate of the method's sum. */
static double method_estimate(const struct farsum_plan *plan)
{
    double estimate = plan->report.info.estimated_error, beyond = plan->beyond;
    if (plan->checked < 0)
        return estimate
               * (plan->method->wide ? fmin(beyond, OF_VIRIAL) : beyond);
    if (!(plan->unchecked > 0))
        return estimate;
    return estimate * plan_factor(plan) * plan_growth(plan);
}

double plan_estimate(const struct farsum_plan *plan)
{
    double estimate = method_estimate(plan);
    return plan->smear ? hypot_of(estimate, plan->smear->error[0]) : estimate;
}

static double method_estimate_energy(const struct farsum_plan *plan, int which)
{
    const farsum_plan_info *i = &plan->report.info;
    unsigned output = which ? FARSUM_VIRIAL : FARSUM_ENERGY;
    farsum_error_kind norm =
        which ? FARSUM_ERROR_PRESSURE : FARSUM_ERROR_ENERGY;
    double measured = plan->energies[which];
    if (plan->task.given.error == norm)
        return method_estimate(plan);
    if (measured >= 0)
        return plan->unchecked > 0
                   ? measured * task_error(&plan->task, i->estimated_error)
                         / plan->unchecked * plan_growth(plan)
                   : measured;
    if (!plan->method->wide || !(plan->task.problem.outputs & output))
        return -1;
    return i->estimated_error * (which ? OF_VIRIAL : 1);
}

double plan_estimate_energy(const struct farsum_plan *plan, int which)
{
    double estimate = method_estimate_energy(plan, which);
    return plan->smear && estimate >= 0
               ? hypot_of(estimate, plan->smear->error[1])
               : estimate;
}

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

void plan_beside_info(const struct farsum_plan *plan, farsum_plan_info *info)
{
    const struct farsum_plan *beside = plan->beside;
    if (!beside)
        return;
    for (int k = 0;
         k < beside->report.info.n_stages && info->n_stages < FARSUM_MAX_STAGES;
         k++) {
        farsum_stage_info *to = &info->stages[info->n_stages++];
        *to = beside->report.info.stages[k];
        to->seconds = plan->beside_ran ? to->seconds : 0;
    }
    if (plan->beside_ran)
        info->seconds_stages += beside->report.info.seconds_stages;
}
