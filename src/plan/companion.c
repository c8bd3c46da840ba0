/* SPDX-License-Identifier: Apache-2.0 */
/* companion.c: companion plan.  If the method of a plan lacks an output of a
 * periodic cell, a second plan with another method computes it. */
#include <stdio.h>
#include <string.h>

#include "task/method.h"
#include "base/c_locale.h"
#include "plan/plan.h"

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

