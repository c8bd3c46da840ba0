/* SPDX-License-Identifier: Apache-2.0 */
/* energy.c: the errors of a plan's energy and virial, from the second
 * sum.  Few particles are all summed again, with their energy and virial.  For
 * more particles, the errors are estimated from the potentials at the check's
 * targets: (6.19) to (6.23). */
#include <math.h>

#include "base/hypot.h"
#include "base/par.h"
#include "base/arrays.h"
#include "task/method.h"
#include "plan/verify/verify.h"

/* Standard errors that are added to an estimate from random targets. */
#define SURE 3

/* Particles up to which all are summed again. */
enum { WHOLE = 1000 };

unsigned verify_energies(const struct farsum_plan *plan, int64_t n, int *whole)
{
    const farsum_problem *p = &plan->task.problem;
    unsigned asked = p->outputs & (FARSUM_ENERGY | FARSUM_VIRIAL);
    farsum_error_kind norm = plan->task.given.error;
    /* small energies, and virials that are no multiple of the energy, are not
     * known from targets */
    int only = norm == FARSUM_ERROR_ENERGY
               || (norm == FARSUM_ERROR_PRESSURE && !(plan_power(plan) > 0));
    int64_t most = only ? PLAN_FEW : WHOLE;
    *whole = asked && n <= most;
    if (!asked || (*whole && !plan->task.comm))
        return asked;
    if (plan->task.pair.kind->moments) /* potentials do not suffice */
        return 0;
    if (!(p->outputs & FARSUM_POTENTIAL))
        return 0;
    return plan_power(plan) > 0 ? asked : asked & FARSUM_ENERGY;
}

/* Sums over all particles, and their uncertainty. */
struct energies {
    double magnitude; /* half the sum of |q phi|, with dipoles |q phi - p.E| */
    double energy;    /* half the sum of q phi, as the plan has phi */
    double error;     /* half the sum of q times the error of phi */
    double unsure;    /* its standard error */
};

static double energies_charge(const struct farsum_plan *plan,
                              const struct verify_sum *s, int64_t i)
{
    return verify_strength(plan, s, i);
}

/* Sets magnitude and energy from this rank's particles.  phi: the plan's
 * potentials; NULL: uses the second sum's, which must then have all
 * particles. */
static void energies_all(const struct farsum_plan *plan,
                         const struct verify_sum *s, const void *phi,
                         struct energies *e)
{
    farsum_precision type = phi ? plan->task.problem.arrays : FARSUM_F64;
    const void *from = phi ? phi : verify_potentials(s);
    double magnitude = 0, energy = 0;
    int unit = task_exponent(&plan->task);
    PAR_FOR(plan->task.threads, reduction(+ : magnitude, energy))
    for (int64_t i = 0; i < s->n; i++) {
        double v = 0.5 * energies_charge(plan, s, i)
                   * ldexp(array_get(from, type, i), -unit);
        magnitude += fabs(v);
        energy += v;
    }
    e->magnitude = magnitude;
    e->energy = energy;
}

/* Adds up the ranks' magnitude and energy, and sets error and unsure from the
 * targets. */
static farsum_status energies_targets(const struct farsum_plan *plan,
                                      const struct verify_sum *s,
                                      const void *phi, struct energies *e)
{
    const struct verify_targets *t = &s->targets;
    const double *wanted = verify_potentials(s);
    int unit = task_exponent(&plan->task);
    struct verify_tally tally = {0};
    for (int64_t k = 0; k < t->count; k++) {
        int64_t i = verify_index(s, k);
        if (i < 0)
            continue;
        double v = array_get(phi, plan->task.problem.arrays, i);
        verify_tally(&tally, t, k,
                     0.5 * energies_charge(plan, s, i)
                         * (ldexp(v, -unit) - ldexp(wanted[k], -unit)));
    }
    double all[2] = {e->magnitude, e->energy};
    TRY(task_add(&plan->task, FARSUM_OK, all, 2));
    TRY(verify_tally_add(plan, &tally));
    e->magnitude = all[0];
    e->energy = all[1];
    e->error = verify_tally_sum(&tally, t, &e->unsure);
    return FARSUM_OK;
}

/* An error, and its upper limit, over the sum of magnitudes. */
static struct verify_error energies_over(double error, double unsure,
                                         double magnitude)
{
    struct verify_error e = {0, 0};
    if (error == 0 && unsure == 0)
        return e;
    e.is = hypot_of(error, unsure) / magnitude;
    e.most = (fabs(error) + SURE * unsure) / magnitude;
    return e;
}

farsum_status verify_compare_energies(const struct farsum_plan *plan,
                                      const struct verify_sum *s,
                                      const struct verify_out *out,
                                      struct verify_error error[2])
{
    int unit = task_exponent_energy(&plan->task), asked = (int)s->energies;
    double power = plan->task.pair.kind->power, trace = 0, was = 0;
    struct energies e = {0};
    for (int k = 0; k < 2; k++)
        error[k] = (struct verify_error){-1, -1};
    if (!asked)
        return FARSUM_OK;
    energies_all(plan, s, out->potential, &e);
    for (int a = 0; a < 9; a += 4) {
        trace += ldexp(out->virial[a], -unit);
        was += ldexp(s->virial[a], -unit);
    }
    double energy = ldexp(out->energy, -unit), virial = trace - was;
    double of_energy = energy - ldexp(s->energy, -unit);
    if (!s->whole) {
        TRY(energies_targets(plan, s, out->potential, &e));
        of_energy = energy - e.energy + e.error;
        virial = trace - power * e.energy + power * e.error;
    }
    if (plan->task.pair.kind->moments)
        e.magnitude = s->magnitude;
    if (asked & FARSUM_ENERGY)
        error[0] = energies_over(of_energy, e.unsure, e.magnitude);
    if (asked & FARSUM_VIRIAL)
        error[1] = energies_over(virial, power * e.unsure,
                                 power * e.magnitude);
    return FARSUM_OK;
}
