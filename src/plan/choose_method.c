/* SPDX-License-Identifier: Apache-2.0 */
/* choose_method.c: choice of the method.  Among the methods that fit, each
 * method's own tuning predicts the seconds of an execute; the smallest wins. */
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "base/c_locale.h"
#include "task/method.h"
#include "plan/options.h"
#include "plan/plan.h"

enum { METHODS = 16, WHY = 400 };
/* An execute of more seconds is reported. */
#define LONG 60

/* A line of the table of methods and what is known of it. */
struct candidate {
    const struct method_row *row;
    void *state;    /* of tune; owned */
    double seconds; /* of one execute; INFINITY: not tuned */
    double least;   /* lower bound of seconds */
    farsum_status status;
    const char *behind; /* why it is not tried while others fit */
    int refused;        /* its tuning failed */
    int narrow;         /* 1: refused, and would not be in f64 */
    char why[WHY];      /* status is not OK: the reason */
};

struct candidates {
    struct candidate one[METHODS];
    int n;
};

/* Options that the user sets are kept: a method without such an option does not
 * fit. */
static farsum_status method_keeps(const struct farsum_plan *plan,
                                  const struct method *method)
{
    for (const struct option_row *row = option_rows; row->name; row++)
        if (row->methods > METHOD_ANY
            && !(method->options & (unsigned)row->methods)
            && option_is_set(&plan->task.options, row))
            FAIL(ERR_UNSUPPORTED, "does not accept option %s", row->name);
    return FARSUM_OK;
}

/* If a bound is requested, the method must prove it; otherwise it does not
 * fit. */
static farsum_status method_bounds(const struct farsum_plan *plan,
                                   const struct method *method)
{
    if (plan->task.options.strict && !method->bounded)
        FAIL(ERR_UNSUPPORTED, "its error is estimated, not bounded; strict "
                              "requires method fmm or direct");
    return FARSUM_OK;
}

/* Only some methods have parts. */
static farsum_status method_parts(const struct farsum_plan *plan,
                                  const struct method *method)
{
    if (plan->task.given.part != FARSUM_WHOLE && !method->part)
        FAIL(ERR_UNSUPPORTED,
             "sums only the whole; part %s requires method "
             "spectral",
             plan->task.given.part == FARSUM_NEAR ? "near" : "far");
    return FARSUM_OK;
}

/* Only some methods have sums over ranks. */
static farsum_status method_ranks(const struct farsum_plan *plan,
                                  const struct method *method)
{
    if (plan->task.links.ranks > 0 && !method->model)
        FAIL(ERR_UNSUPPORTED, "has no sums over ranks; spectral and fmm have");
    return FARSUM_OK;
}

static void candidate_fails(struct candidate *c, farsum_status status)
{
    c->status = status;
    snprintf(c->why, sizeof c->why, "%s", farsum_message());
}

/* 1: the requested precision is not f64, and the method would fit in f64. */
static int method_narrow(struct farsum_plan *plan, const struct method *method)
{
    const farsum_precision pairs = plan->task.pairs,
                           sums = plan->task.problem.precision;
    if (pairs == FARSUM_F64)
        return 0;
    plan->task.pairs = plan->task.problem.precision = FARSUM_F64;
    farsum_status status = method->fits(&plan->task);
    plan->task.pairs = pairs;
    plan->task.problem.precision = sums;
    return status == FARSUM_OK;
}

/* Lists the methods of the table, or the one named, and whether they fit. */
static farsum_status method_table(struct farsum_plan *plan,
                                  const char *wanted, struct candidates *all)
{
    const char *names[METHODS + 2];
    int n = 0;
    for (const struct method_row *row = method_rows; row->name; row++) {
        names[n++] = row->name;
        if (wanted && strcmp(wanted, row->name) != 0)
            continue;
        struct candidate *c = &all->one[all->n++];
        *c = (struct candidate){.row = row, .seconds = INFINITY};
        farsum_status status = method_bounds(plan, row->method);
        if (status == FARSUM_OK)
            status = method_parts(plan, row->method);
        if (status == FARSUM_OK)
            status = method_ranks(plan, row->method);
        if (status == FARSUM_OK)
            status = row->method->fits(&plan->task);
        if (wanted && status != FARSUM_OK)
            return status_prefix(status, "method %s", row->name);
        if (!wanted && status == FARSUM_OK)
            status = method_keeps(plan, row->method);
        if (status != FARSUM_OK) {
            candidate_fails(c, status);
            c->narrow = method_narrow(plan, row->method);
        }
    }
    names[n++] = "auto";
    names[n] = NULL;
    return all->n > 0 ? FARSUM_OK : text_unknown("method", wanted, names);
}

/* Rules references out unless they are named or the particles are few.  A
 * reference is not used either where another method lacks only f64. */
static void method_references(const struct farsum_plan *plan,
                              struct candidates *all)
{
    const farsum_problem *p = &plan->task.problem;
    const struct candidate *narrow = NULL;
    for (int i = 0; i < all->n; i++) {
        const struct candidate *c = &all->one[i];
        if (c->row->method->reference)
            continue;
        if (c->status == FARSUM_OK)
            return; /* which comes before any reference */
        narrow = c->narrow ? c : narrow;
    }
    for (int i = 0; i < all->n; i++) {
        struct candidate *c = &all->one[i];
        if (c->status != FARSUM_OK || !c->row->method->reference)
            continue;
        if (narrow)
            candidate_fails(c, status_fail(FARSUM_ERR_UNSUPPORTED,
                                           "a reference, not considered where "
                                           "%s sums in f64",
                                           narrow->row->name));
        else if (p->n_sources + p->n_targets > PLAN_FEW)
            candidate_fails(c, status_fail(FARSUM_ERR_UNSUPPORTED,
                                           "a reference of order N^1.5, "
                                           "considered by auto up to %d "
                                           "particles",
                                           (int)PLAN_FEW));
    }
}

/* Methods of a higher rank are tried only if none of a lower rank fits.  Rank
 * 1: references.  Rank 2: methods that leave a part of the outputs to another
 * method's sum. */
static int method_rank(const struct farsum_plan *plan,
                       const struct method *method)
{
    return plan_lacks(plan, method) ? 2 : method->reference ? 1 : 0;
}

static void method_behind(const struct farsum_plan *plan,
                          struct candidates *all)
{
    static const char *const why[] = {
        NULL, "a reference",
        "has no virial of its own with two or three periodic axes"};
    int least = 2;
    for (int i = 0; i < all->n; i++) {
        int rank = method_rank(plan, all->one[i].row->method);
        if (all->one[i].status == FARSUM_OK && rank < least)
            least = rank;
    }
    for (int i = 0; i < all->n; i++) {
        int rank = method_rank(plan, all->one[i].row->method);
        if (all->one[i].status == FARSUM_OK && rank > least)
            all->one[i].behind = why[rank];
    }
}

/* If no method fits: the reason of a method that fails only by the tolerance,
 * or all reasons. */
static farsum_status method_none(const struct candidates *all)
{
    char text[900] = "no method supports this problem";
    for (int i = all->n - 1; i >= 0; i--)
        if (all->one[i].status == FARSUM_ERR_TOLERANCE)
            return status_fail(FARSUM_ERR_TOLERANCE, "method %s: %s",
                               all->one[i].row->name, all->one[i].why);
    for (int i = 0; i < all->n; i++) {
        size_t used = strlen(text);
        snprintf(text + used, sizeof text - used, "%s %s: %s", i ? ";" : ":",
                 all->one[i].row->name, all->one[i].why);
    }
    return status_fail(FARSUM_ERR_UNSUPPORTED, "%s", text);
}

/* The method not tuned yet with the smallest lower bound of time. */
static struct candidate *method_next(struct candidates *all)
{
    struct candidate *next = NULL;
    for (int i = 0; i < all->n; i++) {
        struct candidate *c = &all->one[i];
        if (c->status == FARSUM_OK && !c->state && !c->behind
            && (!next || c->least < next->least))
            next = c;
    }
    return next;
}

/* Methods predict the seconds of all ranks together. */
static double method_seconds(const struct farsum_plan *plan, double all)
{
    int ranks = plan->task.links.ranks;
    return ranks > 1 ? all / ranks : all;
}

/* Tunes the methods, the most promising first, until no other can be faster.
 * *best is NULL if all refuse. */
static farsum_status method_tune(const struct farsum_plan *plan,
                                 struct candidates *all,
                                 struct candidate **best)
{
    struct candidate *c;
    *best = NULL;
    for (int i = 0; i < all->n; i++)
        if (all->one[i].status == FARSUM_OK)
            all->one[i].least = method_seconds(
                plan, all->one[i].row->method->least(&plan->task));
    while ((c = method_next(all)) && (!*best || c->least < (*best)->seconds)) {
        TRY(progress_step(0, 0, "tuning %s", c->row->name));
        farsum_status status =
            c->row->method->tune(&plan->task, &c->state, &c->seconds);
        if (status != FARSUM_OK && !plan_refuses(status))
            return status;
        c->seconds = method_seconds(plan, c->seconds);
        c->refused = status != FARSUM_OK;
        if (c->refused)
            candidate_fails(c, status);
        else if (!*best || c->seconds < (*best)->seconds)
            *best = c;
    }
    return FARSUM_OK;
}

/* 1: the fast methods cannot keep the tolerance in f64, and a reference, for
 * few particles, replaces them. */
static int method_stands_in(const struct farsum_plan *plan,
                            struct candidates *all)
{
    const farsum_problem *p = &plan->task.problem;
    int found = 0;
    if (plan->task.options.method || plan->task.pairs != FARSUM_F64
        || p->n_sources + p->n_targets > PLAN_FEW)
        return 0;
    for (int i = 0; i < all->n; i++) {
        struct candidate *c = &all->one[i];
        if (c->status == FARSUM_OK && c->behind && c->row->method->reference) {
            c->behind = NULL;
            found = 1;
        }
    }
    return found;
}

/* "spectral 0.03 s estimated, fmm 0.2 s; direct: sums open ...". */
static void method_say(struct farsum_plan *plan, const struct candidates *all,
                       const struct candidate *best, int named)
{
    char *text = plan->method_reason;
    size_t size = sizeof plan->method_reason, used;
    char time[48] = "";
    if (best->seconds >= LONG)
        text_time(best->seconds, time, sizeof time);
    used = (size_t)c_locale_text(text, size, "%s %s%.3g s estimated%s%s",
                                 best->row->name, named ? "(named) " : "",
                                 best->seconds, *time ? ", " : "", time);
    for (int i = 0; i < all->n && used < size; i++) {
        const struct candidate *c = &all->one[i];
        if (c == best || c->status != FARSUM_OK || c->behind)
            continue;
        used += (size_t)c_locale_text(text + used, size - used, ", %s %s%.3g s",
                                      c->row->name, c->state ? "" : "at least ",
                                      c->state ? c->seconds : c->least);
    }
    for (int i = 0; i < all->n && used < size; i++) {
        const struct candidate *c = &all->one[i];
        if (c->behind)
            used += (size_t)snprintf(text + used, size - used, "; %s: %s",
                                     c->row->name, c->behind);
        else if (c->status != FARSUM_OK)
            used += (size_t)snprintf(text + used, size - used, "; %s: %s",
                                     c->row->name, c->why);
    }
}

/* Some methods sum in f64 whatever precision is requested.  Such a method is
 * not chosen if another method is faster in f64. */
static farsum_status method_wider(struct farsum_plan *plan,
                                  const struct candidates *all,
                                  const struct candidate *best)
{
    const farsum_precision pairs = plan->task.pairs,
                           sums = plan->task.problem.precision;
    const struct candidate *wider = NULL;
    if (!best->row->method->wide)
        return FARSUM_OK;
    plan->task.pairs = plan->task.problem.precision = FARSUM_F64;
    for (int i = 0; i < all->n && !wider; i++) {
        const struct candidate *c = &all->one[i];
        void *state = NULL;
        double seconds = INFINITY;
        if (c->narrow
            && c->row->method->tune(&plan->task, &state, &seconds)
                   == FARSUM_OK) {
            c->row->method->destroy(state);
            wider = method_seconds(plan, seconds) < best->seconds ? c : NULL;
        }
    }
    plan->task.pairs = pairs;
    plan->task.problem.precision = sums;
    if (wider)
        return status_fail(FARSUM_ERR_TOLERANCE, "method %s: %s",
                           wider->row->name, wider->why);
    return FARSUM_OK;
}

/* Warns before a sum that takes minutes. */
static void method_warn(const struct farsum_plan *plan,
                        const struct candidate *best)
{
    char time[48];
    text_time(best->seconds, time, sizeof time);
    if (best->seconds >= LONG)
        task_log(&plan->task,
                 "method %s takes %s for each sum, by the estimate",
                 best->row->name, time);
}

farsum_status plan_method(struct farsum_plan *plan)
{
    farsum_status status = FARSUM_OK;
    const char *wanted = plan->task.options.method;
    struct candidates all = {.n = 0};
    struct candidate *best;
    GO(method_table(plan, wanted, &all));
    if (!wanted)
        method_references(plan, &all);
    method_behind(plan, &all);
    if (!method_next(&all))
        GO(method_none(&all));
    GO(method_tune(plan, &all, &best));
    if (!best && method_stands_in(plan, &all))
        GO(method_tune(plan, &all, &best));
    for (int i = 0; i < all.n && !best; i++)
        if (all.one[i].refused)
            GO(status_fail(all.one[i].status, "%s", all.one[i].why));
    if (plan->most_seconds > 0 && best->seconds > plan->most_seconds)
        GO(status_fail(FARSUM_ERR_TOLERANCE,
                       "%s would take %.2g s for a sum, above %.2g s",
                       best->row->name, best->seconds, plan->most_seconds));
    if (!wanted)
        GO(method_wider(plan, &all, best));
    plan->method = best->row->method;
    plan->state = best->state;
    best->state = NULL;
    plan->report.info.method = best->row->name;
    method_say(plan, &all, best, wanted != NULL);
    method_warn(plan, best);
    plan->report.info.method_reason = plan->method_reason;
    plan->method_seconds = best->seconds;
done:
    for (int i = 0; i < all.n; i++)
        if (all.one[i].state)
            all.one[i].row->method->destroy(all.one[i].state);
    return status;
}
