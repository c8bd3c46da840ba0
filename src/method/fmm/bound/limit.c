/* SPDX-License-Identifier: Apache-2.0 */
/* limit.c: largest bound that the tolerance allows, and a sum's bound in the
 * tolerance's norm. */
#include <math.h>
#include <stdio.h>

#include "base/hypot.h"
#include "method/fmm/bound/bound.h"

#define NEARS 1.5625 /* MARGIN for a product of two strengths */
/* Allowed ratio of the rounding error to its estimate, in a proved bound. */
#define ROUNDING 8
/* For f32 and f64, where the estimate is too small by more. */
#define TOGETHER_F32 2
#define TOGETHER_F64 5
/* Factors of (10.40), fitted to unit cells. */
#define NEAR 0.35
#define NEAR_FIELD 1.5

struct fmm_strict *strict_of(const struct fmm *s)
{
    return s->strict ? s->strict : s->alike;
}

int strict_field(const struct task *task)
{
    return task->problem.error != FARSUM_ERROR_POTENTIAL;
}

/* (10.40) */
static double strict_near(const struct task *task,
                          const struct fmm_input *input,
                          const struct fmm_clustering *clustering)
{
    if (!task->device)
        return 0;
    double side = 2 * clustering->ws + 1, r = 0.62 * side * clustering->h;
    double n = (double)task->problem.n_sources, q = sqrt(input->q2);
    double shell = fmm_eps(task) * 2 * M_PI * r * n / input->volume;
    if (strict_field(task))
        return NEAR_FIELD * 2 * q * q * shell;
    return NEAR * pow(side, 1.5) * q * shell * r;
}

static double strict_rounding(const struct task *task,
                              const struct fmm_input *input,
                              const struct fmm_clustering *clustering)
{
    double even = fmm_rounding(task, input, clustering, strict_field(task));
    /* one target's error is at most that of all targets together */
    double n = (double)(task->problem.n_targets > 0 ? task->problem.n_targets
                                                    : task->problem.n_sources);
    double times = ROUNDING;
    if (task->device)
        times = fmax(times, sqrt(n)
                                * (task->problem.precision == FARSUM_F32
                                       ? TOGETHER_F32
                                       : TOGETHER_F64));
    return task->options.strict
               ? times * even
               : hypot_of(even, strict_near(task, input, clustering));
}

/* Factor of a field's error in the tolerance's norm. */
static double strict_own(const struct task *task, const struct fmm_input *input,
                         double most)
{
    if (!strict_field(task))
        return 1;
    return task->problem.n_targets > 0 ? sqrt(input->q2) : most;
}

double strict_norm(const struct task *task, const struct fmm_input *input)
{
    return strict_field(task) ? input->force : input->potential;
}

double strict_limit(const struct task *task, const struct fmm *s,
                    const struct fmm_clustering *clustering)
{
    const farsum_problem *p = &task->problem;
    double norm = strict_norm(task, &s->input);
    double rounding = strict_rounding(task, &s->input, clustering);
    double most = p->error == FARSUM_ERROR_ABSOLUTE ? p->tolerance / p->coulomb
                                                    : p->tolerance * norm;
    double own = strict_own(task, &s->input, strict_of(s)->most);
    if (most == 0) /* no norm is known yet */
        return INFINITY;
    rounding += NEARS * strict_of(s)->near;
    return own > 0 ? (most - rounding) / (MARGIN * own) : INFINITY;
}

/* E of (10.39), C = 1. */
double strict_left(const struct task *task, const struct fmm_input *input,
                   const struct fmm_clustering *clustering, double most,
                   double bound, double near)
{
    double error = near;
    if (bound > 0 && most > 0)
        error += bound * strict_own(task, input, most);
    return error + strict_rounding(task, input, clustering);
}

double strict_error(const struct task *task, const struct fmm_input *input,
                    const struct fmm_clustering *clustering, double most,
                    double bound, double near)
{
    double norm = strict_norm(task, input);
    double error = strict_left(task, input, clustering, most, bound, near);
    return task_bound(task, error, norm);
}

farsum_status strict_fails(const struct task *task, double limit, double least)
{
    const char *bits = task->problem.precision == FARSUM_F32 ? "f32" : "f64";
    char given[40] = "", part[64];
    if (limit > 0)
        snprintf(part, sizeof part, "orders up to %d in %s",
                 (int)MULTIPOLE_MOST, bits);
    else
        snprintf(part, sizeof part, "rounding in %s, whatever the order,",
                 bits);
    if (task->options.fmm.separation)
        snprintf(given, sizeof given, " with separation %d",
                 task->options.fmm.separation);
    FAIL(ERR_TOLERANCE,
         "%s: tolerance %g: the smallest bound that %s can reach here%s is "
         "%.3g",
         task->options.strict ? "strict"
                              : "method fmm, few points or a lattice",
         task->given.tolerance, part, given, task_error(task, least));
}
