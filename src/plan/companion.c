/* SPDX-License-Identifier: Apache-2.0 */
/* companion.c: companion plan.  If the method of a plan lacks an output of a
 * periodic cell, a second plan with another method computes it. */
#include <stdio.h>
#include <string.h>

#include "task/method.h"
#include "base/c_locale.h"
#include "plan/plan.h"

unsigned plan_lacks(const struct farsum_plan *plan, const struct method *method)
{
    const farsum_problem *p = &plan->task.problem;
    return p->periodic[0] ? method->lacks & p->outputs : 0;
}

/* The request to the plan itself, in the precision that it uses. */
static farsum_problem beside_problem(const struct farsum_plan *plan,
                                     unsigned outputs)
{
    farsum_problem p = plan->task.given;
    p.precision = plan->task.problem.precision;
    p.outputs = outputs;
    p.error = plan->task.problem.error;
    p.tolerance /= plan->task.finer;
    return p;
}

/* Options without those of another method: names of variants, orders,
 * bounds. */
static farsum_options beside_options(const struct farsum_plan *plan,
                                     struct farsum_device *device)
{
    const farsum_options *own = &plan->task.options;
    farsum_options o = FARSUM_OPTIONS_INIT;
    device->device = plan->task.device;
    o.device.handle = plan->task.device ? device : NULL;
    o.isa = own->isa;
    o.threads = plan->task.threads;
    o.deterministic = own->deterministic;
    o.measure = own->measure;
    o.repeats = own->repeats;
    o.device.queues = own->device.queues;
    o.memory_limit = own->memory_limit > plan->report.info.bytes
                         ? own->memory_limit - plan->report.info.bytes
                         : 1;
    o.log = own->log;
    o.log_data = own->log_data;
    return o;
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

farsum_status plan_beside_create(struct farsum_plan *plan)
{
    unsigned lacks = plan_lacks(plan, plan->method);
    struct farsum_device device;
    if (!lacks)
        return FARSUM_OK;
    const farsum_problem problem = beside_problem(plan, lacks);
    const farsum_options options = beside_options(plan, &device);
    farsum_status status =
        plan_make(&problem, &options,
                  PLAN_INNER | (plan->task.dry ? PLAN_DRY : 0), &plan->beside);
    if (status != FARSUM_OK)
        return status_prefix(status,
                             "%s computes the virial of a periodic cell by a "
                             "second method (leave it out of the outputs)",
                             plan->report.info.method);
    const struct farsum_plan *beside = plan->beside;
    size_t used = strlen(plan->method_reason);
    c_locale_text(plan->method_reason + used, sizeof plan->method_reason - used,
                  "; virial: also %s, %.3g s", beside->report.info.method,
                  beside->method_seconds);
    plan->method_seconds += beside->method_seconds;
    plan->report.info.bytes += beside->report.info.bytes;
    return FARSUM_OK;
}

farsum_status plan_beside_cell(struct farsum_plan *plan, const double old[9],
                               const double cell[9])
{
    farsum_status status = farsum_plan_set_cell(plan->beside, cell);
    if (status != FARSUM_OK) /* the method had accepted this cell */
        TRY(plan->method->set_cell(&plan->task, plan->state, old));
    return status;
}

farsum_status plan_beside_execute(struct farsum_plan *plan, int rhs,
                                  const void *q, const farsum_result *result)
{
    struct farsum_plan *beside = plan->beside;
    farsum_result lacking = FARSUM_RESULT_INIT;
    lacking.virial = result->virial;
    plan->beside_ran = lacking.virial != NULL;
    if (!plan->beside_ran)
        return FARSUM_OK;
    return beside->method->execute(&beside->task, beside->state, rhs, q,
                                   &lacking);
}
