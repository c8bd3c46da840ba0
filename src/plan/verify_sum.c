/* SPDX-License-Identifier: Apache-2.0 */
/* verify_sum.c: the sums that a plan is compared with: by Ewald's method
 * in a periodic cell, pair by pair in open space, of targets apart. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/args.h"
#include "base/mem.h"
#include "base/par.h"
#include "device/buf.h"
#include "base/arrays.h"
#include "task/method.h"
#include "plan/verify.h"

/* Targets: errors of boxes' expansions vary more than those of a mesh.  Of few
 * particles more are taken, whose sums are soon done.  A percentile of many
 * needs many. */
enum { OF_MESH = 48, OF_BOXES = 128, OF_EACH = 768 };
/* Of the tolerance: what the second sum may err by, by its own estimate; of few
 * particles, whose order may be perfect. */
#define FINER (1.0 / 30)
#define FINEST (1.0 / 1000)
enum { FEW = 5000, SOME = 50000 };
/* Below this Ewald's sum goes to long double, which is slow. */
#define LAST_F64 1.5e-12
/* Standard errors that are added to the mean square. */
#define SURE 3

void verify_clear(struct verify_sum *s)
{
    mem_free(s->own_x);
    mem_free(s->own_y);
    mem_free(s->own_q);
    mem_free(s->targets.index);
    mem_free(s->wanted);
    mem_free(s->potential);
    *s = (struct verify_sum){0};
}

/* f64 as it is, f32 a copy. */
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

/* Their magnitudes, in the unit of the sample. */
static farsum_status sum_sizes(const struct farsum_plan *plan, int64_t n,
                               const double *q, double **size)
{
    int width = plan->task.pair.strengths;
    double most = units_largest(q, FARSUM_F64, n * width, plan->task.threads);
    int unit = most > 0 && isfinite(most) ? ilogb(most) : 0;
    TRY(MEM_RAW(*size, n));
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

const void *verify_output(const struct farsum_plan *plan,
                          const farsum_result *result)
{
    return !plan->task.pair.kind->gradient ? result->velocity
           : plan->task.problem.error == FARSUM_ERROR_POTENTIAL
               ? result->potential
               : result->field;
}

struct verify_measure verify_measure(const struct farsum_plan *plan,
                                     const struct verify_sum *s)
{
    struct verify_measure of = {plan, s, task_exponent(&plan->task), 0, 1};
    double square = 0;
    of.force = plan->task.problem.error != FARSUM_ERROR_POTENTIAL
               && plan->task.pair.kind->gradient;
    if (!of.force)
        return of;
    of.unit = task_exponent_field(&plan->task);
    for (int64_t i = 0; i < s->n && s->m > 0; i++)
        square += pow(ldexp(s->q[i], -plan->task.units.strength), 2);
    of.q = sqrt(square / (double)s->n);
    return of;
}

double verify_weight(const struct verify_measure *of, int64_t i)
{
    return of->force && of->s->m == 0
               ? ldexp(of->s->q[i], -of->plan->task.units.strength)
               : of->q;
}

/* The square of target i's values `out`, less those of `wanted` if that is not
 * NULL. */
static double measure_square(const struct verify_measure *of, const void *out,
                             int64_t i, const double *wanted)
{
    const struct verify_sum *s = of->s;
    double w = verify_weight(of, i), square = 0;
    for (int c = 0; c < s->width; c++) {
        double v =
            array_get(out, of->plan->task.problem.arrays, i * s->width + c);
        double d = ldexp(v, -of->unit)
                   - (wanted ? ldexp(wanted[c], -of->unit) : 0);
        square += w * d * w * d;
    }
    return square;
}

static int64_t sum_all(const struct verify_sum *s)
{
    return s->m > 0 ? s->m : s->n;
}

/* RMS of forces or velocities, in the plan's units. */
static double sum_size(const struct farsum_plan *plan,
                       const struct verify_sum *s)
{
    const struct verify_measure of = verify_measure(plan, s);
    double sum = 0;
    for (int64_t i = 0; i < sum_all(s); i++)
        sum += measure_square(&of, s->results, i, NULL);
    return sqrt(sum / (double)sum_all(s));
}

/* Relative: an absolute one is of the RMS force or velocity. */
static double sum_tolerance(const struct farsum_plan *plan,
                            const struct verify_sum *s)
{
    double t = plan->task.given.tolerance;
    if (plan->task.problem.error == FARSUM_ERROR_ABSOLUTE)
        t = s->size > 0
                ? plan->task.problem.tolerance * plan->task.finer / s->size
                : 1e-6;
    t = fmin(t, 0.1);
    if (s->n <= FEW)
        return fmax(1e-14, fmin(FINER * t, fmax(FINEST * t, LAST_F64)));
    return fmax(1e-14, FINER * t);
}

/* The same sources, in f64, with the targets apart. */
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
    p.n_sources = s->n; /* it needs no sample but for the number */
    p.n_targets = s->whole ? 0 : s->targets.count;
    p.n_exclusions = 0; /* they are of the targets */
    p.exclude_coincident = 1; /* the plan has looked */
    return p;
}

/* The exclusions of the targets; of pairs of sources each once. */
static farsum_status sum_exclusions(const struct farsum_plan *plan,
                                    const struct verify_sum *s,
                                    farsum_plan *other)
{
    farsum_status status = FARSUM_OK;
    const struct verify_targets *t = &s->targets;
    const struct exclusions *e = &plan->task.exclusions;
    int64_t *pair = NULL, count = 0;
    double *factor = NULL;
    if (e->count == 0)
        return FARSUM_OK;
    GO(MEM_RAW(pair, 2 * e->entries));
    GO(MEM_RAW(factor, e->entries));
    for (int64_t k = 0; k < t->count; k++) {
        int64_t r = exclusions_row(e, t->index[k]);
        for (int64_t j = r < 0 ? 0 : e->start[r]; r >= 0 && j < e->start[r + 1];
             j++) {
            if (s->whole && e->source[j] < e->target[r])
                continue;
            pair[2 * count] = k;
            pair[2 * count + 1] = e->source[j];
            factor[count++] = 1 - e->lost[j];
        }
    }
    status = farsum_plan_set_exclusions(other, count, pair, factor);
done:
    mem_free(pair);
    mem_free(factor);
    return status;
}

/* What the tolerance is of; potentials beside it, energy and virial where they
 * are measured. */
static farsum_result sum_result(const struct farsum_plan *plan,
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

static farsum_status sum_targets(struct farsum_plan *plan,
                                 struct verify_sum *s)
{
    farsum_status status = FARSUM_OK;
    const double *x = s->m > 0 ? s->y : s->x;
    const struct verify_targets *t = &s->targets;
    farsum_options how = FARSUM_OPTIONS_INIT;
    farsum_plan *other = NULL;
    double *y = NULL;
    farsum_problem problem = sum_problem(plan, s);
    how.method = problem.periodic[0] ? "ewald" : "direct";
    how.threads = plan->task.threads;
    how.isa = plan->report.info.isa;
    if (!plan->task.device)
        how.memory_limit =
            plan->task.options.memory_limit > (uint64_t)plan->bytes
                ? plan->task.options.memory_limit - (uint64_t)plan->bytes
                : 1;
    GO(MEM_RAW(y, 3 * t->count));
    for (int64_t k = 0; k < t->count; k++)
        memcpy(y + 3 * k, x + 3 * t->index[k], 3 * sizeof *y);
    GO(MEM_RAW(s->wanted, t->count * s->width));
    if (s->energies && s->width > 1)
        GO(MEM_RAW(s->potential, t->count));
    farsum_result result = sum_result(plan, s, s->wanted, s->potential);
    result.energy = s->whole ? &s->energy : NULL;
    result.virial = s->whole ? s->virial : NULL;
    GO(plan_make(&problem, &how, PLAN_INNER, &other));
    GO(sum_exclusions(plan, s, other));
    GO(plan_points(other, s->n, s->x, problem.n_targets,
                   s->whole ? NULL : y));
    GO(plan_sum(other, 1, s->q, &result));
done:
    farsum_plan_destroy(other);
    mem_free(y);
    return status;
}

farsum_status verify_sum(struct farsum_plan *plan, struct verify_sum *s)
{
    farsum_status status = FARSUM_OK;
    double *size = NULL;
    int64_t n = s->n;
    s->width = plan->task.problem.error == FARSUM_ERROR_POTENTIAL ? 1 : 3;
    GO(progress_step(0, 0, "checking by a second sum"));
    GO(sum_wide(plan, s->given_x, 3 * n, &s->own_x, &s->x));
    GO(sum_wide(plan, s->given_y, 3 * s->m, &s->own_y, &s->y));
    GO(sum_wide(plan, s->given_q, n * plan->task.pair.strengths, &s->own_q,
                &s->q));
    if (s->results)
        s->size = sum_size(plan, s);
    s->tolerance = sum_tolerance(plan, s);
    GO(sum_sizes(plan, n, s->q, &size));
    int wanted = plan->method->options & METHOD_BOXES ? OF_BOXES : OF_MESH;
    wanted *= n <= FEW ? 3 : n <= SOME ? 2 : 1;
    wanted = plan->task.given.error == FARSUM_ERROR_EACH ? OF_EACH : wanted;
    if (!s->results)
        s->energies = verify_energies(plan, n, &s->whole);
    if (s->whole)
        wanted = (int)n;
    GO(verify_targets(plan, s, size, wanted, &s->targets));
    GO(sum_targets(plan, s));
done:
    mem_free(size);
    return status;
}

/* After a failure: until nothing is in use. */
static farsum_status compare_wait(struct farsum_plan *plan,
                                  farsum_status status)
{
    char why[1024];
    snprintf(why, sizeof why, "%s", farsum_message());
    farsum_status late = farsum_plan_finish(plan);
    (void)late;
    return status_fail(status, "%s", why);
}

/* One result of the plan's: on the host, or from where the device has it. */
struct compared {
    struct buf buf; /* owned; of arrays on the host none */
    void *to;       /* NULL: not wanted */
    int64_t bytes;
};

static farsum_status compared_room(const struct farsum_plan *plan,
                                   struct compared *c, void **at)
{
    *at = c->to;
    if (!c->to || plan->task.problem.memory != FARSUM_DEVICE)
        return FARSUM_OK;
    TRY(buf_alloc(&c->buf, plan->task.device, c->bytes));
    *at = c->buf.handle;
    return FARSUM_OK;
}

/* The plan's own results at all targets, on the host. */
static farsum_status compare_sum(struct farsum_plan *plan,
                                 const struct verify_sum *s,
                                 struct verify_out *out)
{
    enum { VALUES, POTENTIAL, ENERGY, VIRIAL, ALL };
    farsum_status status = FARSUM_OK;
    struct buf x = {0}, q = {0};
    const void *at_x = s->given_x, *at_q = s->given_q;
    int64_t real = array_size(plan->task.problem.arrays);
    int there = plan->task.problem.memory == FARSUM_DEVICE;
    void *at[ALL];
    struct compared c[ALL] = {
        {.to = out->values, .bytes = s->n * s->width * real},
        {.to = s->width > 1 ? out->potential : NULL, .bytes = s->n * real},
        {.to = s->energies & FARSUM_ENERGY ? &out->energy : NULL, .bytes = 8},
        {.to = s->energies & FARSUM_VIRIAL ? out->virial : NULL, .bytes = 72},
    };
    if (there) {
        int64_t of_q = s->n * plan->task.pair.strengths * real;
        GO(buf_alloc(&x, plan->task.device, 3 * s->n * real));
        GO(buf_upload(&x, 0, s->given_x, 3 * s->n * real));
        GO(buf_alloc(&q, plan->task.device, of_q));
        GO(buf_upload(&q, 0, s->given_q, of_q));
        at_x = x.handle;
        at_q = q.handle;
    }
    for (int k = 0; k < ALL; k++)
        GO(compared_room(plan, &c[k], &at[k]));
    farsum_result result = sum_result(plan, s, at[VALUES], at[POTENTIAL]);
    result.energy = at[ENERGY];
    result.virial = at[VIRIAL];
    GO(plan_points(plan, s->n, at_x, 0, NULL));
    GO(plan_sum(plan, 1, at_q, &result));
    GO(farsum_plan_finish(plan));
    for (int k = 0; there && k < ALL; k++)
        if (c[k].to)
            GO(buf_download(&c[k].buf, 0, c[k].to, c[k].bytes));
done:
    if (there && status != FARSUM_OK)
        status = compare_wait(plan, status);
    buf_clear(&x);
    buf_clear(&q);
    for (int k = 0; k < ALL; k++)
        buf_clear(&c[k].buf);
    return status;
}

/* RMS over all targets of what differs, over the tolerance; those at random
 * stand for others, so that their mean is uncertain. */
static void compare_errors(const struct farsum_plan *plan,
                           const struct verify_sum *s, const void *out,
                           struct verify_error *error)
{
    const struct verify_targets *t = &s->targets;
    const struct verify_measure of = verify_measure(plan, s);
    double sum = 0, random = 0, random2 = 0, norm = 1;
    int64_t m = t->count - t->certain;
    for (int64_t k = 0; k < t->count; k++) {
        double square = measure_square(&of, out, t->index[k],
                                       s->wanted + k * s->width);
        sum += k < t->certain ? square : 0;
        random += k < t->certain ? 0 : square;
        random2 += k < t->certain ? 0 : square * square;
    }
    double vary = m > 1 ? random2 / (double)m - pow(random / (double)m, 2) : 0;
    double unsure = sqrt(fmax(vary, 0) * (double)m);
    if (plan->task.problem.error != FARSUM_ERROR_ABSOLUTE)
        norm = plan->report.info.norm;
    norm *= plan->task.problem.tolerance * plan->task.finer
            * sqrt((double)sum_all(s));
    sum += t->weight * random;
    error->is = sum > 0 ? sqrt(sum) / norm : 0;
    error->most =
        sum > 0 ? sqrt(sum + SURE * t->weight * unsure) / norm : 0;
}

farsum_status verify_errors(const struct farsum_plan *plan,
                            const struct verify_sum *s, const void *out,
                            struct verify_error *error)
{
    if (plan->task.given.error == FARSUM_ERROR_EACH)
        return verify_compare_each(plan, s, out, error);
    compare_errors(plan, s, out, error);
    return FARSUM_OK;
}

/* Norms of all particles together. */
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

farsum_status verify_compare(struct farsum_plan *plan,
                             const struct verify_sum *s,
                             struct verify_error *error)
{
    farsum_status status = FARSUM_OK;
    struct verify_out out = {0};
    struct verify_error energies[2];
    size_t real = (size_t)array_size(plan->task.problem.arrays);
    int potential = plan->task.problem.outputs & FARSUM_POTENTIAL ? 1 : 0;
    GO(mem_alloc(&out.values, s->n * s->width, real, 0));
    if (s->width == 1)
        out.potential = out.values;
    else if (s->energies && potential)
        GO(mem_alloc(&out.potential, s->n, real, 0));
    GO(progress_step(0, 0, "checking by a second sum"));
    GO(compare_sum(plan, s, &out));
    GO(verify_errors(plan, s, out.values, error));
    verify_compare_energies(plan, s, &out, energies);
    for (int k = 0; k < 2; k++)
        plan->energies[k] = energies[k].is;
    compare_norm(plan, energies, error);
done:
    plan->has_points = 0;
    if (out.potential != out.values)
        mem_free(out.potential);
    mem_free(out.values);
    return status;
}
