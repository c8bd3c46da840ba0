/* SPDX-License-Identifier: Apache-2.0 */
/* strength.c: the size of a source's strengths. */
#include <math.h>

#include "plan/verify/verify.h"

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
