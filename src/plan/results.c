/* SPDX-License-Identifier: Apache-2.0 */
/* results.c: sums of several parts whose results appear together.  A caller may
 * stop between the parts, a result may exceed the range of its type, or another
 * rank may fail; then the outputs stay unchanged. */
#include <string.h>

#include "base/mem.h"
#include "base/arrays.h"
#include "task/method.h"
#include "plan/plan.h"

enum { OUTPUTS = 8 };

/* The caller's arrays and their sizes in bytes, in the order of
 * farsum_result. */
static void apart_arrays(const struct farsum_plan *plan, int rhs,
                         farsum_result *result, void **array[OUTPUTS],
                         int64_t bytes[OUTPUTS])
{
    int64_t targets = plan->apart ? plan->m : plan->n;
    int64_t each = rhs * targets * array_size(plan->task.problem.arrays);
    array[0] = &result->potential, bytes[0] = each;
    array[1] = &result->field, bytes[1] = 3 * each;
    array[2] = &result->velocity, bytes[2] = 3 * each;
    array[3] = (void **)&result->energy, bytes[3] = 8 * (int64_t)rhs;
    array[4] = (void **)&result->virial, bytes[4] = 72 * (int64_t)rhs;
    array[5] = &result->gradient, bytes[5] = 6 * each;
    array[6] = &result->particle_virial, bytes[6] = 9 * each;
    array[7] = &result->third, bytes[7] = 10 * each;
}

/* Memory that may have been a buffer's object of OpenCL still begins as one,
 * and would be taken for it (struct device_pointer). */
static farsum_status apart_reserve(void **to, int64_t bytes)
{
    int64_t word = bytes < 8 ? bytes : 8;
    TRY(mem_alloc(to, bytes, 1, 0));
    memset(*to, 0, (size_t)word);
    return FARSUM_OK;
}

/* Sums with the companion into the outputs that the method lacks. */
static farsum_status apart_beside(struct farsum_plan *plan, int rhs,
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

static farsum_status apart_sum(struct farsum_plan *plan, int rhs, const void *q,
                               farsum_result *result, plan_then *then)
{
    farsum_result own = *result;
    if (plan->beside)
        own.virial = NULL;
    TRY(task_agree(&plan->task, plan->method->execute(&plan->task, plan->state,
                                                      rhs, q, &own)));
    if (plan->beside)
        TRY(apart_beside(plan, rhs, q, result));
    return then ? then(plan, rhs, q, result) : FARSUM_OK;
}

farsum_status plan_sum_apart(struct farsum_plan *plan, int rhs, const void *q,
                             farsum_result *result, plan_then *then)
{
    farsum_status status = FARSUM_OK;
    farsum_result mine = *result;
    void **from[OUTPUTS], **to[OUTPUTS];
    int64_t bytes[OUTPUTS];
    int parts = rhs > 1 || plan->beside || then;
    if (plan->task.problem.memory == FARSUM_DEVICE
        || (!plan->task.comm
            && (!parts || (!plan->progress.call
                           && units_safe(&plan->task, plan->n, rhs, q)))))
        return apart_sum(plan, rhs, q, result, then);
    apart_arrays(plan, rhs, &mine, from, bytes);
    apart_arrays(plan, rhs, result, to, bytes);
    for (int k = 0; k < OUTPUTS; k++)
        *from[k] = NULL;
    for (int k = 0; k < OUTPUTS; k++)
        if (*to[k])
            KEEP_ON(apart_reserve(from[k], bytes[k]));
    GO(task_agree(&plan->task, status));
    GO(task_agree(&plan->task, apart_sum(plan, rhs, q, &mine, then)));
    for (int k = 0; k < OUTPUTS; k++)
        if (*to[k])
            memcpy(*to[k], *from[k], (size_t)bytes[k]);
done:
    for (int k = 0; k < OUTPUTS; k++)
        mem_free(*from[k]);
    return status;
}
