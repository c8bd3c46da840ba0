/* SPDX-License-Identifier: Apache-2.0 */
/* each.c: the errors of single particles, 99 of 100 of which must keep
 * the tolerance: (6.24). */
#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "base/arrays.h"
#include "plan/verify/verify.h"

/* BEYOND: the part of the targets that may have a larger error.  LEAST: the
 * smallest length that an error is relative to, over the norm. */
#define BEYOND 0.01
#define LEAST 0.1
/* In 98 of 100 draws, 752 random targets contain 3 or more of the worst
 * hundredth.  The third largest error therefore stands for the percentile. */
enum { SURE = 2 };

/* A target's error and the targets that it stands for. */
struct each {
    double error, weight;
};

static int each_order(const void *a, const void *b)
{
    double one = ((const struct each *)a)->error;
    double other = ((const struct each *)b)->error;
    return (one < other) - (one > other);
}

/* The smallest error that no more than `beyond` targets exceed. */
static double each_percentile(const struct each *e, int64_t count,
                              double beyond)
{
    double above = 0, error = 0;
    for (int64_t k = 0; k < count && above <= beyond; k++) {
        error = e[k].error;
        above += e[k].weight;
    }
    return error;
}

/* The error of target k, over the tolerance. */
static double each_error(const struct verify_measure *of, const void *out,
                         int64_t k)
{
    const struct farsum_plan *plan = of->plan;
    int64_t i = verify_index(of->s, k);
    double difference = 0, square = 0;
    for (int c = 0; c < 3; c++) {
        double v = array_get(out, plan->task.problem.arrays, 3 * i + c);
        double right = ldexp(of->s->wanted[3 * k + c], -of->unit);
        double d = ldexp(v, -of->unit) - right;
        difference += d * d;
        square += right * right;
    }
    double w = fabs(verify_weight(of, i));
    double length = fmax(w * sqrt(square), LEAST * plan->report.info.norm);
    double error = w * sqrt(difference);
    return error > 0 ? error / (length * plan->task.given.tolerance) : 0;
}

farsum_status verify_compare_each(const struct farsum_plan *plan,
                                  const struct verify_sum *s, const void *out,
                                  struct verify_error *error)
{
    const struct verify_targets *t = &s->targets;
    double beyond = BEYOND * (double)verify_all(s), *errors = NULL;
    const struct verify_measure of = verify_measure(plan, s);
    farsum_status status = FARSUM_OK;
    struct each *e = NULL;
    KEEP_ON(MEM_NEW(errors, t->count));
    KEEP_ON(MEM_RAW(e, t->count));
    for (int64_t k = 0; k < t->count && status == FARSUM_OK; k++)
        if (verify_index(s, k) >= 0)
            errors[k] = each_error(&of, out, k);
    GO(task_add(&plan->task, status, errors, t->count));
    for (int64_t k = 0; k < t->count; k++)
        e[k] = (struct each){errors[k], verify_stands_for(t, k)};
    qsort(e, (size_t)t->count, sizeof *e, each_order);
    error->is = each_percentile(e, t->count, beyond);
    error->most = t->certain == t->count
                      ? error->is
                      : each_percentile(e, t->count, SURE * t->weight[1]);
done:
    mem_free(errors);
    mem_free(e);
    return status;
}
