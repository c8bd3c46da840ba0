/* SPDX-License-Identifier: Apache-2.0 */
/* plan.c: the public functions of a plan: they check arguments and delegate. */
#include "plan/plan.h"
#include "plan/smear/smear.h"

#include "base/args.h"
#include "base/fpenv.h"

farsum_status plan_make_advised(const farsum_problem *problem,
                                const farsum_options *options, int how,
                                struct plan_aim aim, farsum_plan **plan)
{
    struct farsum_plan *made = NULL;
    if (!plan)
        FAIL(ERR_ARGUMENT, "plan is NULL");
    farsum_status status = plan_make_for(problem, options, how, aim, &made);
    if (status == FARSUM_OK) {
        *plan = made;
        return FARSUM_OK;
    }
    if (made) {
        status = plan_advise(status, made, problem, options);
        status = progress_end(&made->progress, status);
    }
    farsum_plan_destroy(made);
    return status;
}

farsum_status farsum_plan_create(const farsum_problem *problem,
                                 const farsum_options *options,
                                 farsum_plan **plan)
{
    FP_GUARD;
    struct plan_aim aim = {0};
    farsum_status status = plan_make_advised(problem, options, 0, aim, plan);
    if (plan_refuses(status) && problem->error > FARSUM_ERROR_VELOCITY) {
        aim.finer = 1;
        status = plan_make_advised(problem, options, 0, aim, plan);
    }
    if (status != FARSUM_OK)
        return status;
    TRY(plan_verify(problem, options, problem, plan));
    return plan_part(plan);
}

farsum_status farsum_plan_tune(const farsum_problem *problem,
                               const farsum_options *options,
                               farsum_plan **plan)
{
    FP_GUARD;
    return plan_make_advised(problem, options, PLAN_DRY, (struct plan_aim){0},
                             plan);
}

/* Ends the listener's call.  Over ranks the status and its words stay those
 * that the ranks have agreed on. */
static farsum_status plan_told(struct farsum_plan *plan, farsum_status status)
{
    if (!plan->task.comm)
        return progress_end(&plan->progress, status);
    TRY(progress_end(&plan->progress, FARSUM_OK));
    return status;
}

farsum_status farsum_plan_set_points(farsum_plan *plan, int64_t n,
                                     const void *x, int64_t m, const void *y)
{
    if (!plan)
        FAIL(ERR_ARGUMENT, "plan is NULL");
    TRY(task_connected(&plan->task));
    progress_begin(&plan->progress);
    farsum_status status = plan_points(plan, n, x, m, y);
    if (status != FARSUM_OK && !plan->task.comm)
        status = plan_advise_points(status, plan, n, x, m);
    return plan_told(plan, status);
}

farsum_status farsum_plan_set_cell(farsum_plan *plan, const double cell[9])
{
    FP_GUARD;
    if (!plan)
        FAIL(ERR_ARGUMENT, "plan is NULL");
    TRY(task_connected(&plan->task));
    return plan_cell(plan, cell);
}

/* If the last sum's estimated error exceeds the tolerance: fails or logs it, as
 * options.on_excess says. */
static farsum_status plan_excess(struct farsum_plan *plan)
{
    FP_GUARD;
    double tolerance = plan->task.problem.tolerance * plan->task.finer;
    double error = plan_estimate(plan);
    int empty = plan->n == 0 && !plan->task.comm; /* a rank may have none */
    if (plan->task.dry || empty || !(error > tolerance))
        return FARSUM_OK;
    if (plan->task.options.on_excess == FARSUM_EXCESS_FAIL)
        FAIL(ERR_TOLERANCE,
             "the estimated error of this sum is %.3g, above the tolerance %g",
             task_error(&plan->task, error), plan->task.given.tolerance);
    if (!plan->excess_told)
        task_log(&plan->task,
                 "WARNING: the estimated error of this sum is %.3g, above the "
                 "tolerance %g",
                 task_error(&plan->task, error), plan->task.given.tolerance);
    plan->excess_told = 1;
    return FARSUM_OK;
}

/* The same, and if it fails, all ranks fail. */
static farsum_status plan_excess_all(struct farsum_plan *plan)
{
    farsum_status status = plan_excess(plan);
    return plan->task.options.on_excess == FARSUM_EXCESS_FAIL
               ? task_agree(&plan->task, status)
               : status;
}

/* Copies `result`.  A rank without points may pass no strengths. */
static farsum_status execute_asked(const farsum_plan *plan, const void *q,
                                   const farsum_result *result,
                                   farsum_result *asked)
{
    if (!result || (!q && (plan->n > 0 || !plan->task.comm)))
        FAIL(ERR_ARGUMENT, "%s is NULL", result ? "q" : "result");
    return struct_take(asked, sizeof *asked, result, result->size,
                       "FARSUM_RESULT_INIT");
}

/* A plan_then: checks a sum if that waits, then adds what smears it. */
static farsum_status execute_then(struct farsum_plan *plan, int rhs,
                                  const void *q, const farsum_result *result)
{
    if (verify_late_waits(plan, result))
        TRY(verify_late_sum(plan, rhs, q, result));
    return smear_add(plan, rhs, q, result);
}

farsum_status farsum_plan_execute(farsum_plan *plan, int rhs, const void *q,
                                  farsum_result *result)
{
    farsum_result asked;
    if (!plan)
        FAIL(ERR_ARGUMENT, "plan is NULL");
    TRY(task_connected(&plan->task));
    TRY(task_agree(&plan->task, execute_asked(plan, q, result, &asked)));
    int check = verify_late_waits(plan, &asked);
    progress_begin(&plan->progress);
    TRY(plan_told(plan, plan_sum(plan, rhs, q, &asked,
                                 check || plan->smear ? execute_then : NULL)));
    if (!check) /* info describes a different sum */
        verify_late_drop(plan);
    if (plan->task.problem.memory == FARSUM_DEVICE)
        return FARSUM_OK;
    return plan_excess_all(plan);
}

farsum_status farsum_plan_finish(farsum_plan *plan)
{
    FP_GUARD;
    if (!plan)
        FAIL(ERR_ARGUMENT, "plan is NULL");
    TRY(task_connected(&plan->task));
    /* execute has waited, and a rank may call this by itself */
    if (plan->task.comm && plan->task.problem.memory == FARSUM_HOST)
        return FARSUM_OK;
    TRY(plan_finish(plan));
    TRY(verify_late_finish(plan));
    return plan->task.problem.memory == FARSUM_DEVICE ? plan_excess_all(plan)
                                                      : FARSUM_OK;
}

farsum_status farsum_plan_get_info(const farsum_plan *plan,
                                   farsum_plan_info *info)
{
    FP_GUARD;
    if (!plan || !info)
        FAIL(ERR_ARGUMENT, "%s is NULL", plan ? "info" : "plan");
    farsum_plan_info all = plan->report.info;
    plan_units_info(plan, &all);
    plan_reasons_info(plan, &all);
    plan_beside_info(plan, &all);
    return struct_give(info, info->size, &all, sizeof all,
                       "FARSUM_PLAN_INFO_INIT");
}
