/* SPDX-License-Identifier: Apache-2.0 */
/* verify.c: creation of a plan whose error was measured.  Estimates assume
 * strengths that are random in space.  If strengths are ordered, errors add up
 * and are larger. */
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/args.h"
#include "base/clock.h"
#include "base/mem.h"
#include "task/method.h"
#include "plan/verify/verify.h"

/* CORRECTIONS: finer plans that are tried after the first.  KEPT: the first
 * plan is accepted up to this part of the tolerance.  AIMED: the part that a
 * finer plan aims at.  STEP: the largest factor of one step. */
enum { CORRECTIONS = 3 };
#define KEPT 0.8
#define AIMED 0.6
#define STEP 30
/* Parameters change in steps.  If a finer plan's error is more than SAME times
 * the last plan's, its parameters are the same.  The next step is then larger
 * by the factor MORE. */
#define SAME 0.7
#define MORE 10
/* A finer plan may take DEARER times as long as the first, plus LONGER seconds.
 * Without a limit, a precision that cannot keep the tolerance would request
 * ever larger meshes. */
#define DEARER 10
#define LONGER 0.5
/* Precision auto: error over tolerance above which the next plan is in f64. */
#define NARROW 2

/* Returns the reason why no sum of the plan can be checked, or NULL. */
static const char *verify_not(const struct farsum_plan *plan)
{
    const farsum_problem *p = &plan->task.problem;
    unsigned needed = !plan->task.pair.kind->gradient      ? FARSUM_VELOCITY
                      : p->error == FARSUM_ERROR_POTENTIAL ? FARSUM_POTENTIAL
                                                           : FARSUM_FIELD;
    if (plan->method->wide)
        return "it is a reference itself";
    if (!(p->outputs & needed))
        return "what the tolerance is of is not among the outputs";
    return plan_norm_unseen(plan);
}

static int verify_wanted(const struct farsum_plan *plan)
{
    const farsum_options *o = &plan->task.options;
    double n = (double)plan->task.problem.n_sources;
    if (o->verify < 0 || plan->task.dry)
        return 0;
    return o->verify > 0
           || (!o->strict && plan_few_enough(&plan->task, n)
               && verify_not(plan) == NULL);
}

/* The second sum during create: of the sample.  own: with this rank's
 * sample. */
static struct verify_sum verify_sample(const struct farsum_plan *plan,
                                       const farsum_problem *own)
{
    return (struct verify_sum){
        .n = own->n_sources,
        .given_x = own->sample_x,
        .given_q = own->sample_q,
        .size = plan->task.problem.coulomb * plan->task.sample.force,
    };
}

/* Returns 1 if the failed check is skipped: nobody requested it, the caller did
 * not stop it, memory did not run out, and the network works. */
static int verify_skips(const struct farsum_plan *plan, farsum_status status)
{
    return plan->task.options.verify == 0 && status != FARSUM_ERR_STATE
           && status != FARSUM_ERR_COMM
           && !strstr(farsum_message(), "could not be allocated");
}

/* Resets the plan to its state before it summed the sample. */
static void verify_rest(struct farsum_plan *plan)
{
    farsum_plan_info *i = &plan->report.info;
    plan->n = plan->m = 0;
    i->n_sources = i->n_targets = plan->task.problem.n_sources;
    plan->beside_ran = 0;
    plan->report.net_size = -1;
    i->net_strength = 0;
    i->seconds_set_points = i->seconds_execute = i->seconds_stages = 0;
    plan->lists_before[0] = i->lists_made;
    plan->lists_before[1] = i->lists_kept;
    for (int k = 0; k < i->n_stages; k++)
        i->stages[k].seconds = 0;
}

void verify_found(struct farsum_plan *plan, const struct verify_sum *s,
                  double error, double seconds)
{
    plan->unchecked =
        task_error(&plan->task, plan->report.info.estimated_error);
    memcpy(plan->size, plan->report.size, sizeof plan->size);
    plan->checked = error;
    if (plan->task.problem.error != FARSUM_ERROR_ABSOLUTE) /* no sum is exact */
        plan->checked = fmax(error, DBL_EPSILON / plan->task.given.tolerance);
    plan->report.info.checked_targets = s->targets.count;
    if (plan->task.options.verify > 0)
        task_log(&plan->task,
                 "second sum: %.3g s to find %lld targets, %.3g s to sum them "
                 "by %s on %s, %.3g s in all",
                 s->seconds_drawn, (long long)s->targets.count,
                 s->seconds_summed, verify_means(plan, s),
                 verify_on_device(plan, s) ? plan->task.device->name
                                           : "the host",
                 seconds);
    plan->report.info.seconds_verify += seconds;
}

static int verify_keeps(const struct verify_error *error, double part)
{
    return error->is <= part && error->most <= 1;
}

/* Checks the plan.  Sets error: the plan's, over the tolerance. */
static farsum_status verify_once(struct farsum_plan *plan,
                                 struct verify_sum *s,
                                 struct verify_error *error)
{
    double start = clock_seconds(), seconds;
    struct plan_limit limit = plan_limit(plan);
    progress_begin(&plan->progress);
    farsum_status status = s->summed ? FARSUM_OK : verify_sum(plan, s);
    if (status == FARSUM_OK)
        status = verify_compare(plan, s, error);
    if (status == FARSUM_OK)
        status = verify_seconds(plan, start, &seconds);
    status = task_agree(&plan->task, progress_end(&plan->progress, status));
    plan_unlimit(plan, limit);
    if (status != FARSUM_OK)
        return status;
    verify_rest(plan);
    verify_found(plan, s, error->is, seconds);
    return FARSUM_OK;
}

/* Returns the aim of the next plan.  error: of the current plan, over the
 * tolerance; last: of the plan before it, or 0. */
static struct plan_aim verify_aim(const struct farsum_plan *plan,
                                  struct plan_aim aim, double error,
                                  double last)
{
    double step = fmin(error / AIMED, STEP);
    aim.heights = &plan->task.heights;
    if (last > 0 && error > SAME * last)
        step *= MORE;
    if (!aim.wide && plan->task.given.precision == FARSUM_AUTO
        && plan->report.info.precision != FARSUM_F64 && error > NARROW)
        aim.wide = 1;
    else
        aim.finer = plan->task.finer * step;
    return aim;
}

/* Returns 1 if the plan stays as it is because the caller gave its order.
 * Warns if its error is above the tolerance. */
static int verify_binds(const struct farsum_plan *plan, double error)
{
    if (plan->task.options.fmm.order == 0)
        return 0;
    if (error > 1)
        task_log(&plan->task,
                 "WARNING: order %d, which was given, leaves %.3g by a second "
                 "sum, above the tolerance %g",
                 plan->report.info.order, error * plan->task.given.tolerance,
                 plan->task.given.tolerance);
    return 1;
}

/* Makes another plan for the problem; collective over ranks. */
static farsum_status verify_next(const struct farsum_plan *plan,
                                 const farsum_problem *problem,
                                 const farsum_options *options,
                                 struct plan_aim aim, farsum_plan **next)
{
    if (!aim.comm)
        return plan_make_for(problem, options, PLAN_INNER, aim, next);
    TRY(plan_make_ranks(problem, options, aim, next));
    return task_agree(&plan->task,
                      plan_exclude_as(&plan->task.exclusions,
                                      plan->report.info.n_exclusions, *next));
}

/* Returns 1 if a check shows that a plan in f64 keeps the tolerance. */
static int verify_wider(const struct farsum_plan *plan,
                        const farsum_problem *problem,
                        const farsum_options *options, struct verify_sum *s)
{
    farsum_problem wide;
    struct farsum_plan *made = NULL;
    struct verify_error error = {INFINITY, INFINITY};
    const struct plan_aim aim = {.comm = plan->task.comm,
                                 .links = plan->task.links,
                                 .shape = plan->task.shape,
                                 .heights = &plan->task.heights,
                                 .transport = plan->task.transport};
    if (plan->task.given.precision == FARSUM_F64
        || plan->task.given.precision == FARSUM_AUTO)
        return 0;
    int good = struct_take(&wide, sizeof wide, problem, problem->size,
                           "FARSUM_PROBLEM_INIT")
               == FARSUM_OK;
    wide.precision = FARSUM_F64;
    wide.arrays = plan->task.problem.arrays;
    good = good && verify_next(plan, &wide, options, aim, &made) == FARSUM_OK
           && verify_once(made, s, &error) == FARSUM_OK
               && verify_keeps(&error, KEPT);
    verify_recall(s);
    farsum_plan_destroy(made);
    return good;
}

/* Fails because no plan keeps the tolerance.  The message has the measured
 * error, the reason, and settings that would work. */
static farsum_status verify_fails(const struct farsum_plan *plan,
                                  const farsum_problem *problem,
                                  const farsum_options *options,
                                  struct verify_sum *s, double error,
                                  farsum_status status)
{
    char why[700] = "no smaller error";
    double t = plan->task.given.tolerance;
    if (status != FARSUM_OK)
        snprintf(why, sizeof why, "%s", farsum_message());
    double reached = 2 * error * t, digit = pow(10, floor(log10(reached)));
    int wider = verify_wider(plan, problem, options, s);
    return status_fail(FARSUM_ERR_TOLERANCE,
                       "a second sum of %lld targets measures %.3g, above the "
                       "tolerance %g; a finer plan: %s; use %stolerance %g",
                       (long long)plan->report.info.checked_targets, error * t,
                       t, why, wider ? "precision f64, or " : "",
                       ceil(reached / digit) * digit);
}

farsum_status plan_verify(const farsum_problem *problem,
                          const farsum_options *options,
                          const farsum_problem *own, farsum_plan **plan)
{
    farsum_status status = FARSUM_OK;
    struct farsum_plan *p = *plan, *next = NULL;
    struct verify_sum s = verify_sample(p, own);
    struct plan_aim aim = {.most = DEARER * p->method_seconds + LONGER,
                           .comm = p->task.comm,
                           .links = p->task.links,
                           .shape = p->task.shape,
                           .transport = p->task.transport};
    struct verify_error error = {0};
    double last = 0;
    if (!verify_wanted(p))
        return FARSUM_OK;
    const char *not = verify_not(p);
    if (not)
        GO(status_fail(FARSUM_ERR_UNSUPPORTED, "verify: %s", not));
    if (!own->sample_x || !own->sample_q
        || p->task.problem.n_targets > 0) {
        if (p->task.given.error == FARSUM_ERROR_ENERGY
            || p->task.given.error == FARSUM_ERROR_PRESSURE)
            return FARSUM_OK; /* not known from potentials at targets */
        if (p->task.given.part != FARSUM_WHOLE)
            GO(status_fail(FARSUM_ERR_UNSUPPORTED,
                           "verify: a part of the sum is checked only in "
                           "create, which needs a sample, and sources that are "
                           "the targets"));
        /* fields, which are compared then, have smaller errors than the forces
         * on quadrupoles */
        unsigned forces = FARSUM_GRADIENT | FARSUM_THIRD;
        if (p->task.pair.kind->moments > 1 && p->task.problem.n_targets == 0
            && (p->task.problem.outputs & forces) == forces) {
            if (p->task.options.verify > 0)
                GO(status_fail(FARSUM_ERR_UNSUPPORTED,
                               "verify: forces on quadrupoles are checked only "
                               "in create, which needs a sample"));
            return FARSUM_OK;
        }
        /* the first sum is checked */
        GO(task_agree(&p->task, MEM_NEW(p->late, 1)));
        return FARSUM_OK;
    }
    for (int k = 0; k <= CORRECTIONS; k++) {
        GO(verify_once(p, &s, &error));
        if (verify_keeps(&error, k > 0 ? 1 : KEPT)
            || verify_binds(p, error.is))
            goto done;
        if (k == CORRECTIONS)
            break;
        double now = fmax(error.is, error.most * AIMED);
        aim = verify_aim(p, aim, now, last);
        last = now;
        double start = clock_seconds();
        status = verify_next(p, problem, options, aim, &next);
        if (status != FARSUM_OK)
            break;
        double spent;
        GO(verify_seconds(p, start, &spent));
        task_log(&next->task,
                 "a second sum measured %.3g: the plan is now in %s and of "
                 "tolerance %.3g",
                 error.is * p->task.given.tolerance,
                 next->report.info.precision == FARSUM_F64 ? "f64"
                                                           : "f32 or mixed",
                 next->task.given.tolerance / next->task.finer);
        next->report.info.seconds_verify =
            p->report.info.seconds_verify + spent;
        next->report.info.seconds_create = p->report.info.seconds_create;
        verify_recall(&s);
        farsum_plan_destroy(p);
        p = *plan = next;
        next = NULL;
        if (p->method->wide)
            goto done;
    }
    if (error.is <= 1)
        status = FARSUM_OK;
    else if (status == FARSUM_OK || plan_refuses(status))
        status = verify_fails(p, problem, options, &s, error.is, status);
done:
    farsum_plan_destroy(next);
    verify_clear(&s);
    if (status != FARSUM_OK && p->checked < 0 && verify_skips(p, status)) {
        task_log(&p->task, "not checked by a second sum: %s", farsum_message());
        status = status_fail(FARSUM_OK, "%s", "");
    }
    if (status == FARSUM_OK)
        return FARSUM_OK;
    farsum_plan_destroy(p);
    *plan = NULL;
    return status;
}
