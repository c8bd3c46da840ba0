/* SPDX-License-Identifier: Apache-2.0 */
/* moments.c: sources with a charge and a dipole: their spread, and the outputs
 * that only they have (math.md 7.6, 9.6). */
#include <math.h>
#include <string.h>

#include "base/arrays.h"
#include "base/par.h"
#include "method/spectral/spectral.h"

enum { BLOCKS = 64 }; /* parts of a sum, added in order */

farsum_result spectral_moments_wanted(const struct task *task,
                                      const farsum_result *result)
{
    static char any; /* only its address counts; a rank may own no targets */
    farsum_result wanted = *result;
    if (task->pair.kind->moments
        && (result->virial || result->particle_virial))
        wanted.field = &any;
    return wanted;
}

/* u_d = mesh_d sum_a x_a inv[3a + d], so p.grad is g.d/du. */
void spectral_moments_slopes(const struct task *task, struct spectral *s)
{
    const struct parameters *t = &s->parameters;
    farsum_precision type = task->problem.precision;
    double to[3][3];
    for (int d = 0; d < 3; d++)
        for (int a = 0; a < 3; a++)
            to[d][a] = (double)t->mesh[d] * t->cell.inv[3 * a + d];
    PAR_FOR(task->threads)
    for (int64_t i = 0; i < s->n; i++) {
        array_put(s->channel, type, 4 * i, array_get(s->q, type, 4 * i));
        for (int d = 0; d < 3; d++) {
            double g = 0;
            for (int a = 0; a < 3; a++)
                g += to[d][a] * array_get(s->q, type, 4 * i + 1 + a);
            array_put(s->channel, type, 4 * i + 1 + d, g);
        }
    }
}

/* Dipole and field of source i, in the task's units; C = 1. */
static void dipole_field(const struct task *task, const struct spectral *s,
                         const struct spectral_terms *terms, int64_t i,
                         double p[3], double e[3])
{
    farsum_precision type = task->problem.precision;
    double rc = s->parameters.rc;
    for (int a = 0; a < 3; a++) {
        p[a] = rc * array_get(s->q, type, 4 * i + 1 + a);
        e[a] = array_get(s->field, type, 3 * i + a) / (rc * rc)
               - terms->surface * terms->dipole[a];
    }
}

farsum_status spectral_moments_virial(const struct task *task,
                                      const struct spectral *s,
                                      struct spectral_terms *terms)
{
    double part[BLOCKS][9] = {{0}};
    PAR_FOR(task->threads, schedule(static))
    for (int b = 0; b < BLOCKS; b++)
        for (int64_t i = par_start(s->n, BLOCKS, b);
             i < par_start(s->n, BLOCKS, b + 1); i++) {
            double p[3], e[3];
            dipole_field(task, s, terms, i, p, e);
            for (int a = 0; a < 9; a++)
                part[b][a] += e[a / 3] * p[a % 3];
        }
    for (int b = 0; b < BLOCKS; b++)
        for (int a = 0; a < 9; a++)
            terms->turn[a] += part[b][a];
    return task_sum(task, terms->turn, 9);
}

/* |q E - G p|^2 of target i over C^2; without a gradient, its dipole counts as
 * pair_square says. */
static double force_square(const struct task *task, const struct spectral *s,
                           const struct spectral_terms *terms, int gradient,
                           int64_t i)
{
    static const int at[3][3] = {{0, 1, 2}, {1, 3, 4}, {2, 4, 5}};
    farsum_precision type = task->problem.precision;
    double rc = s->parameters.rc, p[3], e[3], square = 0, factor = 1;
    double q = array_get(s->q, type, 4 * i), reach = task->pair.reach;
    dipole_field(task, s, terms, i, p, e);
    double p2 = p[0] * p[0] + p[1] * p[1] + p[2] * p[2];
    for (int a = 0; a < 3; a++) {
        double f = q * e[a];
        for (int b = 0; gradient && b < 3; b++)
            f -= array_get(s->gradient, type, 6 * i + at[a][b]) / (rc * rc * rc)
                 * p[b];
        square += f * f;
    }
    if (!gradient) {
        factor = q * q + (reach > 0 ? p2 / (reach * reach) : 0);
        square = factor * (e[0] * e[0] + e[1] * e[1] + e[2] * e[2]);
    }
    return square;
}

farsum_status spectral_moments_out(const struct task *task,
                                   const struct spectral *s,
                                   const struct spectral_terms *terms, int r,
                                   const farsum_result *result, int out,
                                   double *square)
{
    farsum_precision to = task->problem.arrays, from = task->problem.precision;
    const struct scale scale = scale_of(task_exponent_gradient(task));
    double c = task_constant(task), rc = s->parameters.rc, most = 0, sum = 0;
    double unit = c / (rc * rc * rc);
    int64_t n = spectral_targets(s), first = 6 * r * n;
    int gradient = result->gradient != NULL;
    PAR_FOR(task->threads, reduction(max : most))
    for (int64_t i = 0; i < 6 * n; i++) {
        if (!gradient)
            continue;
        double g = unit * array_get(s->gradient, from, i);
        if (out)
            array_put(result->gradient, to, first + i, scale_by(scale, g));
        else
            most = fabs(g) <= most ? most : isfinite(g) ? fabs(g) : INFINITY;
    }
    if (!out)
        return gradient ? units_range(task, most, task_exponent_gradient(task),
                                      to, "gradient")
                        : FARSUM_OK;
    if (!result->field || spectral_apart(s))
        return FARSUM_OK;
    PAR_FOR(task->threads, reduction(+ : sum))
    for (int64_t i = 0; i < n; i++)
        sum += force_square(task, s, terms, gradient, i);
    *square = c * c * sum;
    return FARSUM_OK;
}
