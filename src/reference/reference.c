/* SPDX-License-Identifier: Apache-2.0 */
/* reference.c: copies in, sum, copies out. */
#include "reference/reference.h"

#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "base/mem.h"
#include "base/par.h"
#include "base/arrays.h"
#include "reference/kernels.h"

/* Points that open sums hold for one would lie this close to each other: the
 * square of what lies between two may be 0 there. */
#define EXACT_CLOSE 0x1p-480

static farsum_status exact_copy(double **to, int64_t n, const void *x,
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

/* Coordinates inside.  first: of open points the first that is within
 * EXACT_CLOSE of the origin. */
static farsum_status exact_inside(const struct farsum_plan *plan, double *x,
                                  int64_t n, const double **first)
{
    double per = plan_per(plan);
    PAR_FOR(plan->threads, schedule(static))
    for (int64_t i = 0; i < 3 * n; i++)
        x[i] *= per;
    for (int64_t i = 0; i < n && !plan->problem.periodic[0]; i++) {
        const double *at = x + 3 * i;
        if (!(fabs(at[0]) < EXACT_CLOSE && fabs(at[1]) < EXACT_CLOSE
              && fabs(at[2]) < EXACT_CLOSE))
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

static farsum_status exact_room(double **p, int64_t n)
{
    mem_free(*p);
    return MEM_RAW(*p, n);
}

farsum_status exact_set_points(struct exact *s, struct farsum_plan *plan,
                               int64_t n, const void *x, int64_t m,
                               const void *y)
{
    farsum_precision type = plan->problem.arrays;
    int64_t targets = m > 0 ? m : n;
    s->n = s->m = 0;
    struct extent extent = EXTENT_NONE;
    const double *close = NULL;
    TRY(progress_step(0, 0, "placing points"));
    TRY(exact_copy(&s->x, n, x, type, "source", plan->threads, &extent));
    mem_free(s->y);
    s->y = NULL;
    if (m > 0)
        TRY(exact_copy(&s->y, m, y, type, "target", plan->threads, &extent));
    if (!plan->problem.periodic[0])
        plan_units_points(plan, &extent);
    TRY(exact_inside(plan, s->x, n, &close));
    if (m > 0)
        TRY(exact_inside(plan, s->y, m, &close));
    TRY(exact_room(&s->q, n * plan->pair.strengths));
    if (plan->pair.kind->gradient)
        TRY(exact_room(&s->potential, targets));
    TRY(exact_room(&s->field, 3 * targets));
    if (plan->pair.kind->gradient && exact_kind_find(plan->pair.name))
        TRY(exact_room(&s->values, EXACT_VIRIAL * targets));
    s->n = n;
    s->m = m;
    return FARSUM_OK;
}

void exact_bytes(const struct farsum_plan *plan, double *held, double *more)
{
    const farsum_problem *p = &plan->problem;
    double n = (double)p->n_sources, m = (double)p->n_targets, slots = 16;
    double targets = m > 0 ? m : n, each = 3;
    if (plan->pair.kind->gradient)
        each += exact_kind_find(plan->pair.name) ? 1 + EXACT_VIRIAL : 1;
    while (slots < 2 * n)
        slots *= 2;
    *held = 8 * (n * (3 + plan->pair.strengths) + 3 * m + targets * each);
    *more = p->exclude_coincident ? 0 : 8 * (3 * n + slots);
    *held += (double)sizeof *plan + 4096; /* headers */
}

/* C times the sums into row r of the caller's arrays. */
static void exact_out(struct farsum_plan *plan, const struct exact *s, int r,
                      const struct exact_sums *sums, farsum_result *result)
{
    int64_t targets = s->m > 0 ? s->m : s->n;
    double c = plan_constant(plan);
    farsum_precision type = plan->problem.arrays;
    struct scale value = scale_of(plan_exponent(plan));
    struct scale field = scale_of(plan_exponent_field(plan));
    struct scale energy = scale_of(plan_exponent_energy(plan));
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

/* The largest of the sums is in the range of what it goes to. */
static farsum_status exact_range(const struct farsum_plan *plan,
                                 const double *v, int64_t n, int exponent,
                                 farsum_precision type, const char *what)
{
    if (!v)
        return FARSUM_OK;
    double most = plan_units_largest(v, FARSUM_F64, n, plan->threads);
    return plan_units_range(plan, fabs(plan_constant(plan)) * most, exponent,
                            type, what);
}

static farsum_status exact_ranges(const struct farsum_plan *plan,
                                  const struct exact *s,
                                  const struct exact_sums *sums)
{
    int64_t targets = s->m > 0 ? s->m : s->n;
    farsum_precision type = plan->problem.arrays;
    int value = plan_exponent(plan), energy = plan_exponent_energy(plan);
    TRY(exact_range(plan, sums->potential, targets, value, type, "potential"));
    TRY(exact_range(plan, sums->field, 3 * targets, plan_exponent_field(plan),
                    type, "field"));
    TRY(exact_range(plan, sums->velocity, 3 * targets, value, type,
                    "velocity"));
    TRY(exact_range(plan, sums->energy, 1, energy, FARSUM_F64, "energy"));
    return exact_range(plan, sums->virial, 9, energy, FARSUM_F64, "virial");
}

static void exact_net(struct farsum_plan *plan, const struct exact *s)
{
    const struct exact_kind *kind = exact_kind_find(plan->pair.name);
    double net = 0, square = 0;
    for (int64_t i = 0; i < s->n; i++) {
        net += kind ? 0 : s->q[i];
        square += plan->pair.kind->square(s->q + i * plan->pair.strengths);
    }
    plan->info.net_strength = kind ? kind->net(s->n, s->q) : net;
    plan->net_size = sqrt((double)s->n * square);
}

/* Right-hand side r inside; its sums. */
static farsum_status exact_sum(struct farsum_plan *plan, struct exact *s, int r,
                               const void *q, const struct exact_sums *sums)
{
    int width = plan->pair.strengths;
    int64_t each = s->n * width;
    double most[2];
    const double *per = plan->units.per;
    plan_units_most(q, plan->problem.arrays, r * each, each, width, most);
    plan_units_strength(plan, most);
    for (int64_t i = 0; i < each; i++)
        s->q[i] = array_get(q, plan->problem.arrays, r * each + i)
                  * per[width > 3 ? i % width / 3 : 0];
    TRY(s->sum(plan, s, sums));
    TRY(exact_exclude(plan, s, sums));
    return exact_ranges(plan, s, sums);
}

farsum_status exact_execute(struct farsum_plan *plan, int rhs, const void *q,
                            farsum_result *result)
{
    struct exact *s = plan->state;
    double start = clock_seconds();
    for (int r = 0; r < rhs; r++) {
        double energy = 0, virial[9] = {0};
        TRY(progress_step(r, rhs, "summing"));
        const struct exact_sums sums = {
            .potential = result->potential ? s->potential : NULL,
            .field = result->field ? s->field : NULL,
            .energy = result->energy ? &energy : NULL,
            .virial = result->virial ? virial : NULL,
            .velocity = result->velocity ? s->field : NULL,
        };
        TRY(exact_sum(plan, s, r, q, &sums));
        exact_out(plan, s, r, &sums, result);
        exact_net(plan, s);
    }
    plan->info.stages[0].seconds = clock_seconds() - start;
    return FARSUM_OK;
}

int exact_wants(const struct exact_kind *kind, const struct exact_sums *sums)
{
    return exact_width(kind, sums->field != NULL, sums->virial != NULL);
}

double *exact_room_of(const struct exact *s, const struct exact_sums *sums)
{
    return s->values ? s->values : sums->velocity;
}

void exact_spread(const struct exact *s, int width,
                  const struct exact_sums *sums)
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

void exact_clear(struct exact *s)
{
    mem_free(s->x);
    mem_free(s->y);
    mem_free(s->q);
    mem_free(s->potential);
    mem_free(s->field);
    mem_free(s->values);
}

void exact_stage(struct farsum_plan *plan, const char *name, const char *reason)
{
    plan->info.n_stages = 1;
    plan->info.stages[0] = (farsum_stage_info){name, name, reason, 0, 1};
}
