/* SPDX-License-Identifier: Apache-2.0 */
/* soften.c: error from omitting the softening in pairs of far boxes, which are
 * summed by 1/r, (10.27) of math.md.  In a cell the softening ends at a radius,
 * (3.11), and no far pair may be nearer. */
#include <math.h>

#include "method/fmm/fmm.h"

/* The part of the tolerance allowed for this error. */
static const double share = 1.0 / 3;

/* The relative error for eps = 1 and far boxes at distance 1.  For potentials
 * it is that of the nearest pair.  Errors of fields add up as vectors, and a
 * quarter of it is used: for evenly filled cubes, Plummer spheres and charges
 * +-1 the measured ratio is 0.003 to 0.11, largest where charges have one
 * sign. */
static double soften_pair(const struct task *task)
{
    return task->problem.error == FARSUM_ERROR_POTENTIAL ? 0.5 : 1.5 / 4;
}

/* The distance of the nearest points that interact by expansions; 0: none
 * do. */
static double soften_reach(const struct fmm *s, const struct fmm_shape *shape)
{
    double edge[3], least = INFINITY;
    memcpy(edge, s->input.edge, sizeof edge);
    if (s->input.periodic)
        fmm_shape_region(s, shape, edge);
    for (int d = 0; d < 3; d++)
        least = fmin(least, edge[d] / (double)shape->root[d]);
    if (s->input.periodic)
        return shape->ws * ldexp(least, -shape->depth);
    double most = fmax(edge[0], fmax(edge[1], edge[2])), roots = 1;
    if (fmm_shape_first(s, shape) > shape->depth)
        return 0;
    for (int d = 0; d < 3; d++)
        roots = fmax(roots, (double)shape->root[d]);
    return shape->ws * ldexp(most / roots, -shape->depth);
}

/* 1: no softening, or the lengths are not known yet. */
static int soften_no(const struct task *task, const struct fmm *s)
{
    return !(task->problem.softening > 0)
           || !(s->input.periodic || s->sampled || s->placed);
}

double fmm_soften(const struct task *task, const struct fmm *s,
                  const struct fmm_shape *shape)
{
    if (soften_no(task, s))
        return 0;
    double reach = soften_reach(s, shape);
    if (s->input.periodic)
        return task->problem.softening <= reach ? 0 : INFINITY;
    double ratio = reach > 0 ? task->problem.softening / reach : 0;
    return soften_pair(task) * ratio * ratio;
}

/* The largest allowed relative error. */
static double soften_most(const struct task *task, const struct fmm *s)
{
    const farsum_problem *p = &task->problem;
    double norm = p->coulomb * s->input.force;
    if (p->error == FARSUM_ERROR_ABSOLUTE)
        return norm > 0 ? share * p->tolerance / norm : INFINITY;
    return share * p->tolerance;
}

int fmm_soften_depth(const struct task *task, const struct fmm *s,
                     const struct fmm_shape *shape)
{
    struct fmm_shape coarse = *shape;
    while (coarse.depth > 0
           && fmm_soften(task, s, &coarse) > soften_most(task, s))
        coarse.depth--;
    return coarse.depth;
}

farsum_status fmm_soften_fits(const struct task *task, const struct fmm *s,
                              const struct fmm_shape *shape)
{
    double error = fmm_soften(task, s, shape), most = soften_most(task, s);
    if (s->input.periodic && error > 0)
        FAIL(ERR_UNSUPPORTED,
             "softening %g is longer than %.6g, the distance of the nearest "
             "far points; use larger boxes or method spectral",
             task->given.softening, task_length(task, soften_reach(s, shape)));
    if (error > most)
        FAIL(ERR_TOLERANCE,
             "softening %g leaves a relative error of %.2g between boxes of "
             "that size, %.2g is allowed; up to %.3g would do, or larger "
             "boxes, or method direct",
             task->given.softening, error, most,
             task->given.softening * sqrt(most / error));
    return FARSUM_OK;
}
