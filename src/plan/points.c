/* SPDX-License-Identifier: Apache-2.0 */
/* points.c: a plan and its companion get points and cells. */
#include <string.h>

#include "base/args.h"
#include "base/clock.h"
#include "base/fpenv.h"
#include "plan/plan.h"
#include "plan/smear/smear.h"

static farsum_status points_check(const struct farsum_plan *plan, int64_t n,
                                  const void *x, int64_t m, const void *y)
{
    TRY(device_usable(plan->task.device));
    if (plan->task.dry)
        FAIL(ERR_STATE, "a plan made by farsum_plan_tune accepts no points");
    if (!x && (n > 0 || !plan->task.comm))
        FAIL(ERR_ARGUMENT, "x is NULL");
    if (n < (plan->task.comm ? 0 : 1)) /* a rank may give none */
        FAIL(ERR_ARGUMENT, "%lld sources are too few, at least 1 is needed",
             (long long)n);
    TRY(count_check(n, "the number of sources"));
    TRY(count_check(m < 0 ? 0 : m, "the number of targets"));
    if (m < 0 || (m > 0) != (y != NULL))
        FAIL(ERR_ARGUMENT,
             "the number of targets m is %lld and y is %s; give both, or m = 0 "
             "and y = NULL",
             (long long)m, y ? "not NULL" : "NULL");
    if (m > 0 && plan->task.problem.n_targets == 0)
        FAIL(ERR_STATE, "this plan has no separate targets: set "
                        "problem.n_targets before farsum_plan_create()");
    return FARSUM_OK;
}

farsum_status plan_points(struct farsum_plan *plan, int64_t n, const void *x,
                          int64_t m, const void *y)
{
    FP_GUARD;
    double start = clock_seconds();
    TRY(task_agree(&plan->task, points_check(plan, n, x, m, y)));
    plan->has_points = 0;
    if (plan->beside)
        plan->beside->has_points = 0;
    units_again(&plan->task);
    struct plan_held before = plan_held(plan);
    struct plan_limit limit = plan_limit(plan);
    device_gather(plan->task.device);
    farsum_status status = plan_exclude_rows(plan, n, m);
    if (status == FARSUM_OK)
        status = plan->method->set_points(&plan->task, plan->state, n, x, m, y);
    if (status == FARSUM_OK)
        status = plan_exclude_hand(plan);
    if (status == FARSUM_OK && plan->beside) /* m is 0 then */
        status = plan_points(plan->beside, n, x, 0, NULL);
    status = device_settle(plan->task.device, status);
    if (plan->task.device) /* only this rank's kernels may have failed */
        status = task_agree(&plan->task, status);
    if (status == FARSUM_OK)
        status = verify_late_points(plan, n, x, m, y);
    if (status == FARSUM_OK)
        status = smear_points(plan, n, x);
    plan_unlimit(plan, limit);
    if (status == FARSUM_OK)
        status = progress_check(&plan->progress);
    double apart = m > 0;
    status = task_agree(&plan->task, status);
    if (status == FARSUM_OK)
        status = task_agree(&plan->task, task_max(&plan->task, &apart, 1));
    plan_holds(plan, before);
    if (status != FARSUM_OK)
        return status;
    plan->n = n;
    plan->m = m;
    plan->apart = apart > 0;
    plan->report.info.n_sources = n;
    plan->report.info.n_targets = plan->apart ? m : n;
    plan->has_points = 1;
    plan->report.info.seconds_set_points = clock_seconds() - start;
    return FARSUM_OK;
}

static farsum_status cell_check(const struct farsum_plan *plan,
                                const double *cell)
{
    if (!cell)
        FAIL(ERR_ARGUMENT, "cell is NULL");
    TRY(device_usable(plan->task.device));
    if (plan->task.dry)
        FAIL(ERR_STATE, "a plan made by farsum_plan_tune accepts no cell");
    if (task_axes(&plan->task) == 0)
        FAIL(ERR_STATE, "the problem has no periodic axis, so it has no cell");
    return FARSUM_OK;
}

farsum_status plan_cell(struct farsum_plan *plan, const double cell[9])
{
    FP_GUARD;
    TRY(task_agree(&plan->task, cell_check(plan, cell)));
    struct cell checked;
    double old[9], right[9], inside[9];
    TRY(task_same(&plan->task, cell, 9, "cell"));
    memcpy(right, cell, sizeof right);
    cell_right(right, plan->task.problem.periodic);
    TRY(units_cell(&plan->task, right, inside));
    TRY(cell_set_axes(&checked, right, plan->task.problem.periodic,
                      task_per(&plan->task)));
    units_again(&plan->task);
    struct plan_held before = plan_held(plan);
    struct plan_limit limit = plan_limit(plan);
    verify_late_drop(plan);
    memcpy(old, plan->task.problem.cell, sizeof old);
    farsum_status status =
        plan->method->set_cell(&plan->task, plan->state, inside);
    if (status == FARSUM_OK && plan->beside) {
        status = plan_cell(plan->beside, right);
        if (status != FARSUM_OK) /* the method had accepted this cell */
            TRY(plan->method->set_cell(&plan->task, plan->state, old));
    }
    plan_unlimit(plan, limit);
    plan_holds(plan, before);
    if (status != FARSUM_OK)
        return status;
    memcpy(plan->task.problem.cell, inside, sizeof inside);
    memcpy(plan->task.given.cell, right, sizeof plan->task.given.cell);
    plan->has_points = 0;
    return FARSUM_OK;
}
