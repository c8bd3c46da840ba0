/* SPDX-License-Identifier: Apache-2.0 */
/* direct.c: method `direct`: a compensated sum over all pairs (direct_sum.h).
 * Supports open boundaries.  It is the reference for all open problems, and the
 * fastest method below some thousand particles. */
#include <math.h>

#include "base/mem.h"
#include "reference/direct/direct_any.h"
#include "reference/direct/direct_bound.h"
#include "reference/direct/direct_sum.h"
#include "reference/reference.h"
#include "points/wrap.h"
#include "stage/device.h"

static farsum_status direct_fits(const struct task *task)
{
    if (!task->pair.kind->charged && !reference_kind_find(task->pair.name))
        FAIL(ERR_UNSUPPORTED, "does not know kernel %s", task->pair.name);
    TRY(gpu_not_wanted(task->device));
    if (task->options.strict && task->pair.kind->moments)
        FAIL(ERR_UNSUPPORTED,
             "strict: no error bound is known for kernel %s; leave out strict",
             task->pair.name);
    if (task_axes(task) > 0)
        FAIL(ERR_UNSUPPORTED, "sums open boundaries only; the problem is "
                              "periodic");
    if (task->problem.error != FARSUM_ERROR_ABSOLUTE
        && task->problem.tolerance < 1e-15)
        FAIL(ERR_TOLERANCE,
             "tolerance %g is below 1e-15, the best that f64 reaches",
             task->problem.tolerance);
    return FARSUM_OK;
}

static double direct_pairs(const struct task *task)
{
    const farsum_problem *p = &task->problem;
    return (double)p->n_sources
           * (double)(p->n_targets > 0 ? p->n_targets : p->n_sources);
}

/* Measured on a Xeon with AVX-512.  Flows and dipoles: as other stages of the
 * host, whose costs are about twice the seconds of a free core. */
static double direct_cost(const struct task *task)
{
    static const double pair[ISA_COUNT] = {3.8e-9, 2.1e-9, 2.1e-9};
    static const double other[ISA_COUNT] = {1e-8, 5e-9, 5e-9};
    const struct pair_kind *kind = task->pair.kind;
    double one = 1e-8;
    if (kind->moments || !kind->gradient)
        one = other[task->isa];
    else if (kind->charged)
        one = pair[task->isa];
    return one * direct_pairs(task) / task->threads;
}

static farsum_status direct_run(const struct task *task, struct reference *s,
                                const struct host_sums *sums)
{
    const struct direct_args args = {
        task->threads, task->isa,
        s->n,          s->m,
        s->x,          s->m > 0 ? s->y : NULL,
        s->q,          task->problem.softening,
    };
    const struct reference_kind *kind = reference_kind_of(task);
    if (kind) {
        const struct direct_any any = {
            .pairs = args,
            .screen = task->pair.kappa,
            .width = reference_wants(kind, sums),
        };
        double *values = reference_results(s, sums);
        if (values)
            TRY(direct_any_sum(kind, &any, values));
        exact_spread(task, s, any.width, sums);
    } else {
        TRY(direct_sum(&args, sums->potential, sums->field, sums->energy,
                       sums->virial));
    }
    return task->options.strict ? direct_strict_sum(task, s) : FARSUM_OK;
}

static double direct_bytes(const struct task *task)
{
    double held, more;
    reference_bytes(task, &held, &more);
    return held + more;
}

static farsum_status direct_tune(const struct task *task, void **state,
                                 double *seconds)
{
    struct reference *s = NULL;
    TRY(task_has_memory(task, direct_bytes(task)));
    TRY(MEM_NEW(s, 1));
    s->sum = direct_run;
    *seconds = direct_cost(task);
    *state = s;
    return FARSUM_OK;
}

static farsum_status direct_create(struct task *task, void *state)
{
    (void)state;
    exact_stage(task, "direct", "all pairs");
    task->report->info.estimated_error = 1e-15;
    task->report->info.bytes = (uint64_t)direct_bytes(task);
    return task->options.strict ? direct_strict_even(task) : FARSUM_OK;
}

/* Tests exact equality, the criterion by which the sum skips pairs. */
static farsum_status direct_distinct(const struct reference *s, int threads,
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

static farsum_status direct_set_points(struct task *task, void *state,
                                       int64_t n, const void *x, int64_t m,
                                       const void *y)
{
    TRY(reference_set_points(state, task, n, x, m, y));
    if (!task->problem.exclude_coincident)
        TRY(direct_distinct(state, task->threads, &task->exclusions));
    return FARSUM_OK;
}

static farsum_status direct_set_cell(struct task *task, void *state,
                                     const double cell[9])
{
    (void)state;
    (void)task, (void)cell;
    FAIL(ERR_STATE, "method direct has no cell");
}

static void direct_destroy(void *state)
{
    if (!state)
        return;
    reference_clear(state);
    mem_free(state);
}

const struct method method_direct = {
    .fits = direct_fits,
    .least = direct_cost,
    .tune = direct_tune,
    .create = direct_create,
    .set_points = direct_set_points,
    .set_cell = direct_set_cell,
    .execute = reference_execute,
    .destroy = direct_destroy,
    .bounded = 1,
    .wide = 1,
};
