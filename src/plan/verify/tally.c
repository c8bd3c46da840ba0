/* SPDX-License-Identifier: Apache-2.0 */
/* tally.c: the sum of a quantity over all targets, from its values at some.
 * Random targets stand for others, so that the sum is uncertain. */
#include <math.h>

#include "plan/verify/verify.h"

void verify_tally(struct verify_tally *tally, const struct verify_targets *t,
                  int64_t k, double value)
{
    int kind = k >= t->sparse;
    if (k < t->certain) {
        tally->certain += value;
        return;
    }
    tally->sum[kind] += value;
    tally->squares[kind] += value * value;
}

farsum_status verify_tally_add(const struct farsum_plan *plan,
                               struct verify_tally *tally)
{
    double all[] = {tally->certain, tally->sum[0], tally->sum[1],
                    tally->squares[0], tally->squares[1]};
    TRY(task_add(&plan->task, FARSUM_OK, all, 5));
    *tally = (struct verify_tally){all[0], {all[1], all[2]}, {all[3], all[4]}};
    return FARSUM_OK;
}

double verify_tally_sum(const struct verify_tally *tally,
                        const struct verify_targets *t, double *unsure)
{
    const double n[2] = {(double)(t->sparse - t->certain),
                         (double)(t->count - t->sparse)};
    double sum = tally->certain, square = 0;
    for (int kind = 0; kind < 2; kind++) {
        double m = n[kind], w = t->weight[kind], mean = tally->sum[kind];
        sum += w * mean;
        if (m > 1)
            square += w * w * m / (m - 1)
                      * fmax(tally->squares[kind] - mean * mean / m, 0);
    }
    *unsure = sqrt(square);
    return sum;
}
