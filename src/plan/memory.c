/* SPDX-License-Identifier: Apache-2.0 */
/* memory.c: the memory that a plan holds, and its limit. */
#include "base/mem.h"
#include "task/method.h"
#include "plan/plan.h"

struct plan_held plan_held(const struct farsum_plan *plan)
{
    return (struct plan_held){mem_bytes(),
                              plan->task.device ? plan->task.device->bytes : 0};
}

void plan_holds(struct farsum_plan *plan, struct plan_held before)
{
    struct plan_held now = plan_held(plan);
    plan->bytes += now.host - before.host + now.device - before.device;
    plan->report.info.bytes = (uint64_t)plan->bytes;
    plan->report.info.device_bytes += (uint64_t)(now.device - before.device);
}

uint64_t plan_memory(const struct device *device)
{
    return (device ? (uint64_t)device->properties.memory : mem_allowed()) / 10
           * 8;
}

static int64_t plan_most(const struct farsum_plan *plan)
{
    uint64_t limit = plan->task.options.memory_limit;
    return limit < INT64_MAX / 4 ? (int64_t)limit : INT64_MAX / 4;
}

struct plan_limit plan_limit(struct farsum_plan *plan)
{
    int64_t limit = plan_most(plan);
    struct plan_held now = plan_held(plan);
    struct plan_limit old = {
        mem_limit(now.host + limit - plan->bytes, limit), {0}};
    if (plan->task.device) {
        old.device = plan->task.device->ceiling;
        plan->task.device->ceiling =
            (struct mem_limit){now.device + limit - plan->bytes, limit};
    }
    return old;
}

void plan_unlimit(struct farsum_plan *plan, struct plan_limit old)
{
    mem_unlimit(old.host);
    if (plan->task.device)
        plan->task.device->ceiling = old.device;
}

farsum_status plan_addresses(const struct farsum_plan *plan)
{
    const farsum_problem *p = &plan->task.problem;
    double bytes = 12 * ((double)p->n_sources + (double)p->n_targets);
    if (bytes > 0x1p47)
        FAIL(ERR_MEMORY,
             "positions of %lld sources and %lld targets take %.3g bytes, "
             "above the 2^47 that have an address",
             (long long)p->n_sources, (long long)p->n_targets, bytes);
    return FARSUM_OK;
}

