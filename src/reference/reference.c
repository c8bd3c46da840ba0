/* SPDX-License-Identifier: Apache-2.0 */
/* reference.c: copies of inputs and outputs around the reference sums. */
#include "reference/reference.h"

#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "base/mem.h"
#include "base/par.h"
#include "base/arrays.h"
#include "base/progress.h"
#include "reference/kernels.h"

/* Two points this close to each other may have a squared distance of 0, and
 * would count as coincident in open sums. */
#define REFERENCE_CLOSE 0x1p-480

static farsum_status reference_copy(double **to, int64_t n, const void *x,
                                    farsum_precision type, const char *what,
                                    int threads, struct extent *extent)
{
    int64_t bad = INT64_MAX;
    mem_free(*to);
    TRY(MEM_RAW(*to, 3 * n));
    double *p = *to;
    PAR_FOR(threads, schedule(static) reduction(min : bad))
    for (int64_t i = 0; i < 3 * n; i++) {
        p[i] = array_get(x, type, i);
        if (!isfinite(p[i]) && i < bad)
            bad = i;
    }
    if (bad != INT64_MAX)
        FAIL(ERR_POSITION, "%s %lld: %c = %g is not finite", what,
             (long long)(bad / 3), "xyz"[bad % 3], p[bad]);
    extent_points(extent, *to, n, threads);
    return FARSUM_OK;
}

/* Converts coordinates to the task's units.  Open boundaries: fails if two
 * points lie within REFERENCE_CLOSE of the origin and differ.  *first: the
 * first such point. */
static farsum_status reference_inside(const struct task *task, double *x,
                                      int64_t n, const double **first)
{
    double per = task_per(task);
    PAR_FOR(task->threads, schedule(static))
    for (int64_t i = 0; i < 3 * n; i++)
        x[i] *= per;
    for (int64_t i = 0; i < n && !task->problem.periodic[0]; i++) {
        const double *at = x + 3 * i;
        if (!(fabs(at[0]) < REFERENCE_CLOSE && fabs(at[1]) < REFERENCE_CLOSE
              && fabs(at[2]) < REFERENCE_CLOSE))
            continue;
        *first = *first ? *first : at;
        if ((*first)[0] != at[0] || (*first)[1] != at[1]
            || (*first)[2] != at[2])
            FAIL(ERR_POSITION,
                 "two points at the origin are closer than 1e-144 of the "
                 "extent of all, and not at one place");
    }
    return FARSUM_OK;
}

static farsum_status reference_room(double **p, int64_t n)
{
    mem_free(*p);
    return MEM_RAW(*p, n);
}

farsum_status reference_set_points(struct reference *s, struct task *task,
                                   int64_t n, const void *x, int64_t m,
                                   const void *y)
{
    farsum_precision type = task->problem.arrays;
    int64_t targets = m > 0 ? m : n;
    s->n = s->m = 0;
    struct extent extent = EXTENT_NONE;
    const double *close = NULL;
    TRY(progress_step(0, 0, "placing points"));
    TRY(reference_copy(&s->x, n, x, type, "source", task->threads, &extent));
    mem_free(s->y);
    s->y = NULL;
    if (m > 0)
        TRY(reference_copy(&s->y, m, y, type, "target", task->threads,
                           &extent));
    if (!task->problem.periodic[0])
        units_points(task, &extent);
    TRY(reference_inside(task, s->x, n, &close));
    if (m > 0)
        TRY(reference_inside(task, s->y, m, &close));
    TRY(reference_room(&s->q, n * task->pair.strengths));
    if (task->pair.kind->gradient)
        TRY(reference_room(&s->potential, targets));
    TRY(reference_room(&s->field, 3 * targets));
    if (task->pair.kind->gradient && reference_kind_find(task->pair.name))
        TRY(reference_room(&s->values, REFERENCE_VIRIAL * targets));
    s->n = n;
    s->m = m;
    return FARSUM_OK;
}

void reference_bytes(const struct task *task, double *held, double *more)
{
    const farsum_problem *p = &task->problem;
    double n = (double)p->n_sources, m = (double)p->n_targets, slots = 16;
    double targets = m > 0 ? m : n, each = 3;
    if (task->pair.kind->gradient)
        each += reference_kind_find(task->pair.name) ? 1 + REFERENCE_VIRIAL : 1;
    while (slots < 2 * n)
        slots *= 2;
    *held = 8 * (n * (3 + task->pair.strengths) + 3 * m + targets * each);
    *more = p->exclude_coincident ? 0 : 8 * (3 * n + slots);
    *held += (double)sizeof *task + 4096; /* headers */
}

/* Writes C times the sums to row r of the caller's arrays. */
static void reference_out(const struct task *task, const struct reference *s,
                          int r, const struct reference_sums *sums,
                          farsum_result *result)
{
    int64_t targets = s->m > 0 ? s->m : s->n;
    double c = task_constant(task);
    farsum_precision type = task->problem.arrays;
    struct scale value = scale_of(task_exponent(task));
    struct scale field = scale_of(task_exponent_field(task));
    struct scale energy = scale_of(task_exponent_energy(task));
    for (int64_t i = 0; sums->potential && i < targets; i++)
        array_put(result->potential, type, r * targets + i,
                  scale_by(value, c * s->potential[i]));
    for (int64_t i = 0; sums->field && i < 3 * targets; i++)
        array_put(result->field, type, 3 * r * targets + i,
                  scale_by(field, c * s->field[i]));
    for (int64_t i = 0; sums->velocity && i < 3 * targets; i++)
        array_put(result->velocity, type, 3 * r * targets + i,
                  scale_by(value, c * s->field[i]));
    if (sums->energy)
        result->energy[r] = scale_by(energy, c * *sums->energy);
    for (int a = 0; sums->virial && a < 9; a++)
        result->virial[9 * r + a] = scale_by(energy, c * sums->virial[a]);
}

/* Fails if the largest sum is not in the range of its output. */
static farsum_status reference_range(const struct task *task, const double *v,
                                     int64_t n, int exponent,
                                     farsum_precision type, const char *what)
{
    if (!v)
        return FARSUM_OK;
    double most = units_largest(v, FARSUM_F64, n, task->threads);
    return units_range(task, fabs(task_constant(task)) * most, exponent, type,
                       what);
}

static farsum_status reference_ranges(const struct task *task,
                                      const struct reference *s,
                                      const struct reference_sums *sums)
{
    int64_t targets = s->m > 0 ? s->m : s->n;
    farsum_precision type = task->problem.arrays;
    int value = task_exponent(task), energy = task_exponent_energy(task);
    TRY(reference_range(task, sums->potential, targets, value, type,
                        "potential"));
    TRY(reference_range(task, sums->field, 3 * targets,
                        task_exponent_field(task), type, "field"));
    TRY(reference_range(task, sums->velocity, 3 * targets, value, type,
                        "velocity"));
    TRY(reference_range(task, sums->energy, 1, energy, FARSUM_F64, "energy"));
    return reference_range(task, sums->virial, 9, energy, FARSUM_F64, "virial");
}

static void reference_net(const struct task *task, const struct reference *s)
{
    const struct reference_kind *kind = reference_kind_find(task->pair.name);
    double net = 0, square = 0;
    for (int64_t i = 0; i < s->n; i++) {
        net += kind ? 0 : s->q[i];
        square += task->pair.kind->square(s->q + i * task->pair.strengths);
    }
    task->report->info.net_strength = kind ? kind->net(s->n, s->q) : net;
    task->report->net_size = sqrt((double)s->n * square);
}

/* Converts right-hand side r to the task's units and sums it. */
static farsum_status reference_sum(struct task *task, struct reference *s,
                                   int r, const void *q,
                                   const struct reference_sums *sums)
{
    int width = task->pair.strengths;
    int64_t each = s->n * width;
    double most[2];
    const double *per = task->units.per;
    units_most(q, task->problem.arrays, r * each, each, width, most);
    units_strength(task, most);
    for (int64_t i = 0; i < each; i++)
        s->q[i] = array_get(q, task->problem.arrays, r * each + i)
                  * per[width > 3 ? i % width / 3 : 0];
    TRY(s->sum(task, s, sums));
    TRY(reference_exclude(task, s, sums));
    return reference_ranges(task, s, sums);
}

farsum_status reference_execute(struct task *task, void *state, int rhs,
                                const void *q, farsum_result *result)
{
    struct reference *s = state;
    double start = clock_seconds();
    for (int r = 0; r < rhs; r++) {
        double energy = 0, virial[9] = {0};
        TRY(progress_step(r, rhs, "summing"));
        const struct reference_sums sums = {
            .potential = result->potential ? s->potential : NULL,
            .field = result->field ? s->field : NULL,
            .energy = result->energy ? &energy : NULL,
            .virial = result->virial ? virial : NULL,
            .velocity = result->velocity ? s->field : NULL,
        };
        TRY(reference_sum(task, s, r, q, &sums));
        reference_out(task, s, r, &sums, result);
        reference_net(task, s);
    }
    task->report->info.stages[0].seconds = clock_seconds() - start;
    return FARSUM_OK;
}

int reference_wants(const struct reference_kind *kind,
                    const struct reference_sums *sums)
{
    return reference_width(kind, sums->field != NULL, sums->virial != NULL);
}

double *reference_room_of(const struct reference *s,
                          const struct reference_sums *sums)
{
    return s->values ? s->values : sums->velocity;
}

void exact_spread(const struct reference *s, int width,
                  const struct reference_sums *sums)
{
    static const int at[9] = {4, 7, 8, 7, 5, 9, 8, 9, 6};
    int64_t targets = s->m > 0 ? s->m : s->n;
    long double energy = 0, virial[9] = {0};
    for (int64_t i = 0; s->values && i < targets; i++) {
        const double *v = s->values + width * i;
        if (sums->potential)
            sums->potential[i] = v[0];
        for (int d = 0; d < 3 && sums->field; d++)
            sums->field[3 * i + d] = v[1 + d];
        if (sums->energy)
            energy += 0.5L * s->q[i] * v[0];
        for (int a = 0; a < 9 && sums->virial; a++)
            virial[a] += 0.5L * s->q[i] * v[at[a]];
    }
    if (sums->energy)
        *sums->energy = (double)energy;
    for (int a = 0; a < 9 && sums->virial; a++)
        sums->virial[a] = (double)virial[a];
}

void reference_clear(struct reference *s)
{
    mem_free(s->x);
    mem_free(s->y);
    mem_free(s->q);
    mem_free(s->potential);
    mem_free(s->field);
    mem_free(s->values);
}

void exact_stage(const struct task *task, const char *name, const char *reason)
{
    task->report->info.n_stages = 1;
    task->report->info.stages[0] =
        (farsum_stage_info){name, name, reason, 0, 1};
}
