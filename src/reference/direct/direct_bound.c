/* SPDX-License-Identifier: Apache-2.0 */
/* direct_bound.c: bound of the open sum's rounding error, which is its only
 * error: rounding of the terms, and of their sums in runs of eight
 * (direct_lane.h). */
#include "reference/direct/direct_bound.h"

#include <math.h>

#include "base/par.h"
#include "task/sample_pair.h"
#include "task/units.h"

/* Squared rounding errors of one term and of its share of a run: for a
 * potential, a field, and other kernels. */
enum { RUNS = 64, POTENTIAL = 9 + RUNS, FIELD = 40 + RUNS, OTHER = 120 + RUNS };
/* As for fmm's near pairs: four standard deviations of rounding errors of 0.42
 * u. */
#define SIGMAS (4 * 0.42 * 0x1p-53)

struct bound_job {
    const struct task *task;
    const struct reference *s;
    int field; /* potential kernels: forces are requested */
};

/* The value at one target, and the sum of its terms' squares. */
struct bound_target {
    double value[3], squares;
};

static double length(const double *v)
{
    return sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
}

/* Adds a source of a potential kernel at distance r, softened. */
static void bound_scalar(const struct bound_job *job, const double d[3],
                         double r2, double q, double stays,
                         struct bound_target *t)
{
    double soft = job->task->problem.softening, v[2];
    double r = sqrt(r2 + soft * soft);
    job->task->pair.kind->bare(&job->task->pair, r, v);
    double value = job->field ? q * v[0] * (sqrt(r2) / r) : q * v[1];
    /* the argument of exp has a rounding error of its own */
    double steep = 1 + 0.5 * job->task->pair.kappa * r;
    t->squares += value * value * steep * steep;
    for (int a = 0; a < (job->field ? 3 : 1); a++)
        t->value[a] += stays * (job->field ? q * v[0] / r * d[a] : value);
}

static void bound_flow(const struct bound_job *job, const double d[3],
                       double r2, const double *q, double stays,
                       struct bound_target *t)
{
    const struct pair *pair = &job->task->pair;
    double v[PAIR_VALUES];
    double size =
        pair->strengths > 3 ? 6 * length(q) * length(q + 3) : 2 * length(q);
    size /= pow(sqrt(r2), pair->kind->power);
    t->squares += size * size;
    sample_pair_value(sample_pair_row(pair), pair->kappa, d, r2, q, v);
    for (int a = 0; a < 3; a++)
        t->value[a] += stays * v[a];
}

static void bound_target(const struct bound_job *job, int64_t i,
                         struct bound_target *t)
{
    const struct reference *s = job->s;
    const double *x = (s->m > 0 ? s->y : s->x) + 3 * i;
    const struct exclusions *lost = &job->task->exclusions;
    int width = job->task->pair.strengths;
    *t = (struct bound_target){{0}, 0};
    for (int64_t j = 0; j < s->n; j++) {
        double d[3], r2 = 0, stays = 1;
        for (int a = 0; a < 3; a++) {
            d[a] = x[a] - s->x[3 * j + a];
            r2 += d[a] * d[a];
        }
        if (r2 == 0)
            continue;
        if (lost->rows > 0)
            stays -= exclusions_lost(lost, i, j);
        if (job->task->pair.kind->gradient)
            bound_scalar(job, d, r2, s->q[j], stays, t);
        else
            bound_flow(job, d, r2, s->q + width * j, stays, t);
    }
}

static int bound_roundings(const struct task *task, int field)
{
    if (!task->pair.kind->charged)
        return OTHER;
    return field ? FIELD : POTENTIAL;
}

static farsum_status bound_keeps(const struct task *task)
{
    if (task->report->info.bound <= task->problem.tolerance)
        return FARSUM_OK;
    FAIL(ERR_TOLERANCE,
         "strict: tolerance %g: rounding of the direct sum is bounded by "
         "%.3g; leave out strict, or allow that",
         task->given.tolerance, task_error(task, task->report->info.bound));
}

farsum_status direct_strict_even(const struct task *task)
{
    const farsum_problem *p = &task->problem;
    int field = p->error == FARSUM_ERROR_FORCE;
    double n = (double)p->n_sources;
    /* the nearest sources dominate the squares of a field, as they dominate the
     * field; for potentials of both signs all sources contribute */
    double squares = task->pair.kind->power == 1 && !field ? cbrt(n) : 1;
    task->report->info.bound =
        SIGMAS * sqrt(bound_roundings(task, field) * squares);
    return p->error == FARSUM_ERROR_ABSOLUTE ? FARSUM_OK : bound_keeps(task);
}

farsum_status direct_strict_sum(const struct task *task,
                                const struct reference *s)
{
    const farsum_problem *p = &task->problem;
    struct bound_job job = {task, s,
                            task->pair.kind->gradient
                                && p->error != FARSUM_ERROR_POTENTIAL};
    int64_t targets = s->m > 0 ? s->m : s->n;
    double most = 0, norm = 0, q2 = 0;
    for (int64_t i = 0; i < s->n && job.field; i++)
        q2 += s->q[i] * s->q[i] / (double)s->n;
    double roundings = bound_roundings(task, job.field);
    PAR_FOR(task->threads, schedule(static) reduction(max : most)
                               reduction(+ : norm))
    for (int64_t i = 0; i < targets; i++) {
        struct bound_target t;
        bound_target(&job, i, &t);
        double own = !job.field ? 1 : s->m > 0 ? sqrt(q2) : fabs(s->q[i]);
        double size = own * length(t.value);
        norm += size * size;
        most = fmax(most, own * SIGMAS * sqrt(roundings * t.squares)
                              + 0x1p-53 * size);
    }
    task->report->info.bound =
        task_bound(task, most, sqrt(norm / (double)targets));
    return bound_keeps(task);
}
