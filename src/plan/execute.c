/* SPDX-License-Identifier: Apache-2.0 */
/* execute.c: one sum, from strengths to results. */
#include <math.h>

#include "base/args.h"
#include "base/clock.h"
#include "base/fpenv.h"
#include "base/par.h"
#include "device/buf.h"
#include "task/method.h"
#include "plan/plan.h"

/* Checks that the strengths of right-hand side r are finite. */
static farsum_status plan_strengths(const struct farsum_plan *plan, int r,
                                    const void *q)
{
    int64_t each = plan->n * plan->task.pair.strengths, first = r * each;
    int64_t bad = INT64_MAX;
    int f32 = plan->task.problem.arrays == FARSUM_F32;
    PAR_FOR(plan->task.threads, reduction(min : bad))
    for (int64_t i = 0; i < each; i++) {
        double v = f32 ? (double)((const float *)q)[first + i]
                       : ((const double *)q)[first + i];
        if (!isfinite(v) && i < bad)
            bad = i;
    }
    if (bad != INT64_MAX)
        FAIL(ERR_STRENGTH, "strength %lld of right-hand side %d is %g",
             (long long)(bad / plan->task.pair.strengths), r,
             f32 ? (double)((const float *)q)[first + bad]
                 : ((const double *)q)[first + bad]);
    return FARSUM_OK;
}

/* Checks that the outputs are among those that the plan was made for. */
static farsum_status plan_check(const struct farsum_plan *plan, int rhs,
                                const void *q, const farsum_result *result)
{
    TRY(device_usable(plan->task.device));
    if (!plan->has_points)
        FAIL(ERR_STATE, "no points are set; call farsum_plan_set_points first");
    if (rhs < 1)
        FAIL(ERR_ARGUMENT, "rhs is %d, not at least 1", rhs);
    const int64_t counts[] = {rhs, plan->m > plan->n ? plan->m : plan->n};
    TRY(count_product(counts, 2, "right-hand sides times particles"));
    const unsigned asked =
        (result->potential ? FARSUM_POTENTIAL : 0u)
        | (result->field ? FARSUM_FIELD : 0u)
        | (result->energy ? FARSUM_ENERGY : 0u)
        | (result->virial ? FARSUM_VIRIAL : 0u)
        | (result->velocity ? FARSUM_VELOCITY : 0u)
        | (result->gradient ? FARSUM_GRADIENT : 0u)
        | (result->particle_virial ? FARSUM_PARTICLE_VIRIAL : 0u)
        | (result->third ? FARSUM_THIRD : 0u);
    static const char *const names[] = {
        "potential", "field",    "energy",          "virial",
        "velocity",  "gradient", "particle_virial", "third"};
    const int n_names = (int)(sizeof names / sizeof *names);
    if (plan->apart
        && asked & (FARSUM_ENERGY | FARSUM_VIRIAL | FARSUM_PARTICLE_VIRIAL))
        FAIL(ERR_UNSUPPORTED, "energy and virial do not exist for separate "
                              "targets");
    for (int i = 0; i < n_names; i++)
        if (asked & ~plan->task.problem.outputs & (1u << i))
            FAIL(ERR_ARGUMENT, "%s is not among the problem's outputs",
                 names[i]);
    if (plan->task.problem.memory == FARSUM_DEVICE)
        return FARSUM_OK; /* the device checks them */
    if (plan->task.device)
        TRY(buf_given_host(plan->task.device, q, plan->n, "strengths"));
    for (int r = 0; r < rhs; r++)
        TRY(plan_strengths(plan, r, q));
    return FARSUM_OK;
}

farsum_status plan_sum(struct farsum_plan *plan, int rhs, const void *q,
                       farsum_result *result, plan_then *then)
{
    FP_GUARD;
    double start = clock_seconds(), checked = plan->report.info.seconds_verify;
    farsum_status status = plan_check(plan, rhs, q, result);
    if (status == FARSUM_OK)
        status =
            progress_step(0, rhs, "summing by %s", plan->report.info.method);
    TRY(task_agree(&plan->task, status));
    TRY(plan_sum_apart(plan, rhs, q, result, then));
    checked = plan->report.info.seconds_verify - checked; /* included in it */
    plan->report.info.seconds_execute = clock_seconds() - start - checked;
    return FARSUM_OK;
}

farsum_status plan_finish(struct farsum_plan *plan)
{
    farsum_status status = device_usable(plan->task.device);
    if (plan->task.device)
        status = task_agree(&plan->task, status);
    TRY(status);
    if (plan->task.dry || !plan->method->finish)
        return FARSUM_OK;
    status = plan->method->finish(&plan->task, plan->state);
    if (plan->beside)
        KEEP_ON(plan_finish(plan->beside));
    return plan->task.problem.memory == FARSUM_DEVICE
               ? task_agree(&plan->task, status)
               : status;
}
