/* SPDX-License-Identifier: Apache-2.0 */
/* sum.c: the second sum that a plan is compared with, at separate
 * targets: by Ewald's method in a periodic cell, pair by pair in open space. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/args.h"
#include "base/clock.h"
#include "base/mem.h"
#include "base/par.h"
#include "device/buf.h"
#include "base/arrays.h"
#include "task/method.h"
#include "plan/verify/verify.h"

/* Numbers of targets.  Errors of boxes' expansions vary more than those of a
 * mesh.  Systems of few particles use more targets, because their sums are
 * fast. A percentile needs many targets. */
enum { OF_MESH = 48, OF_BOXES = 128, OF_EACH = 768 };
/* FINER: limit of the second sum's own estimate, over the tolerance.  FINEST:
 * the same for few particles, which may be perfectly ordered. */
#define FINER (1.0 / 30)
#define FINEST (1.0 / 1000)
enum { FEW = VERIFY_FEW, SOME = 50000 };
/* Below this tolerance Ewald's sum uses long double, which is slow. */
#define LAST_F64 1.5e-12
void verify_clear(struct verify_sum *s)
{
    verify_recall(s);
    verify_slab_free(s->slab);
    mem_free(s->own_x);
    mem_free(s->own_y);
    mem_free(s->own_q);
    mem_free(s->targets.index);
    exclusions_clear(&s->excluded);
    mem_free(s->wanted);
    mem_free(s->potential);
    mem_free(s->gradient);
    mem_free(s->third);
    *s = (struct verify_sum){0};
}

/* Sets *to f64 numbers: the array itself, or a copy of an f32 array. */
static farsum_status sum_wide(const struct farsum_plan *plan, const void *from,
                              int64_t count, double **own,
                              const double **to)
{
    *to = from;
    if (!from || plan->task.problem.arrays != FARSUM_F32)
        return FARSUM_OK;
    TRY(MEM_RAW(*own, count));
    PAR_FOR(plan->task.threads)
    for (int64_t i = 0; i < count; i++)
        (*own)[i] = (double)((const float *)from)[i];
    *to = *own;
    return FARSUM_OK;
}

/* Converts all input arrays to f64. */
static farsum_status sum_widen(const struct farsum_plan *plan,
                               struct verify_sum *s)
{
    if (s->x)
        return FARSUM_OK;
    TRY(sum_wide(plan, s->given_x, 3 * s->around, &s->own_x, &s->x));
    TRY(sum_wide(plan, s->given_y, 3 * s->m, &s->own_y, &s->y));
    return sum_wide(plan, s->given_q, s->n * plan->task.pair.strengths,
                    &s->own_q, &s->q);
}

/* Magnitudes of the strengths, in a power-of-two unit common to all ranks. */
static farsum_status sum_sizes(const struct farsum_plan *plan,
                               struct verify_sum *s, double **size)
{
    farsum_status status = FARSUM_OK;
    int width = plan->task.pair.strengths;
    int64_t n = s->n;
    double most = 0;
    KEEP_ON(sum_widen(plan, s));
    KEEP_ON(MEM_RAW(*size, n));
    TRY(task_agree(&plan->task, status));
    const double *q = s->q;
    most = units_largest(q, FARSUM_F64, n * width, plan->task.threads);
    TRY(task_agree(&plan->task, task_max(&plan->task, &most, 1)));
    int unit = most > 0 && isfinite(most) ? ilogb(most) : 0;
    PAR_FOR(plan->task.threads)
    for (int64_t i = 0; i < n; i++) {
        double sum = 0;
        for (int c = 0; c < width; c++) {
            double v = ldexp(q[i * width + c], -unit);
            sum += v * v;
        }
        (*size)[i] = sqrt(sum);
    }
    return FARSUM_OK;
}

/* The RMS strength, in the plan's units. */
static farsum_status sum_strength(const struct farsum_plan *plan,
                                  struct verify_sum *s)
{
    double square = 0;
    if (s->all_m == 0 || !verify_measure(plan, s).force)
        return FARSUM_OK;
    for (int64_t i = 0; i < s->n; i++)
        square += pow(verify_strength(plan, s, i), 2);
    TRY(task_add(&plan->task, FARSUM_OK, &square, 1));
    s->strength = sqrt(square / (double)s->all_n);
    return FARSUM_OK;
}

/* RMS of forces or velocities, in the plan's units. */
static farsum_status sum_size(const struct farsum_plan *plan,
                              struct verify_sum *s)
{
    const struct verify_measure of = verify_measure(plan, s);
    double sum = 0;
    for (int64_t i = 0; i < verify_own(s); i++)
        sum += verify_square(&of, s->results, i, NULL);
    TRY(task_add(&plan->task, FARSUM_OK, &sum, 1));
    s->size = sqrt(sum / (double)verify_all(s));
    return FARSUM_OK;
}

/* The relative tolerance of the second sum.  An absolute tolerance is divided
 * by the RMS force or velocity. */
static double sum_tolerance(const struct farsum_plan *plan,
                            const struct verify_sum *s)
{
    double t = plan->task.given.tolerance;
    if (plan->task.problem.error == FARSUM_ERROR_ABSOLUTE)
        t = s->size > 0
                ? plan->task.problem.tolerance * plan->task.finer / s->size
                : 1e-6;
    t = fmin(t, 0.1);
    if (s->all_n <= FEW)
        return fmax(1e-14, fmin(FINER * t, fmax(FINEST * t, LAST_F64)));
    return fmax(1e-14, FINER * t);
}

/* The problem of the second sum: the same sources in f64, separate targets. */
static farsum_problem sum_problem(const struct farsum_plan *plan,
                                  const struct verify_sum *s)
{
    farsum_problem p = plan->task.given;
    int flow = !plan->task.pair.kind->gradient;
    p.precision = p.arrays = FARSUM_F64;
    p.memory = FARSUM_HOST;
    p.tolerance = s->tolerance;
    p.error = plan->task.problem.error;
    if (p.error == FARSUM_ERROR_ABSOLUTE)
        p.error = flow ? FARSUM_ERROR_VELOCITY : FARSUM_ERROR_FORCE;
    p.outputs = flow ? FARSUM_VELOCITY : FARSUM_POTENTIAL | FARSUM_FIELD;
    if (s->whole)
        p.outputs |= FARSUM_ENERGY | FARSUM_VIRIAL;
    int quadrupoles = plan->task.pair.kind->moments > 1;
    if (s->forces || (s->whole && quadrupoles))
        p.outputs |= FARSUM_GRADIENT;
    if (s->forces && quadrupoles)
        p.outputs |= FARSUM_THIRD;
    p.n_sources = s->n; /* references need only this of a sample */
    p.n_targets = s->whole ? 0 : s->targets.count;
    p.n_exclusions = 0; /* set by sum_exclusions */
    p.exclude_coincident = 1; /* the plan has checked */
    p.part = FARSUM_WHOLE;
    return p;
}

/* Sets the targets' exclusions; if targets are all sources, each pair once. */
static farsum_status sum_exclusions(const struct verify_sum *s,
                                    farsum_plan *other)
{
    farsum_status status = FARSUM_OK;
    const struct exclusions *e = &s->excluded;
    int64_t *pair = NULL, count = 0;
    double *factor = NULL;
    GO(MEM_RAW(pair, 2 * e->count));
    GO(MEM_RAW(factor, e->count));
    for (int64_t k = 0; k < e->count; k++) {
        if (s->whole && e->pair[2 * k + 1] < e->pair[2 * k])
            continue;
        pair[2 * count] = e->pair[2 * k];
        pair[2 * count + 1] = e->pair[2 * k + 1];
        factor[count++] = e->factor[k];
    }
    status = farsum_plan_set_exclusions(other, count, pair, factor);
done:
    mem_free(pair);
    mem_free(factor);
    return status;
}

farsum_result verify_result(const struct farsum_plan *plan,
                            const struct verify_sum *s, void *to,
                            void *potential)
{
    farsum_result result = FARSUM_RESULT_INIT;
    result.potential = potential;
    if (s->width == 1)
        result.potential = to;
    else if (plan->task.pair.kind->gradient)
        result.field = to;
    else
        result.velocity = to;
    return result;
}

/* Sums at the targets y by a reference's plan on the host.  Over ranks all
 * have the parameters for the sources of all, so that their sums leave out the
 * same terms as one process would. */
static farsum_status sum_host(struct farsum_plan *plan, struct verify_sum *s,
                              const double *y)
{
    farsum_status status = FARSUM_OK;
    farsum_options how = FARSUM_OPTIONS_INIT;
    farsum_plan *other = NULL;
    double *field = NULL, *gradient = NULL; /* owned */
    int dipoles = s->whole && plan->task.pair.kind->moments;
    farsum_problem problem = sum_problem(plan, s);
    const struct plan_aim aim = {.share_of = plan->task.comm ? s->all_n : 0};
    how.method = task_axes(&plan->task) > 0 ? "ewald" : "direct";
    how.threads = plan->task.threads;
    how.isa = plan->report.info.isa;
    if (!plan->task.device)
        how.memory_limit =
            plan->task.options.memory_limit > (uint64_t)plan->bytes
                ? plan->task.options.memory_limit - (uint64_t)plan->bytes
                : 1;
    farsum_result result = verify_result(plan, s, s->wanted, s->potential);
    result.energy = s->whole ? &s->energy : NULL;
    result.virial = s->whole ? s->virial : NULL;
    result.gradient = s->gradient;
    result.third = s->third;
    if (dipoles && !result.field)
        GO(MEM_RAW(field, 3 * s->n));
    if (dipoles && plan->task.pair.kind->moments > 1 && !result.gradient)
        GO(MEM_RAW(gradient, 6 * s->n));
    result.field = field ? field : result.field;
    result.gradient = gradient ? gradient : result.gradient;
    GO(sum_widen(plan, s));
    GO(plan_make_for(&problem, &how, PLAN_INNER, aim, &other));
    GO(sum_exclusions(s, other));
    GO(plan_points(other, s->n, s->x, problem.n_targets,
                   s->whole ? NULL : y));
    GO(plan_sum(other, 1, s->q, &result, NULL));
    if (dipoles)
        s->magnitude = verify_magnitude(plan, s, verify_potentials(s),
                                        result.field, result.gradient);
done:
    mem_free(field);
    mem_free(gradient);
    farsum_plan_destroy(other);
    return status;
}

/* Sums at all targets; over ranks, the sources of all. */
static farsum_status sum_targets(struct farsum_plan *plan, struct verify_sum *s)
{
    farsum_status status = FARSUM_OK;
    const struct task *task = &plan->task;
    const void *x = s->all_m > 0 ? s->given_y : s->given_x;
    const struct verify_targets *t = &s->targets;
    double *y = NULL;
    KEEP_ON(MEM_NEW(y, 3 * t->count));
    KEEP_ON(MEM_NEW(s->wanted, t->count * s->width));
    if (s->energies && s->width > 1)
        KEEP_ON(MEM_NEW(s->potential, t->count));
    if (s->forces)
        KEEP_ON(MEM_NEW(s->gradient, 6 * t->count));
    if (s->forces && plan->task.pair.kind->moments > 1)
        KEEP_ON(MEM_NEW(s->third, 10 * t->count));
    KEEP_ON(verify_excluded(plan, s));
    for (int64_t k = 0; k < 3 * t->count && status == FARSUM_OK; k++) {
        int64_t i = verify_index(s, k / 3);
        if (i >= 0)
            y[k] = array_get(x, s->type, 3 * i + k % 3);
    }
    GO(task_add(task, status, y, 3 * t->count));
    if (s->n > 0)
        status = verify_on_device(plan, s) || verify_few(plan, s)
                     ? verify_sum_few(plan, s, y)
                     : sum_host(plan, s, y);
    GO(task_add(task, status, s->wanted, t->count * s->width));
    if (s->potential)
        GO(task_add(task, FARSUM_OK, s->potential, t->count));
    if (s->forces)
        GO(task_add(task, FARSUM_OK, s->gradient, 6 * t->count));
    for (int64_t k = 0; s->forces && k < t->count; k++) {
        int64_t i = verify_index(s, k);
        if (i >= 0)
            verify_force(plan, s, i, FARSUM_F64, k, s->wanted, s->gradient,
                         s->third);
    }
done:
    mem_free(y);
    return status;
}

/* Returns 1 if forces of dipoles are compared, which need the gradient, and of
 * quadrupoles, which need the third derivatives.  They are compared while the
 * plan is made.  Later, and where they are no outputs, fields are. */
static int sum_forces(const struct farsum_plan *plan,
                      const struct verify_sum *s)
{
    unsigned more = FARSUM_GRADIENT
                    | (plan->task.pair.kind->moments > 1 ? FARSUM_THIRD : 0u);
    return plan->task.pair.kind->moments && s->width == 3 && !s->results
           && (plan->task.problem.outputs & more) == more;
}

/* Selects the targets, on the device if it has many sources. */
static farsum_status sum_draw(struct farsum_plan *plan, struct verify_sum *s)
{
    farsum_status status = FARSUM_OK;
    double *size = NULL;
    int wanted = plan->method->options & METHOD_BOXES ? OF_BOXES : OF_MESH;
    wanted *= s->all_n <= FEW ? 3 : s->all_n <= SOME ? 2 : 1;
    wanted = plan->task.given.error == FARSUM_ERROR_EACH ? OF_EACH : wanted;
    if (s->whole)
        wanted = (int)s->all_n;
    if (plan->task.comm) /* no rank has all sources */
        s->whole = 0;
    if (s->m == 0 && s->n > SOME && !plan->task.comm
        && verify_on_device(plan, s))
        return verify_targets_device(plan, s, wanted);
    GO(sum_sizes(plan, s, &size));
    GO(verify_targets(plan, s, size, wanted, &s->targets));
done:
    mem_free(size);
    return status;
}

farsum_status verify_sum(struct farsum_plan *plan, struct verify_sum *s)
{
    s->width = plan->task.problem.error == FARSUM_ERROR_POTENTIAL ? 1 : 3;
    s->type = plan->task.problem.arrays;
    TRY(task_agree(&plan->task,
                   progress_step(0, 0, "checking by a second sum")));
    TRY(verify_slabs(plan, s));
    s->forces = sum_forces(plan, s);
    TRY(sum_strength(plan, s));
    if (s->results)
        TRY(sum_size(plan, s));
    s->tolerance = sum_tolerance(plan, s);
    if (!s->results)
        s->energies = verify_energies(plan, s->all_n, &s->whole);
    double start = clock_seconds();
    TRY(sum_draw(plan, s));
    s->images = verify_images(plan, s);
    double drawn = clock_seconds();
    TRY(sum_targets(plan, s));
    s->seconds_drawn = drawn - start;
    s->seconds_summed = clock_seconds() - drawn;
    s->summed = 1;
    return FARSUM_OK;
}
