/* SPDX-License-Identifier: Apache-2.0 */
/* choose_precision.c: choice of the precision of a plan's sums: the requested
 * one, or the one with the fastest execute among those that keep the
 * tolerance. */
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "base/c_locale.h"
#include "task/method.h"
#include "plan/plan.h"

/* Extra cost that is accepted for a wider precision: estimates are not more
 * accurate than this. */
#define WORTH 1.1
enum { TRIED = 3, WHY = 1024 };

static const char *precision_name(farsum_precision p)
{
    return p == FARSUM_F64 ? "f64" : p == FARSUM_F32 ? "f32" : "mixed";
}

/* In open space every method sums other kernels than 1/r in f64. */
static int precision_wide(const struct farsum_plan *plan)
{
    const struct pair_kind *kind = plan->task.pair.kind;
    return task_axes(&plan->task) == 0 && (!kind->charged || kind->moments);
}

/* The precision that remains of the requested one: that of the pairs, and that
 * of the rest. */
farsum_status plan_method_in(struct farsum_plan *plan, farsum_precision asked,
                             const struct machine by[2])
{
    if (precision_wide(plan))
        asked = FARSUM_F64;
    plan->task.pairs = asked == FARSUM_F64 ? FARSUM_F64 : FARSUM_F32;
    plan->task.problem.precision =
        asked == FARSUM_F32 ? FARSUM_F32 : FARSUM_F64;
    plan->report.info.precision = asked;
    plan->task.machine = by[asked == FARSUM_F32];
    if (asked == FARSUM_MIXED)
        plan->task.machine.factor[MACHINE_NEAR] = by[1].factor[MACHINE_NEAR];
    TRY(plan_method(plan));
    if (plan->method->wide)
        plan->task.problem.precision = FARSUM_F64;
    if (plan->method->wide || !plan->method->mixed) /* no f32 next to f64 */
        plan->report.info.precision = plan->task.pairs =
            plan->task.problem.precision;
    return FARSUM_OK;
}

/* A precision and the outcome of trying it. */
struct tried {
    farsum_precision asked;
    farsum_status status;
    double seconds;
    int same; /* same as f64, because the method sums so */
    char why[WHY];
    /* of its plan: */
    const struct method *method;
    const char *name; /* its */
    void *state; /* owned until it is used */
    struct machine machine;
    char reason[sizeof((struct farsum_plan *)0)->method_reason];
};

static farsum_status precision_try(struct farsum_plan *plan,
                                   const struct machine by[2], struct tried *t)
{
    t->status = plan_method_in(plan, t->asked, by);
    if (t->status != FARSUM_OK) {
        snprintf(t->why, sizeof t->why, "%s", farsum_message());
        return plan_refuses(t->status) ? FARSUM_OK : t->status;
    }
    t->same =
        t->asked != FARSUM_F64 && plan->report.info.precision == FARSUM_F64;
    t->seconds = plan->method_seconds;
    t->method = plan->method;
    t->name = plan->report.info.method;
    t->state = plan->state;
    t->machine = plan->task.machine;
    memcpy(t->reason, plan->method_reason, sizeof t->reason);
    plan->method = NULL;
    plan->state = NULL;
    return FARSUM_OK;
}

/* The widest precision, unless a narrower one is faster by the factor WORTH. */
static struct tried *precision_best(struct tried tried[TRIED])
{
    struct tried *best = NULL;
    for (int k = 0; k < TRIED; k++) {
        struct tried *t = &tried[k];
        if (t->status == FARSUM_OK && !t->same
            && (!best || WORTH * t->seconds < best->seconds))
            best = t;
    }
    return best;
}

/* "f32 0.004 s estimated, f64 0.009 s, mixed 0.006 s; ...". */
static void precision_say(struct farsum_plan *plan, const struct tried *tried,
                          const struct tried *best)
{
    char *text = plan->precision_reason;
    size_t size = sizeof plan->precision_reason, used;
    used = (size_t)c_locale_text(text, size, "%s %.3g s estimated",
                                 precision_name(best->asked), best->seconds);
    for (int k = 0; k < TRIED && used < size; k++) {
        const struct tried *t = &tried[k];
        const char *name = precision_name(t->asked);
        if (t->same && t->asked == FARSUM_F32)
            used += (size_t)snprintf(text + used, size - used,
                                     "; f32: %s sums in f64", t->name);
        if (t == best || t->same || used >= size)
            continue;
        used += t->status == FARSUM_OK
                    ? (size_t)c_locale_text(text + used, size - used,
                                            ", %s %.3g s", name, t->seconds)
                    : (size_t)snprintf(text + used, size - used, "; %s: %.150s",
                                       name, t->why);
    }
    plan->report.info.precision_reason = text;
}

farsum_status plan_precision(struct farsum_plan *plan,
                             const struct machine by[2])
{
    farsum_status status = FARSUM_OK;
    struct tried *tried = NULL, *best;
    GO(MEM_NEW(tried, TRIED));
    tried[0].asked = FARSUM_F64;
    tried[1].asked = FARSUM_MIXED;
    tried[2].asked = FARSUM_F32;
    for (int k = 0; k < TRIED; k++)
        GO(precision_try(plan, by, &tried[k]));
    best = precision_best(tried);
    if (!best)
        GO(status_fail(tried[0].status, "%s", tried[0].why));
    plan->task.pairs = best->asked == FARSUM_F64 ? FARSUM_F64 : FARSUM_F32;
    plan->task.problem.precision =
        best->asked == FARSUM_F32 ? FARSUM_F32 : FARSUM_F64;
    plan->report.info.precision = best->asked;
    plan->method = best->method;
    plan->report.info.method = best->name;
    plan->state = best->state;
    best->state = NULL;
    plan->task.machine = best->machine;
    memcpy(plan->method_reason, best->reason, sizeof best->reason);
    precision_say(plan, tried, best);
done:
    for (int k = 0; tried && k < TRIED; k++)
        if (tried[k].state)
            tried[k].method->destroy(tried[k].state);
    mem_free(tried);
    return status;
}
