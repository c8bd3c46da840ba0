/* SPDX-License-Identifier: Apache-2.0 */
/* smear.c: adds the difference of Gaussian clouds and points to a sum. */
#include "plan/smear/smear.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/arrays.h"
#include "base/fpenv.h"
#include "base/hypot.h"
#include "base/mem.h"
#include "base/par.h"
#include "farsum/expert.h"
#include "math/tied_images.kh"
#include "reference/ewald/ewald_sum.h"
#include "task/host_arrays.h"

enum { BLOCKS = 64 }; /* parts of a sum, added in order */

void smear_destroy(struct smear *s)
{
    if (!s)
        return;
    mem_free(s->width);
    mem_free(s->start);
    mem_free(s->pair);
    mem_free(s->q);
    mem_free(s->blur);
    mem_free(s);
}

/* Refuses plans whose sums cannot be added to. */
static farsum_status smear_fits(const struct farsum_plan *plan)
{
    const farsum_problem *p = &plan->task.given;
    if (plan->task.dry)
        FAIL(ERR_STATE, "a plan made by farsum_plan_tune accepts no widths");
    if (!plan->task.pair.kind->charged || plan->task.pair.kind->moments)
        FAIL(ERR_UNSUPPORTED,
             "widths require kernel laplace; this is a plan of %s",
             plan->task.pair.name);
    if (plan->task.comm || p->memory == FARSUM_DEVICE)
        FAIL(ERR_UNSUPPORTED, "widths are only for host arrays and one "
                              "process");
    if (p->softening > 0 || p->part != FARSUM_WHOLE || p->n_targets > 0)
        FAIL(ERR_UNSUPPORTED, "widths do not work with %s",
             p->softening > 0   ? "softening"
             : p->n_targets > 0 ? "separate targets"
                                : "a part of the sum; the caller's pair loop "
                                  "adds their difference, docs/api.md, 13");
    return FARSUM_OK;
}

farsum_status farsum_plan_set_widths(farsum_plan *plan, int64_t n,
                                     const double *widths)
{
    FP_GUARD;
    farsum_status status = FARSUM_OK;
    struct smear *made = NULL;
    if (!plan)
        FAIL(ERR_ARGUMENT, "plan is NULL");
    TRY(device_usable(plan->task.device));
    TRY(smear_fits(plan));
    if (n < 0 || (n > 0) != (widths != NULL))
        FAIL(ERR_ARGUMENT,
             "n is %lld and widths is %s; give both, or 0 and "
             "NULL",
             (long long)n, widths ? "not NULL" : "NULL");
    for (int64_t i = 0; i < n; i++)
        if (!(widths[i] >= 0 && isfinite(widths[i])))
            FAIL(ERR_ARGUMENT, "width %lld is %g, not a length of at least 0",
                 (long long)i, widths[i]);
    struct plan_held before = plan_held(plan);
    if (n > 0) {
        GO(MEM_NEW(made, 1));
        made->n = n;
        GO(MEM_RAW(made->width, n));
        GO(MEM_RAW(made->q, n));
        GO(MEM_RAW(made->blur, n));
        memcpy(made->width, widths, (size_t)n * sizeof *widths);
    }
    smear_destroy(plan->smear);
    plan->smear = made;
    made = NULL;
    plan->has_points = 0;
done:
    smear_destroy(made);
    plan_holds(plan, before);
    return status;
}

farsum_status smear_points(struct farsum_plan *plan, int64_t n, const void *x)
{
    struct cell cell;
    const struct task *task = &plan->task;
    double least = task->problem.error == FARSUM_ERROR_ABSOLUTE
                       ? 0
                       : 1e-3 * task->problem.tolerance;
    if (!plan->smear)
        return FARSUM_OK;
    if (n != plan->smear->n)
        FAIL(ERR_ARGUMENT,
             "%lld sources, but %lld widths were set; call "
             "farsum_plan_set_widths first",
             (long long)n, (long long)plan->smear->n);
    TRY(task_cell(task, &cell));
    smear_blur(plan, &cell, x);
    /* a device leaves out only equal positions */
    TRY(smear_list(plan->smear, &cell, x, task->problem.arrays, least,
                   task->device ? 0 : EWALD_COINCIDE, task->threads));
    smear_exclude(plan);
    return FARSUM_OK;
}

/* Sets u and f of a pair of target i, (3.12), times the share that is left.
 * unit: the task's per the caller's. */
static void pair_set(const struct smear *s, double unit, int64_t i,
                     struct smear_pair *p, double left)
{
    const double *d = p->d;
    double r2 = d[0] * d[0] + d[1] * d[1] + d[2] * d[2], r = sqrt(r2);
    double g = unit * hypot_of(s->width[i], s->width[p->j]);
    double x = r / g, u = -erfc(x) / r;
    p->u = left * u;
    p->f = left * (u - M_2_SQRTPI / g * exp(-x * x)) / r2;
    /* the share that exclusions lose is in the method's sum, too */
    double blur = hypot_of(s->blur[i], s->blur[p->j]);
    p->off = fabs(u) * (blur / r + 2 * DBL_EPSILON);
}

/* 1: the pair's image ties with the nearest one, (3.7a). */
static int pair_ties(const struct smear_pair *p, const struct smear_pair *near)
{
    double r2 = 0, least = 0, apart = 0;
    for (int a = 0; a < 3; a++) {
        double step = p->d[a] - near->d[a];
        r2 += p->d[a] * p->d[a];
        least += near->d[a] * near->d[a];
        apart += step * step;
    }
    return p == near || TIED_IMAGE(r2, least, apart);
}

/* The pairs of target i with source j lose a share at their nearest image, or
 * at those that tie. */
static void pair_exclude(struct smear *s, double unit, int64_t i, int64_t j,
                         double lost)
{
    struct smear_pair *near = NULL, *end = s->pair + s->start[i + 1];
    double least = INFINITY;
    int many = 0;
    for (struct smear_pair *p = s->pair + s->start[i]; p < end; p++) {
        const double *d = p->d;
        double r2 = d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
        if (p->j == j && r2 < least) {
            least = r2;
            near = p;
        }
    }
    for (struct smear_pair *p = s->pair + s->start[i]; near && p < end; p++)
        many += p->j == j && pair_ties(p, near);
    for (struct smear_pair *p = s->pair + s->start[i]; near && p < end; p++)
        if (p->j == j && pair_ties(p, near))
            pair_set(s, unit, i, p, 1 - lost / many);
}

void smear_exclude(struct farsum_plan *plan)
{
    struct smear *s = plan->smear;
    const struct exclusions *e = &plan->task.exclusions;
    if (!s || !s->pair)
        return;
    double unit = task_per(&plan->task);
    PAR_FOR(plan->task.threads, schedule(static))
    for (int64_t i = 0; i < s->n; i++)
        for (int64_t k = s->start[i]; k < s->start[i + 1]; k++)
            pair_set(s, unit, i, s->pair + k, 1);
    for (int64_t r = 0; r < e->rows; r++)
        for (int64_t k = e->start[r]; k < e->start[r + 1]; k++)
            pair_exclude(s, unit, e->target[r], e->source[k], e->lost[k]);
}

/* The differences at a target; C = 1. */
struct smear_sum {
    double phi, e[3], w[9]; /* w: twice its share of the virial over its q */
    double off_phi, off_e;  /* squares of the errors of phi and e */
};

static struct smear_sum sum_target(const struct smear *s, int64_t i,
                                   const double *q)
{
    struct smear_sum sum = {0};
    for (int64_t k = s->start[i]; k < s->start[i + 1]; k++) {
        const struct smear_pair *p = s->pair + k;
        double of = q[p->j];
        sum.phi += of * p->u;
        for (int a = 0; a < 3; a++)
            sum.e[a] += of * p->f * p->d[a];
        for (int a = 0; a < 9; a++)
            sum.w[a] += of * p->f * p->d[a / 3] * p->d[a % 3];
        double r2 = p->d[0] * p->d[0] + p->d[1] * p->d[1] + p->d[2] * p->d[2];
        double square = of * of * p->off * p->off;
        sum.off_phi += square;
        sum.off_e += 4 * square / r2; /* the slope of the error of 1/r^2 */
    }
    return sum;
}
/* Adds v to number k of an array, if there is one; 1: the sum is beyond the
 * range of its type. */
static int add_to(void *array, farsum_precision type, int64_t k, double v)
{
    if (!array)
        return 0;
    array_put(array, type, k, array_get(array, type, k) + v);
    return !isfinite(array_get(array, type, k));
}

/* Adds a target's errors and its results, number i of the caller's, to the loss
 * of a right-hand side. */
static void lose(const struct task *task, const struct smear_sum *sum,
                 const farsum_result *result, int64_t i, double q,
                 struct smear_loss *loss)
{
    farsum_precision type = task->problem.arrays;
    struct scale value = scale_of(-task_exponent(task));
    struct scale field = scale_of(-task_exponent_field(task));
    double square = task_constant(task) * task_constant(task);
    loss->potential += square * sum->off_phi;
    loss->force += q * q * square * sum->off_e;
    loss->energy += 0.5 * q * q * square * sum->off_phi; /* pairs count twice */
    if (result->potential) {
        double phi = scale_by(value, array_get(result->potential, type, i));
        loss->phi += phi * phi;
        loss->each += fabs(q * phi);
    }
    for (int a = 0; result->field && a < 3; a++) {
        double f =
            q * scale_by(field, array_get(result->field, type, 3 * i + a));
        loss->f += f * f;
    }
}

/* Adds to right-hand side r, in the units of the task. */
static farsum_status add_one(struct farsum_plan *plan, int r, const void *q,
                             const farsum_result *result)
{
    const struct smear *s = plan->smear;
    struct task *task = &plan->task;
    farsum_precision type = task->problem.arrays;
    double part[BLOCKS][10] = {{0}}, c = task_constant(task);
    struct smear_loss lost[BLOCKS] = {{0}}, loss = {0};
    int64_t first = r * s->n;
    int beyond = 0;
    host_strengths(task, s->n, r, q, s->q);
    struct scale value = scale_of(task_exponent(task));
    struct scale field = scale_of(task_exponent_field(task));
    struct scale energy = scale_of(task_exponent_energy(task));
    PAR_FOR(task->threads, schedule(dynamic) reduction(| : beyond))
    for (int b = 0; b < BLOCKS; b++)
        for (int64_t i = par_start(s->n, BLOCKS, b);
             i < par_start(s->n, BLOCKS, b + 1); i++) {
            struct smear_sum sum = sum_target(s, i, s->q);
            double half = 0.5 * c * s->q[i];
            beyond |= add_to(result->potential, type, first + i,
                             scale_by(value, c * sum.phi));
            for (int a = 0; a < 3; a++)
                beyond |= add_to(result->field, type, 3 * (first + i) + a,
                                 scale_by(field, c * sum.e[a]));
            for (int a = 0; a < 9; a++) {
                beyond |=
                    add_to(result->particle_virial, type, 9 * (first + i) + a,
                           scale_by(energy, half * sum.w[a]));
                part[b][a] += half * sum.w[a];
            }
            part[b][9] += half * sum.phi;
            lose(task, &sum, result, first + i, s->q[i], &lost[b]);
        }
    for (int b = 0; b < BLOCKS; b++) {
        for (int a = 0; a < 9; a++)
            beyond |= add_to(result->virial, FARSUM_F64, 9 * r + a,
                             scale_by(energy, part[b][a]));
        beyond |=
            add_to(result->energy, FARSUM_F64, r, scale_by(energy, part[b][9]));
        loss.potential += lost[b].potential;
        loss.force += lost[b].force;
        loss.energy += lost[b].energy;
        loss.phi += lost[b].phi;
        loss.f += lost[b].f;
        loss.each += lost[b].each;
    }
    if (beyond)
        FAIL(ERR_STRENGTH,
             "right-hand side %d: a sum of smeared charges is above the range "
             "of %s; choose other units of lengths or strengths",
             r, type == FARSUM_F32 ? "f32" : "f64");
    return smear_judge(plan, result, r, &loss);
}

farsum_status smear_add(struct farsum_plan *plan, int rhs, const void *q,
                        const farsum_result *result)
{
    if (!plan->smear || !plan->smear->pair)
        return FARSUM_OK;
    memset(plan->smear->error, 0, sizeof plan->smear->error);
    for (int r = 0; r < rhs; r++)
        TRY(add_one(plan, r, q, result));
    return FARSUM_OK;
}
