/* SPDX-License-Identifier: Apache-2.0 */
/* late.c: what a plan keeps of its caller's arrays until its first sum is
 * checked (plan/verify/late.c). */
#include <string.h>

#include "base/arrays.h"
#include "base/mem.h"
#include "device/buf.h"
#include "plan/plan.h"

void verify_late_drop(struct farsum_plan *plan)
{
    struct verify_late *late = plan->late;
    if (!late)
        return;
    mem_free(late->q);
    mem_free(late->out);
    late->q = late->out = NULL;
}

/* Frees the positions too. */
static void late_forget(struct farsum_plan *plan)
{
    struct verify_late *late = plan->late;
    verify_late_drop(plan);
    mem_free(late->x);
    mem_free(late->y);
    late->x = late->y = NULL;
}

void verify_late_clear(struct farsum_plan *plan)
{
    if (!plan->late)
        return;
    late_forget(plan);
    mem_free(plan->late);
    plan->late = NULL;
}

/* If a check that nobody requested fails, logs the reason and drops the check.
 * If the caller stopped the check, or the network failed, the sum fails too. */
farsum_status verify_late_skip(struct farsum_plan *plan, farsum_status status)
{
    if (status == FARSUM_OK || plan->task.options.verify > 0
        || status == FARSUM_ERR_STATE || status == FARSUM_ERR_COMM)
        return status;
    task_log(&plan->task, "not checked by a second sum: %s", farsum_message());
    verify_late_clear(plan);
    return status_fail(FARSUM_OK, "%s", "");
}

/* Copies `count` numbers of the caller's array, on the host or the device, from
 * `first` on. */
farsum_status verify_late_keep(struct farsum_plan *plan, const void *from,
                               int64_t first, int64_t count, const char *what,
                               void **to)
{
    int64_t real = array_size(plan->task.problem.arrays);
    struct buf given = {0};
    TRY(mem_alloc(to, count, (size_t)real, 0));
    if (count == 0)
        return FARSUM_OK;
    if (plan->task.problem.memory == FARSUM_HOST) {
        memcpy(*to, (const char *)from + first * real, (size_t)(count * real));
        return FARSUM_OK;
    }
    TRY(buf_given(&given, plan->task.device, from, (first + count) * real,
                  what));
    return buf_download(&given, first * real, *to, count * real);
}

farsum_status verify_late_points(struct farsum_plan *plan, int64_t n,
                                 const void *x, int64_t m, const void *y)
{
    struct verify_late *late = plan->late;
    double all[2] = {(double)n, (double)m};
    if (!late)
        return FARSUM_OK;
    late_forget(plan);
    TRY(task_add(&plan->task, FARSUM_OK, all, 2));
    if (plan->task.options.verify == 0
        && !(plan_few_enough(&plan->task, all[0])
             && plan_few_enough(&plan->task, all[1])))
        return FARSUM_OK;
    late->n = n;
    late->m = m;
    farsum_status status =
        verify_late_keep(plan, x, 0, 3 * n, "positions", &late->x);
    if (status == FARSUM_OK && m > 0)
        status = verify_late_keep(plan, y, 0, 3 * m, "targets", &late->y);
    return verify_late_skip(plan, task_agree(&plan->task, status));
}

const void *verify_output(const struct farsum_plan *plan,
                          const farsum_result *result)
{
    return !plan->task.pair.kind->gradient ? result->velocity
           : plan->task.problem.error == FARSUM_ERROR_POTENTIAL
               ? result->potential
               : result->field;
}

int verify_late_waits(const struct farsum_plan *plan,
                      const farsum_result *result)
{
    /* a rank without points needs no results */
    return plan->late && plan->late->x
           && (plan->task.comm || verify_output(plan, result));
}
