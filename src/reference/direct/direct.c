/* SPDX-License-Identifier: Apache-2.0 */
/* direct: every pair, compensated (direct_sum.h).  Open boundaries; the oracle
 * for everything open, and the fastest below some thousand particles. */
#include <math.h>

#include "base/mem.h"
#include "reference/direct/direct_any.h"
#include "reference/direct/direct_bound.h"
#include "reference/direct/direct_sum.h"
#include "reference/reference.h"
#include "points/wrap.h"
#include "stage/device.h"

static farsum_status direct_fits(const struct farsum_plan *plan)
{
    if (!plan->pair.kind->charged && !exact_kind_find(plan->pair.name))
        FAIL(ERR_UNSUPPORTED, "does not know kernel %s", plan->pair.name);
    TRY(gpu_not_wanted(plan->device));
    if (plan->problem.periodic[0])
        FAIL(ERR_UNSUPPORTED, "sums open boundaries only; the problem is "
                              "periodic");
    if (plan->problem.error != FARSUM_ERROR_ABSOLUTE
        && plan->problem.tolerance < 1e-15)
        FAIL(ERR_TOLERANCE, "tolerance %g is below 1e-15, which f64 reaches",
             plan->problem.tolerance);
    return FARSUM_OK;
}

static double direct_pairs(const struct farsum_plan *plan)
{
    const farsum_problem *p = &plan->problem;
    return (double)p->n_sources
           * (double)(p->n_targets > 0 ? p->n_targets : p->n_sources);
}

/* Measured on a Xeon with AVX-512. */
static double direct_cost(const struct farsum_plan *plan)
{
    static const double pair[ISA_COUNT] = {3.8e-9, 2.1e-9, 2.1e-9};
    double one = plan->pair.kind->charged ? pair[plan->isa] : 1e-8;
    return one * direct_pairs(plan) / plan->threads;
}

static farsum_status direct_run(struct farsum_plan *plan, struct exact *s,
                                const struct exact_sums *sums)
{
    const struct direct_args args = {
        plan->threads, plan->isa,
        s->n,          s->m,
        s->x,          s->m > 0 ? s->y : NULL,
        s->q,          plan->problem.softening,
    };
    const struct exact_kind *kind = exact_kind_find(plan->pair.name);
    if (kind) {
        const struct direct_any any = {
            .pairs = args,
            .screen = plan->pair.kappa,
            .width = exact_wants(kind, sums),
        };
        double *values = exact_room_of(s, sums);
        if (values)
            TRY(direct_any_sum(kind, &any, values));
        exact_spread(s, any.width, sums);
    } else {
        TRY(direct_sum(&args, sums->potential, sums->field, sums->energy,
                       sums->virial));
    }
    return plan->options.strict ? direct_strict_sum(plan, s) : FARSUM_OK;
}

static double direct_bytes(const struct farsum_plan *plan)
{
    double held, more;
    exact_bytes(plan, &held, &more);
    return held + more;
}

static farsum_status direct_tune(const struct farsum_plan *plan, void **state,
                                 double *seconds)
{
    struct exact *s = NULL;
    TRY(plan_fits(plan, direct_bytes(plan)));
    TRY(MEM_NEW(s, 1));
    s->sum = direct_run;
    *seconds = direct_cost(plan);
    *state = s;
    return FARSUM_OK;
}

static farsum_status direct_create(struct farsum_plan *plan)
{
    exact_stage(plan, "direct", "all pairs");
    plan->info.estimated_error = 1e-15;
    plan->info.bytes = (uint64_t)direct_bytes(plan);
    return plan->options.strict ? direct_strict_even(plan) : FARSUM_OK;
}

/* Exact equality, as the sum itself skips by. */
static farsum_status direct_distinct(const struct exact *s, int threads,
                                     struct exclusions *exclusions)
{
    farsum_status status = FARSUM_OK;
    struct points p = {.n = s->n};
    for (int d = 0; d < 3; d++) {
        GO(MEM_RAW(p.s[d], s->n));
        for (int64_t i = 0; i < s->n; i++)
            p.s[d][i] = s->x[3 * i + d];
    }
    GO(points_distinct(&p, 0, threads, exclusions));
done:
    points_clear(&p);
    return status;
}

static farsum_status direct_set_points(struct farsum_plan *plan, int64_t n,
                                       const void *x, int64_t m, const void *y)
{
    TRY(exact_set_points(plan->state, plan, n, x, m, y));
    if (!plan->problem.exclude_coincident)
        TRY(direct_distinct(plan->state, plan->threads, &plan->exclusions));
    return FARSUM_OK;
}

static farsum_status direct_set_cell(struct farsum_plan *plan,
                                     const double cell[9])
{
    (void)plan, (void)cell;
    FAIL(ERR_STATE, "method direct has no cell");
}

static void direct_destroy(void *state)
{
    if (!state)
        return;
    exact_clear(state);
    mem_free(state);
}

const struct method method_direct = {
    .fits = direct_fits,
    .least = direct_cost,
    .tune = direct_tune,
    .create = direct_create,
    .set_points = direct_set_points,
    .set_cell = direct_set_cell,
    .execute = exact_execute,
    .destroy = direct_destroy,
    .bounded = 1,
    .wide = 1,
};
