/* SPDX-License-Identifier: Apache-2.0 */
/* strength.c: the size of a source's strengths. */
#include <math.h>

#include "math/pair_quadrupole.h"
#include "plan/verify/verify.h"

/* As verify_force, with quadrupoles. */
static void force_quadrupole(const struct farsum_plan *plan,
                             const struct verify_sum *s, int64_t i,
                             farsum_precision type, int64_t at, void *field,
                             const void *gradient, const void *third)
{
    double own[PAIR_STRENGTHS], v[QUADRUPOLE_VALUES] = {0}, force[3] = {0};
    for (int a = 0; a < 10; a++)
        own[a] = ldexp(verify_q(s, 10 * i + a), -plan->task.units.part[0]);
    for (int d = 0; d < 3; d++)
        v[QUADRUPOLE_FIELD + d] = array_get(field, type, 3 * at + d);
    for (int d = 0; d < 6; d++)
        v[QUADRUPOLE_GRADIENT + d] = array_get(gradient, type, 6 * at + d);
    for (int d = 0; d < 10; d++)
        v[QUADRUPOLE_THIRD + d] = array_get(third, type, 10 * at + d);
    pair_quadrupole_force(own, v, force);
    for (int d = 0; d < 3; d++)
        array_put(field, type, 3 * at + d, force[d]);
}

void verify_force(const struct farsum_plan *plan, const struct verify_sum *s,
                  int64_t i, farsum_precision type, int64_t at, void *field,
                  const void *gradient, const void *third)
{
    if (plan->task.pair.kind->moments > 1) {
        force_quadrupole(plan, s, i, type, at, field, gradient, third);
        return;
    }
    double v[4], force[3];
    for (int a = 0; a < 4; a++)
        v[a] = ldexp(verify_q(s, 4 * i + a), -plan->task.units.part[0]);
    for (int d = 0; d < 3; d++) {
        force[d] = v[0] * array_get(field, type, 3 * at + d);
        for (int b = 0; b < 3; b++)
            force[d] -=
                v[1 + b] * array_get(gradient, type, 6 * at + pair_two[d][b]);
    }
    for (int d = 0; d < 3; d++)
        array_put(field, type, 3 * at + d, force[d]);
}

double verify_magnitude(const struct farsum_plan *plan,
                        const struct verify_sum *s, const double *potential,
                        const double *field, const double *gradient)
{
    const struct task *task = &plan->task;
    int width = task->pair.strengths;
    double sum = 0;
    for (int64_t i = 0; i < s->n; i++) {
        double own[PAIR_STRENGTHS] = {0}, v[QUADRUPOLE_VALUES] = {0};
        for (int a = 0; a < width; a++)
            own[a] = ldexp(verify_q(s, width * i + a),
                           -task->units.part[units_part(&task->pair, a)]);
        v[0] = ldexp(potential[i], -task_exponent(task));
        for (int d = 0; d < 3; d++)
            v[QUADRUPOLE_FIELD + d] =
                ldexp(field[3 * i + d], -task_exponent_field(task));
        for (int d = 0; d < 6 && gradient; d++)
            v[QUADRUPOLE_GRADIENT + d] =
                ldexp(gradient[6 * i + d], -task_exponent_gradient(task));
        sum += fabs(pair_quadrupole_energy(own, v));
    }
    return sum;
}

double verify_strength(const struct farsum_plan *plan,
                       const struct verify_sum *s, int64_t i)
{
    const struct task *task = &plan->task;
    double v[PAIR_STRENGTHS];
    int width = task->pair.strengths;
    if (!task->pair.kind->moments)
        return ldexp(verify_q(s, i), -task->units.strength);
    for (int a = 0; a < width; a++)
        v[a] = ldexp(verify_q(s, i * width + a),
                     -task->units.part[units_part(&task->pair, a)]);
    return sqrt(pair_square(&task->pair, v));
}
