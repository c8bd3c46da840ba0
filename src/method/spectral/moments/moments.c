/* SPDX-License-Identifier: Apache-2.0 */
/* moments.c: sources with a charge and a dipole, and with a quadrupole: their
 * spread, and the outputs that only they have (math.md 7.6, 9.6). */
#include <math.h>
#include <string.h>

#include "base/arrays.h"
#include "base/par.h"
#include "math/pair_quadrupole.h"
#include "method/spectral/spectral.h"

enum { BLOCKS = 64 }; /* parts of a sum, added in order */

farsum_status spectral_moments_fits(const struct task *task)
{
    const farsum_problem *p = &task->problem;
    const char *reference = task_axes(task) > 0 ? "ewald" : "direct";
    const char *what =
        task->device || task->links.ranks > 0 ? "on hosts and in one process"
        : task_axes(task) != 3                ? "with three periodic axes"
        : task->pairs == FARSUM_F32           ? "in f64"
        : task->given.part != FARSUM_WHOLE    ? "as a whole, not one part of it"
        : p->outputs & FARSUM_PARTICLE_VIRIAL
            ? "without the virial of each particle"
            : NULL;
    if (task->pair.kind->moments < 2 || !what)
        return FARSUM_OK;
    FAIL(ERR_UNSUPPORTED,
         "sums kernel %s only %s; %s does, on the host and in one process",
         task->pair.name, what, reference);
}

farsum_result spectral_moments_wanted(const struct task *task,
                                      const farsum_result *result)
{
    static char any; /* only its address counts; a rank may own no targets */
    farsum_result wanted = *result;
    if (!task->pair.kind->moments
        || !(result->virial || result->particle_virial))
        return wanted;
    wanted.field = &any;
    if (task->pair.kind->moments > 1)
        wanted.gradient = &any;
    return wanted;
}

/* The sum over a and b of Q_ab/2 times d^2/dx_a dx_b, along the mesh axes: uu
 * uv uw vv vw ww. */
static void bends_of(const double to[3][3], const double Q[6], double bend[6])
{
    for (int d = 0; d < 3; d++)
        for (int e = d; e < 3; e++) {
            double sum = 0;
            for (int a = 0; a < 3; a++)
                for (int b = 0; b < 3; b++)
                    sum += to[d][a] * to[e][b] * Q[pair_two[a][b]];
            bend[pair_two[d][e]] = d == e ? sum / 2 : sum;
        }
}

/* u_d = mesh_d sum_a x_a inv[3a + d], so p.grad is g.d/du. */
void spectral_moments_slopes(const struct task *task, struct spectral *s)
{
    const struct parameters *t = &s->parameters;
    farsum_precision type = task->problem.precision;
    int width = task->pair.strengths;
    double to[3][3];
    for (int d = 0; d < 3; d++)
        for (int a = 0; a < 3; a++)
            to[d][a] = (double)t->mesh[d] * t->cell.inv[3 * a + d];
    PAR_FOR(task->threads)
    for (int64_t i = 0; i < s->n; i++) {
        double Q[6], bend[6];
        int64_t at = width * i;
        array_put(s->channel, type, at, array_get(s->q, type, at));
        for (int d = 0; d < 3; d++) {
            double g = 0;
            for (int a = 0; a < 3; a++)
                g += to[d][a] * array_get(s->q, type, at + 1 + a);
            array_put(s->channel, type, at + 1 + d, g);
        }
        if (width == 4)
            continue;
        for (int a = 0; a < 6; a++)
            Q[a] = array_get(s->q, type, at + 4 + a);
        bends_of(to, Q, bend);
        for (int a = 0; a < 6; a++)
            array_put(s->channel, type, at + 4 + a, bend[a]);
    }
}

/* Dipole and field of source i, in the task's units; C = 1. */
static void dipole_field(const struct task *task, const struct spectral *s,
                         const struct spectral_terms *terms, int64_t i,
                         double p[3], double e[3])
{
    farsum_precision type = task->problem.precision;
    double rc = s->parameters.rc;
    int64_t at = task->pair.strengths * i;
    for (int a = 0; a < 3; a++) {
        p[a] = rc * array_get(s->q, type, at + 1 + a);
        e[a] = array_get(s->field, type, 3 * i + a) / (rc * rc)
               - terms->surface * terms->dipole[a];
    }
}

/* Strengths of source i and the potential's derivatives there, in the same
 * units.  Those without an array are 0. */
static void quadrupole_values(const struct task *task, const struct spectral *s,
                              const struct spectral_terms *terms,
                              const farsum_result *have, int64_t i,
                              double own[PAIR_STRENGTHS],
                              double v[QUADRUPOLE_VALUES])
{
    farsum_precision type = task->problem.precision;
    double rc = s->parameters.rc, r3 = rc * rc * rc;
    memset(v, 0, QUADRUPOLE_VALUES * sizeof *v);
    own[0] = array_get(s->q, type, 10 * i);
    dipole_field(task, s, terms, i, own + 1, v + QUADRUPOLE_FIELD);
    for (int a = 0; a < 6; a++)
        own[4 + a] = rc * rc * array_get(s->q, type, 10 * i + 4 + a);
    for (int a = 0; a < 6 && have->gradient; a++)
        v[QUADRUPOLE_GRADIENT + a] =
            array_get(s->gradient, type, 6 * i + a) / r3;
    for (int a = 0; a < 10 && have->third; a++)
        v[QUADRUPOLE_THIRD + a] =
            array_get(s->third, type, 10 * i + a) / (r3 * rc);
}

farsum_status spectral_moments_virial(const struct task *task,
                                      const struct spectral *s,
                                      struct spectral_terms *terms)
{
    const farsum_result have = {.gradient = s->gradient};
    double part[BLOCKS][9] = {{0}};
    PAR_FOR(task->threads, schedule(static))
    for (int b = 0; b < BLOCKS; b++)
        for (int64_t i = par_start(s->n, BLOCKS, b);
             i < par_start(s->n, BLOCKS, b + 1); i++) {
            double p[3], e[3], own[PAIR_STRENGTHS], v[QUADRUPOLE_VALUES];
            if (task->pair.kind->moments > 1) {
                quadrupole_values(task, s, terms, &have, i, own, v);
                pair_quadrupole_turn(own, v, part[b]);
                continue;
            }
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
    farsum_precision type = task->problem.precision;
    double rc = s->parameters.rc, p[3], e[3], square = 0, factor = 1;
    double q = array_get(s->q, type, 4 * i), reach = task->pair.reach;
    dipole_field(task, s, terms, i, p, e);
    double p2 = p[0] * p[0] + p[1] * p[1] + p[2] * p[2];
    for (int a = 0; a < 3; a++) {
        double f = q * e[a];
        for (int b = 0; gradient && b < 3; b++)
            f -= array_get(s->gradient, type, 6 * i + pair_two[a][b])
                 / (rc * rc * rc) * p[b];
        square += f * f;
    }
    if (!gradient) {
        factor = q * q + (reach > 0 ? p2 / (reach * reach) : 0);
        square = factor * (e[0] * e[0] + e[1] * e[1] + e[2] * e[2]);
    }
    return square;
}

/* The force's square of target i with a quadrupole.  Without all derivatives
 * its moments count as pair_square says. */
static double force_quadrupole(const struct task *task,
                               const struct spectral *s,
                               const struct spectral_terms *terms,
                               const farsum_result *have, int64_t i)
{
    double own[PAIR_STRENGTHS], v[QUADRUPOLE_VALUES], force[3] = {0};
    quadrupole_values(task, s, terms, have, i, own, v);
    const double *e = v + QUADRUPOLE_FIELD;
    pair_quadrupole_force(own, v, force);
    if (!have->gradient || !have->third)
        return pair_square(&task->pair, own)
               * (e[0] * e[0] + e[1] * e[1] + e[2] * e[2]);
    return force[0] * force[0] + force[1] * force[1] + force[2] * force[2];
}

/* Writes row r of a result of `width` numbers per target, times `unit`.  out =
 * 0: fails if they are not in the range of their type. */
static farsum_status write_row(const struct task *task,
                               const struct spectral *s, int r, int width,
                               double unit, int exponent, const void *from,
                               void *to, int out, const char *what)
{
    farsum_precision type = task->problem.arrays;
    const struct scale scale = scale_of(exponent);
    int64_t n = width * spectral_targets(s), first = r * n;
    double most = 0;
    PAR_FOR(task->threads, reduction(max : most))
    for (int64_t i = 0; i < n; i++) {
        double v = unit * array_get(from, task->problem.precision, i);
        if (out)
            array_put(to, type, first + i, scale_by(scale, v));
        else
            most = fabs(v) <= most ? most : isfinite(v) ? fabs(v) : INFINITY;
    }
    return out ? FARSUM_OK : units_range(task, most, exponent, type, what);
}

farsum_status spectral_moments_out(const struct task *task,
                                   const struct spectral *s,
                                   const struct spectral_terms *terms, int r,
                                   const farsum_result *result, int out,
                                   double *square)
{
    double c = task_constant(task), rc = s->parameters.rc, sum = 0;
    double unit = c / (rc * rc * rc);
    int64_t n = spectral_targets(s);
    if (result->gradient)
        TRY(write_row(task, s, r, 6, unit, task_exponent_gradient(task),
                      s->gradient, result->gradient, out, "gradient"));
    if (result->third)
        TRY(write_row(task, s, r, 10, unit / rc, task_exponent_third(task),
                      s->third, result->third, out, "third derivatives"));
    if (!out || !result->field || spectral_apart(s))
        return FARSUM_OK;
    PAR_FOR(task->threads, reduction(+ : sum))
    for (int64_t i = 0; i < n; i++)
        sum += task->pair.kind->moments > 1
                   ? force_quadrupole(task, s, terms, result, i)
                   : force_square(task, s, terms, result->gradient != NULL, i);
    *square = c * c * sum;
    return FARSUM_OK;
}
