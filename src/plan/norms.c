/* SPDX-License-Identifier: Apache-2.0 */
/* norms.c: norms that no estimate covers: energy, pressure, and each
 * particle's.  Parameters are tuned for potentials or forces, and the check by
 * a second sum measures the norm itself. */
#include <math.h>

#include "task/method.h"
#include "plan/plan.h"

/* Relation of errors.  OF_PRESSURE: of the virial to those of potentials.
 * OF_EACH: 99th percentile of single forces to the RMS; mostly smaller, section
 * 6.4 of math.md. */
#define OF_PRESSURE 100
#define OF_EACH 10
/* The same for the first plan, if a check will follow. */
#define FIRST_PRESSURE 4
#define FIRST_EACH 8

double plan_power(const struct farsum_plan *plan)
{
    const struct pair_kind *kind = plan->task.pair.kind;
    if (!kind->gradient || kind->screened || kind->moments
        || plan->task.problem.softening > 0)
        return 0;
    return kind->power;
}

const char *plan_norm_unseen(const struct farsum_plan *plan)
{
    if (plan->task.given.error != FARSUM_ERROR_PRESSURE || plan_power(plan) > 0
        || (plan->task.problem.n_sources <= PLAN_FEW
            && plan->task.links.ranks == 0))
        return NULL;
    return "above 5000 particles and over ranks the virial follows only from "
           "the energy, and not for yukawa, dipoles or with softening";
}

farsum_status plan_norm(struct farsum_plan *plan)
{
    farsum_problem *p = &plan->task.problem;
    const farsum_options *o = &plan->task.options;
    int checked = p->sample_x && p->n_targets == 0 && o->verify >= 0
                  && (o->verify > 0
                      || plan_few_enough(&plan->task, (double)p->n_sources))
                  && !plan_norm_unseen(plan);
    if (o->strict && p->error > FARSUM_ERROR_VELOCITY)
        FAIL(ERR_UNSUPPORTED,
             "strict: error bounds exist for force, potential and absolute, "
             "not for energy, pressure or each");
    plan->beyond = 1;
    if (p->error == FARSUM_ERROR_ENERGY || p->error == FARSUM_ERROR_PRESSURE)
        p->error = FARSUM_ERROR_POTENTIAL;
    else if (p->error == FARSUM_ERROR_EACH)
        p->error = plan->task.pair.kind->gradient ? FARSUM_ERROR_FORCE
                                                  : FARSUM_ERROR_VELOCITY;
    double first = 1;
    if (plan->task.given.error == FARSUM_ERROR_PRESSURE) {
        plan->beyond = OF_PRESSURE;
        first = FIRST_PRESSURE;
    } else if (plan->task.given.error == FARSUM_ERROR_EACH) {
        plan->beyond = OF_EACH;
        first = FIRST_EACH;
    }
    if (!checked) /* nothing corrects it */
        first = plan->beyond;
    else if (plan->task.dry) /* the plan made later will keep it */
        plan->beyond = first;
    if (plan->task.finer == 0 || !checked)
        plan->task.finer = fmax(plan->task.finer, first);
    return FARSUM_OK;
}
