/* SPDX-License-Identifier: Apache-2.0 */
/* verify_late.c: the check of a plan without a sample or with separate targets.
 * The first sum of the quantity that the tolerance limits is compared with a
 * second sum.  The plan is not made finer: its estimate becomes the measured
 * error. */
#include <string.h>

#include "base/clock.h"
#include "base/mem.h"
#include "device/buf.h"
#include "base/arrays.h"
#include "task/method.h"
#include "plan/verify.h"

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
 * If the caller stopped the check, the sum stops too. */
static farsum_status late_skip(struct farsum_plan *plan, farsum_status status)
{
    if (status == FARSUM_OK || plan->task.options.verify > 0
        || status == FARSUM_ERR_STATE)
        return status;
    task_log(&plan->task, "not checked by a second sum: %s", farsum_message());
    verify_late_clear(plan);
    return status_fail(FARSUM_OK, "%s", "");
}

/* Copies `count` numbers of the caller's array, on the host or the device, from
 * `first` on. */
static farsum_status late_keep(struct farsum_plan *plan, const void *from,
                               int64_t first, int64_t count, const char *what,
                               void **to)
{
    int64_t real = array_size(plan->task.problem.arrays);
    struct buf given = {0};
    TRY(mem_alloc(to, count, (size_t)real, 0));
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
    if (!late)
        return FARSUM_OK;
    late_forget(plan);
    if (plan->task.options.verify == 0 && (n > VERIFY_MANY || m > VERIFY_MANY))
        return FARSUM_OK;
    late->n = n;
    late->m = m;
    farsum_status status = late_keep(plan, x, 0, 3 * n, "positions", &late->x);
    if (status == FARSUM_OK && m > 0)
        status = late_keep(plan, y, 0, 3 * m, "targets", &late->y);
    return late_skip(plan, status);
}

/* Checks results `out` of strengths q, one right-hand side, on the host. */
static farsum_status late_check(struct farsum_plan *plan, const void *q,
                                const void *out)
{
    farsum_status status = FARSUM_OK;
    const struct verify_late *late = plan->late;
    double start = clock_seconds();
    struct verify_error error;
    struct verify_sum s = {.n = late->n,
                           .m = late->m,
                           .given_x = late->x,
                           .given_y = late->y,
                           .given_q = q,
                           .results = out};
    /* a result of zero has no relative error: check a later sum */
    if (!(plan->report.info.norm > 0)
        || !(plan->report.info.estimated_error > 0))
        return FARSUM_OK;
    struct plan_held before = plan_held(plan);
    struct plan_limit limit = plan_limit(plan);
    GO(verify_sum(plan, &s));
    GO(verify_errors(plan, &s, out, &error));
done:
    plan_unlimit(plan, limit);
    if (status == FARSUM_OK) {
        /* if the draw leaves a doubt, it counts as above the tolerance */
        double found = error.is <= 1 && error.most > 1 ? error.most : error.is;
        verify_found(plan, &s, found, clock_seconds() - start);
        verify_late_clear(plan);
    }
    verify_clear(&s);
    status = late_skip(plan, status);
    plan_holds(plan, before);
    return status;
}

int verify_late_waits(const struct farsum_plan *plan,
                      const farsum_result *result)
{
    return plan->late && plan->late->x && verify_output(plan, result);
}

farsum_status verify_late_sum(struct farsum_plan *plan, int rhs, const void *q,
                              const farsum_result *result)
{
    struct verify_late *late = plan->late;
    const void *out = verify_output(plan, result);
    int width = plan->task.problem.error == FARSUM_ERROR_POTENTIAL ? 1 : 3;
    int64_t real = array_size(plan->task.problem.arrays);
    if (!verify_late_waits(plan, result)) {
        verify_late_drop(plan); /* info describes a different sum */
        return FARSUM_OK;
    }
    /* info describes the last right-hand side */
    int64_t strengths = late->n * plan->task.pair.strengths;
    int64_t results = (late->m > 0 ? late->m : late->n) * width;
    int64_t first_q = (rhs - 1) * strengths, first = (rhs - 1) * results;
    if (plan->task.problem.memory == FARSUM_HOST)
        return late_check(plan, (const char *)q + first_q * real,
                          (const char *)out + first * real);
    struct plan_held before = plan_held(plan);
    struct plan_limit limit = plan_limit(plan);
    verify_late_drop(plan);
    farsum_status status =
        late_keep(plan, q, first_q, strengths, "strengths", &late->q);
    if (status == FARSUM_OK)
        status = late_keep(plan, out, first, results, "results", &late->out);
    plan_unlimit(plan, limit);
    plan_holds(plan, before);
    return late_skip(plan, status);
}

farsum_status verify_late_finish(struct farsum_plan *plan)
{
    const struct verify_late *late = plan->late;
    if (!late || !late->out)
        return FARSUM_OK;
    return late_check(plan, late->q, late->out);
}
