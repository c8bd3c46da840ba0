/* SPDX-License-Identifier: Apache-2.0 */
/* make.c: a plan is made: its precision and method are chosen and its state is
 * created, with the companion plan if there is one. */
#include "base/clock.h"
#include "base/fpenv.h"
#include "base/mem.h"
#include "plan/calibrate.h"
#include "plan/options.h"
#include "plan/smear/smear.h"

/* Clears the caller's pointers, which must not outlive create. */
static void plan_forget(struct farsum_plan *plan)
{
    farsum_options *o = &plan->task.options;
    farsum_problem *both[] = {&plan->task.problem, &plan->task.given};
    for (int k = 0; k < 2; k++) {
        both[k]->sample_x = both[k]->sample_q = NULL;
        both[k]->exclusions = NULL;
        both[k]->exclusion_factors = NULL;
    }
    options_forget_texts(o);
    o->device.handle = NULL;
}

/* Chooses the precision and the method. */
static farsum_status make_choice(struct farsum_plan *plan)
{
    farsum_precision asked = plan->task.problem.precision;
    int any = asked == FARSUM_AUTO;
    struct machine by[2];
    machines_get(plan, any || asked != FARSUM_F32, any || asked != FARSUM_F64,
                 by);
    return any ? plan_precision(plan, by) : plan_method_in(plan, asked, by);
}

/* Creates the method's state; on a device its kernels compile in parallel. */
static farsum_status make_state(struct farsum_plan *plan)
{
    device_gather(plan->task.device);
    struct plan_limit old = plan_limit(plan);
    farsum_status status = plan->method->create(&plan->task, plan->state);
    plan_unlimit(plan, old);
    if (status == FARSUM_OK)
        status = plan_beside_create(plan);
    status = device_settle(plan->task.device, status);
    /* only this rank's kernels may have failed */
    return plan->task.device ? task_agree(&plan->task, status) : status;
}

/* What a rank does without the others: checks and chooses. */
static farsum_status make_begin(struct farsum_plan *p,
                                const farsum_problem *problem,
                                const farsum_options *options, int how,
                                struct plan_aim aim, struct plan_held *before)
{
    TRY(plan_begin(p, problem, options, how, aim, before));
    TRY(make_choice(p));
    if (!(how & PLAN_INNER))
        TRY(plan_arrays(&p->task.problem));
    plan_holds(p, *before);
    *before = plan_held(p);
    TRY(task_has_memory(&p->task, (double)p->bytes));
    mem_free(p->task.sample_q); /* later code uses only its sums */
    p->task.sample_q = NULL;
    p->task.problem.sample_q = NULL;
    return FARSUM_OK;
}

farsum_status plan_make_for(const farsum_problem *problem,
                            const farsum_options *options, int how,
                            struct plan_aim aim, farsum_plan **plan)
{
    farsum_status status;
    struct farsum_plan *p = NULL;
    double start = clock_seconds();
    struct plan_held before = {mem_bytes(), 0};
    status = MEM_NEW(p, 1);
    if (status == FARSUM_OK)
        status = make_begin(p, problem, options, how, aim, &before);
    GO(aim.comm ? comm_agree(aim.comm, status) : status);
    GO(make_state(p));
    GO(progress_check(&p->progress));
    progress_end(&p->progress, status);
    plan_forget(p);
    uint64_t expected = p->report.info.bytes;
    plan_holds(p, before);
    if (p->task.dry)
        p->report.info.bytes = expected;
    p->report.info.seconds_create = clock_seconds() - start;
    /* refusals on the way here are no failure */
    status = status_fail(FARSUM_OK, "%s", "");
done:
    if (status != FARSUM_OK && p && how & PLAN_INNER) {
        status = progress_end(&p->progress, status);
        farsum_plan_destroy(p);
        p = NULL;
    }
    *plan = p;
    return status;
}

farsum_status plan_make(const farsum_problem *problem,
                        const farsum_options *options, int how,
                        farsum_plan **plan)
{
    return plan_make_for(problem, options, how, (struct plan_aim){0}, plan);
}

void farsum_plan_destroy(farsum_plan *plan)
{
    FP_GUARD;
    if (!plan || device_usable(plan->task.device) != FARSUM_OK)
        return;
    farsum_plan_destroy(plan->beside);
    verify_late_clear(plan);
    smear_destroy(plan->smear);
    if (plan->method)
        plan->method->destroy(plan->state);
    sample_clear(&plan->task.sample);
    mem_free(plan->task.sample_q);
    exclusions_clear(&plan->task.exclusions);
    if (plan->owns_device)
        device_close(plan->task.device);
    comm_destroy(plan->comm);
    mem_free(plan->reasons);
    mem_free(plan);
}
