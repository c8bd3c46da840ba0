/* SPDX-License-Identifier: Apache-2.0 */
/* compare.c: the plan's own sum of the sample, and its difference from
 * the second sum. */
#include <math.h>
#include <stdio.h>

#include "base/mem.h"
#include "device/buf.h"
#include "task/method.h"
#include "plan/verify/verify.h"

/* Standard errors that are added to the mean square.  Few particles may be so
 * ordered that some of them have most of the error. */
#define SURE 3
#define SURE_FEW 4

struct verify_measure verify_measure(const struct farsum_plan *plan,
                                     const struct verify_sum *s)
{
    struct verify_measure of = {plan, s, task_exponent(&plan->task), 0, 1};
    of.force = plan->task.problem.error != FARSUM_ERROR_POTENTIAL
               && plan->task.pair.kind->gradient;
    if (!of.force)
        return of;
    of.unit = task_exponent_field(&plan->task);
    of.q = s->strength;
    return of;
}

double verify_weight(const struct verify_measure *of, int64_t i)
{
    if (of->s->forces)
        return 1;
    return of->force && of->s->all_m == 0
               ? verify_strength(of->plan, of->s, i)
               : of->q;
}

double verify_square(const struct verify_measure *of, const void *out,
                     int64_t i, const double *wanted)
{
    const struct verify_sum *s = of->s;
    double w = verify_weight(of, i), square = 0;
    for (int c = 0; c < s->width; c++) {
        double v =
            array_get(out, of->plan->task.problem.arrays, i * s->width + c);
        double d =
            ldexp(v, -of->unit) - (wanted ? ldexp(wanted[c], -of->unit) : 0);
        square += w * d * w * d;
    }
    return square;
}

/* One of the plan's results. */
struct compared {
    struct buf buf; /* owned: the result on the device */
    void *to;       /* on the host; NULL: not wanted */
    int64_t bytes;
    int width; /* numbers per row; 0: all rows are needed */
};

/* Allocates memory if device is not NULL.  Sets *at: where the plan writes. */
static farsum_status compared_reserve(struct device *device, struct compared *c,
                                      void **at)
{
    *at = c->to;
    if (!c->to || !device)
        return FARSUM_OK;
    TRY(buf_alloc(&c->buf, device, c->bytes));
    *at = c->buf.handle;
    return FARSUM_OK;
}

static farsum_status compared_take(const struct farsum_plan *plan,
                                   const struct verify_sum *s,
                                   const struct compared *c)
{
    if (!c->to || !c->buf.device)
        return FARSUM_OK;
    if (c->width > 0 && verify_on_device(plan, s))
        return verify_rows(plan, s, &c->buf, c->width, c->to);
    return buf_download(&c->buf, 0, c->to, c->bytes);
}

/* Sets the memory side of arrays for the plan and its companion plan. */
static void compare_memory(struct farsum_plan *plan, farsum_memory memory)
{
    plan->task.problem.memory = memory;
    if (plan->beside)
        plan->beside->task.problem.memory = memory;
}

/* After a failure: waits until the device uses no array, and keeps the
 * failure's message. */
static farsum_status compare_wait(struct farsum_plan *plan,
                                  farsum_status status)
{
    char why[1024];
    snprintf(why, sizeof why, "%s", farsum_message());
    farsum_status late = plan_finish(plan);
    (void)late;
    return status_fail(status, "%s", why);
}

/* Sums the sample by the plan.  Sets its results on the host: at the targets,
 * or at all sources if energies need them.  A plan on a device reads its arrays
 * there; over ranks it reads those of the host. */
static farsum_status compare_sum(struct farsum_plan *plan, struct verify_sum *s,
                                 struct verify_out *out)
{
    enum { VALUES, POTENTIAL, ENERGY, VIRIAL, GRADIENT, THIRD, ALL };
    farsum_status status = FARSUM_OK;
    farsum_memory memory = plan->task.problem.memory;
    struct exclusions kept = {0};
    const void *at_x = s->given_x, *at_q = s->given_q;
    int64_t real = array_size(plan->task.problem.arrays);
    int there = !plan->task.comm
                && (memory == FARSUM_DEVICE || verify_on_device(plan, s));
    int rows = !s->energies || !(plan->task.problem.outputs & FARSUM_POTENTIAL);
    void *at[ALL];
    struct compared c[ALL] = {
        {.to = out->values,
         .bytes = s->n * s->width * real,
         .width = s->width > 1 || rows ? s->width : 0},
        {.to = s->width > 1 ? out->potential : NULL, .bytes = s->n * real},
        {.to = s->energies & FARSUM_ENERGY ? &out->energy : NULL, .bytes = 8},
        {.to = s->energies & FARSUM_VIRIAL ? out->virial : NULL, .bytes = 72},
        {.to = out->gradient, .bytes = 6 * s->n * real, .width = 6},
        {.to = out->third, .bytes = 10 * s->n * real, .width = 10},
    };
    if (there) {
        GO(verify_send(plan, s));
        at_x = s->there->x.handle;
        at_q = s->there->q.handle;
    }
    compare_memory(plan, there ? FARSUM_DEVICE : FARSUM_HOST);
    for (int k = 0; k < ALL; k++)
        GO(compared_reserve(there ? plan->task.device : NULL, &c[k], &at[k]));
    farsum_result result = verify_result(plan, s, at[VALUES], at[POTENTIAL]);
    result.energy = at[ENERGY];
    result.virial = at[VIRIAL];
    result.gradient = at[GRADIENT];
    result.third = at[THIRD];
    GO(verify_pairs_begin(plan, s, &kept));
    GO(plan_points(plan, s->n, at_x, 0, NULL));
    GO(plan_sum(plan, 1, at_q, &result, NULL));
    GO(plan_finish(plan));
    for (int k = 0; k < ALL; k++)
        GO(compared_take(plan, s, &c[k]));
    for (int64_t k = 0; s->forces && k < s->targets.count; k++) {
        int64_t i = verify_index(s, k);
        if (i >= 0)
            verify_force(plan, s, i, plan->task.problem.arrays, i, out->values,
                         out->gradient, out->third);
    }
done:
    if (there && status != FARSUM_OK)
        status = compare_wait(plan, status);
    verify_pairs_end(plan, &kept);
    compare_memory(plan, memory);
    for (int k = 0; k < ALL; k++)
        buf_clear(&c[k].buf);
    return status;
}

/* Sets the RMS difference over all targets, over the tolerance. */
static farsum_status compare_errors(const struct farsum_plan *plan,
                                    const struct verify_sum *s,
                                    const void *out,
                                    struct verify_error *error)
{
    const struct verify_targets *t = &s->targets;
    const struct verify_measure of = verify_measure(plan, s);
    struct verify_tally tally = {0};
    double norm = 1, unsure, sure = s->all_n <= VERIFY_FEW ? SURE_FEW : SURE;
    for (int64_t k = 0; k < t->count; k++) {
        int64_t i = verify_index(s, k);
        if (i >= 0)
            verify_tally(&tally, t, k,
                         verify_square(&of, out, i, s->wanted + k * s->width));
    }
    TRY(verify_tally_add(plan, &tally));
    if (plan->task.problem.error != FARSUM_ERROR_ABSOLUTE)
        norm = plan->report.info.norm;
    norm *= plan->task.problem.tolerance * plan->task.finer
            * sqrt((double)verify_all(s));
    double sum = verify_tally_sum(&tally, t, &unsure);
    error->is = sum > 0 ? sqrt(sum) / norm : 0;
    error->most = sum > 0 ? sqrt(sum + sure * unsure) / norm : 0;
    return FARSUM_OK;
}

farsum_status verify_errors(const struct farsum_plan *plan,
                            const struct verify_sum *s, const void *out,
                            struct verify_error *error)
{
    if (plan->task.given.error == FARSUM_ERROR_EACH)
        return verify_compare_each(plan, s, out, error);
    return compare_errors(plan, s, out, error);
}

/* Replaces the error if the tolerance limits the energy or the pressure. */
static void compare_norm(const struct farsum_plan *plan,
                         const struct verify_error energies[2],
                         struct verify_error *error)
{
    farsum_error_kind norm = plan->task.given.error;
    if (norm != FARSUM_ERROR_ENERGY && norm != FARSUM_ERROR_PRESSURE)
        return;
    *error = energies[norm == FARSUM_ERROR_PRESSURE];
    error->is /= plan->task.given.tolerance;
    error->most /= plan->task.given.tolerance;
}

farsum_status verify_compare(struct farsum_plan *plan, struct verify_sum *s,
                             struct verify_error *error)
{
    farsum_status status = FARSUM_OK;
    struct verify_out out = {0};
    struct verify_error energies[2];
    size_t real = (size_t)array_size(plan->task.problem.arrays);
    int potential = plan->task.problem.outputs & FARSUM_POTENTIAL ? 1 : 0;
    KEEP_ON(mem_alloc(&out.values, s->n * s->width, real, 0));
    if (s->width == 1)
        out.potential = out.values;
    else if (s->energies && potential)
        KEEP_ON(mem_alloc(&out.potential, s->n, real, 0));
    if (s->forces)
        KEEP_ON(mem_alloc(&out.gradient, s->n * 6, real, 0));
    if (s->forces && plan->task.pair.kind->moments > 1)
        KEEP_ON(mem_alloc(&out.third, s->n * 10, real, 0));
    KEEP_ON(progress_step(0, 0, "checking by a second sum"));
    GO(task_agree(&plan->task, status));
    GO(task_agree(&plan->task, compare_sum(plan, s, &out)));
    GO(verify_errors(plan, s, out.values, error));
    GO(verify_compare_energies(plan, s, &out, energies));
    for (int k = 0; k < 2; k++)
        plan->energies[k] = energies[k].is;
    compare_norm(plan, energies, error);
done:
    plan->has_points = 0;
    if (out.potential != out.values)
        mem_free(out.potential);
    mem_free(out.values);
    mem_free(out.gradient);
    mem_free(out.third);
    return status;
}
