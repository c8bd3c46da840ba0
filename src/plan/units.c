/* SPDX-License-Identifier: Apache-2.0 */
/* units.c: the units that a plan sums in.  Inside, the longest edge of the
 * cell, or the extent of open points, is 1 to 2; so are the largest strength
 * and C.  All units are powers of two: nothing is rounded on the way in or out,
 * and the same problem in other units is summed by the same numbers. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/par.h"
#include "base/arrays.h"
#include "task/method.h"

/* Of a value (a potential, a velocity) of the sum that info tells of. */
int plan_exponent(const struct farsum_plan *plan)
{
    const struct units *u = &plan->units;
    return u->constant + u->strength - plan->pair.kind->power * u->length;
}

int plan_exponent_field(const struct farsum_plan *plan)
{
    return plan_exponent(plan) - plan->units.length;
}

int plan_exponent_energy(const struct farsum_plan *plan)
{
    return plan_exponent(plan) + plan->units.strength;
}

/* Of what an absolute tolerance is of: forces, or a flow's velocities. */
static int exponent_absolute(const struct farsum_plan *plan)
{
    if (!plan->pair.kind->gradient)
        return plan_exponent(plan);
    return plan_exponent_field(plan) + plan->units.strength;
}

static double within(double v)
{
    return fmin(v, 1e300); /* what is larger is as good as infinite */
}

/* The caller's lengths and numbers in the units that are set. */
static void units_inside(struct farsum_plan *plan)
{
    const farsum_problem *given = &plan->given;
    farsum_problem *p = &plan->problem;
    int k = plan->units.length;
    for (int i = 0; i < 9; i++)
        p->cell[i] = ldexp(given->cell[i], -k);
    p->kappa = within(ldexp(given->kappa, k));
    p->softening = within(ldexp(given->softening, -k));
    plan->pair.kappa = p->kappa;
    p->coulomb = ldexp(fabs(given->coulomb), -plan->units.constant);
    plan->options.cutoff = within(ldexp(plan->given_cutoff, -k));
    plan->options.skin = within(ldexp(plan->given_skin, -k));
    plan_units_tolerance(plan);
}

void plan_units_tolerance(struct farsum_plan *plan)
{
    double tolerance = plan->given.tolerance / plan->finer;
    plan->problem.tolerance = tolerance;
    if (plan->problem.error != FARSUM_ERROR_ABSOLUTE)
        return;
    /* 0 would be no tolerance at all */
    plan->problem.tolerance =
        fmax(within(ldexp(tolerance, -exponent_absolute(plan))), 1e-300);
}

void extent_points(struct extent *e, const double *x, int64_t n, int threads)
{
    for (int d = 0; d < 3; d++) {
        double low = e->low[d], high = e->high[d];
        PAR_FOR(threads, schedule(static) reduction(min : low)
                reduction(max : high))
        for (int64_t i = 0; i < n; i++) {
            low = fmin(low, x[3 * i + d]);
            high = fmax(high, x[3 * i + d]);
        }
        e->low[d] = fmin(e->low[d], low);
        e->high[d] = fmax(e->high[d], high);
    }
}

/* What holds n points. */
static void units_extent(const void *x, farsum_precision type, int64_t n,
                         struct extent *e)
{
    for (int64_t i = 0; i < 3 * n; i++)
        extent_add(e, (int)(i % 3), array_get(x, type, i));
}

int plan_units_of(const struct extent *e)
{
    double size = 0, most = 0;
    for (int d = 0; d < 3; d++) {
        size = fmax(size, e->high[d] / 2 - e->low[d] / 2);
        most = fmax(most, fmax(fabs(e->high[d]), fabs(e->low[d])));
    }
    if (size > 0)
        return scale_exponent(size) + (scale_exponent(size) < SCALE_MOST);
    return scale_exponent(most);
}

/* The strengths of the sample in units of their own, f64. */
static farsum_status units_sample(struct farsum_plan *plan)
{
    const farsum_problem *given = &plan->given;
    int width = plan->pair.strengths;
    int64_t n = given->n_sources * width;
    double *q = NULL, most[2];
    if (!given->sample_q)
        return FARSUM_OK;
    TRY(MEM_RAW(q, n));
    plan->sample_q = q;
    for (int64_t i = 0; i < n; i++) {
        q[i] = array_get(given->sample_q, given->arrays, i);
        if (!isfinite(q[i]))
            FAIL(ERR_STRENGTH, "strength %lld is %g", (long long)(i / width),
                 q[i]);
    }
    plan_units_most(q, FARSUM_F64, 0, n, width, most);
    plan_units_strength(plan, most);
    plan->units.sample = plan->units.strength;
    for (int64_t i = 0; i < n; i++)
        q[i] = ldexp(q[i], -plan->units.part[i % width / 3]);
    plan->problem.sample_q = q;
    return FARSUM_OK;
}

farsum_status plan_units_begin(struct farsum_plan *plan)
{
    const farsum_problem *given = &plan->given;
    struct units *u = &plan->units;
    struct extent e = EXTENT_NONE;
    double most = 0;
    for (int i = 0; i < 9 && given->periodic[0]; i++)
        most = fmax(most, fabs(given->cell[i]));
    u->length = scale_exponent(most);
    if (!given->periodic[0] && given->sample_x) {
        units_extent(given->sample_x, given->arrays, given->n_sources, &e);
        u->length = plan_units_of(&e);
        u->placed = 1;
    }
    u->constant = scale_exponent(fabs(given->coulomb));
    u->per[0] = u->per[1] = 1;
    TRY(units_sample(plan));
    units_inside(plan);
    return FARSUM_OK;
}

void plan_units_points(struct farsum_plan *plan, const struct extent *e)
{
    enum { NEAR_ENOUGH = 4 }; /* what is made for the unit is kept */
    int length = plan_units_of(e);
    if (plan->units.placed && abs(length - plan->units.length) <= NEAR_ENOUGH)
        return;
    plan->units.placed = 1;
    plan->units.length = length;
    units_inside(plan);
}

farsum_status plan_units_cell(const struct farsum_plan *plan,
                              const double cell[9], double inside[9])
{
    enum { LARGER = 64 };
    double most = 0;
    for (int i = 0; i < 9; i++) {
        inside[i] = ldexp(cell[i], -plan->units.length);
        most = fmax(most, fabs(cell[i]));
    }
    int more = scale_exponent(most) - plan->units.length;
    if (most > 0 && isfinite(most) && abs(more) > LARGER)
        FAIL(ERR_CELL, "cell: its longest edge is %.3g times that which the "
                       "plan was made for: make a new plan",
             ldexp(1, more));
    return FARSUM_OK;
}

void plan_units_most(const void *q, farsum_precision type, int64_t first,
                     int64_t n, int width, double most[2])
{
    most[0] = most[1] = 0;
    if (width <= 3) {
        for (int64_t i = first; i < first + n; i++)
            most[0] = fmax(most[0], fabs(array_get(q, type, i)));
        return;
    }
    for (int64_t i = 0; i < n; i++) {
        double *of = &most[i % width / 3];
        *of = fmax(*of, fabs(array_get(q, type, first + i)));
    }
}

void plan_units_strength(struct farsum_plan *plan, const double most[2])
{
    struct units *u = &plan->units;
    u->strength = 0;
    for (int k = 0; k < 2; k++) {
        u->part[k] = scale_exponent(most[k]);
        u->per[k] = ldexp(1, -u->part[k]);
        u->strength += u->part[k];
    }
    plan_units_tolerance(plan);
}

void plan_units_again(struct farsum_plan *plan)
{
    plan->units.strength = plan->units.sample;
    plan_units_tolerance(plan);
}

static double scaled(double v, int e)
{
    return scale_by(scale_of(e), v);
}

void plan_units_info(const struct farsum_plan *plan, farsum_plan_info *info)
{
    const struct units *u = &plan->units;
    int absolute = plan->problem.error == FARSUM_ERROR_ABSOLUTE;
    int norm = plan->problem.error == FARSUM_ERROR_FORCE
                   ? plan_exponent_field(plan) + u->strength
                   : plan_exponent(plan);
    info->cutoff = scaled(info->cutoff, u->length);
    info->skin = scaled(info->skin, u->length);
    info->net_strength = scaled(info->net_strength, u->strength);
    if (!absolute)
        info->norm = scaled(info->norm, norm);
    info->estimated_error = plan_error(plan, plan_estimate(plan));
    info->estimated_energy_error = plan_estimate_energy(plan, 0);
    info->estimated_virial_error = plan_estimate_energy(plan, 1);
    info->lists_made -= plan->lists_before[0];
    info->lists_kept -= plan->lists_before[1];
    info->checked_error = plan->checked < 0
                              ? -1
                              : plan->checked * plan->given.tolerance;
    info->bound = plan_error(plan, info->bound);
}

double plan_error(const struct farsum_plan *plan, double error)
{
    if (plan->problem.error != FARSUM_ERROR_ABSOLUTE)
        return error;
    return scaled(error, exponent_absolute(plan));
}

double plan_bound(const struct farsum_plan *plan, double error, double norm)
{
    if (plan->problem.error == FARSUM_ERROR_ABSOLUTE)
        return plan->problem.coulomb * error;
    if (error == 0)
        return 0;
    return error < norm ? error / (norm - error) : INFINITY;
}

double plan_length(const struct farsum_plan *plan, double length)
{
    return scaled(length, plan->units.length);
}

double plan_per(const struct farsum_plan *plan)
{
    return ldexp(1, -plan->units.length);
}

/* The largest of n numbers by size; of what is not finite, infinity.  By the
 * bits: the largest first, and what is not finite above all. */
double plan_units_largest(const void *v, farsum_precision type, int64_t n,
                          int threads)
{
    if (type == FARSUM_F32) {
        const uint32_t *bits = v;
        uint32_t most = 0;
        float found;
        PAR_FOR(threads, reduction(max : most))
        for (int64_t i = 0; i < n; i++) {
            uint32_t one = bits[i] & 0x7fffffffu;
            most = one > most ? one : most;
        }
        memcpy(&found, &most, sizeof found);
        return isfinite(found) ? (double)found : INFINITY;
    }
    const uint64_t *bits = v;
    uint64_t most = 0;
    double found;
    PAR_FOR(threads, reduction(max : most))
    for (int64_t i = 0; i < n; i++) {
        uint64_t one = bits[i] & 0x7fffffffffffffffu;
        most = one > most ? one : most;
    }
    memcpy(&found, &most, sizeof found);
    return isfinite(found) ? found : INFINITY;
}

/* Binary exponents that a sum may lose or win after its largest part is known:
 * by the background, by what cancels. */
enum { SURE = 60 };

int plan_units_sure(double largest, int exponent, farsum_precision type)
{
    if (largest == 0)
        return 1;
    if (!isfinite(largest))
        return 0;
    int e = ilogb(largest) + exponent;
    return type == FARSUM_F32 ? e > -126 + SURE && e < 127 - SURE
                              : e > -1022 + SURE && e < 1023 - SURE;
}

int plan_units_safe(struct farsum_plan *plan, int64_t n, int rhs,
                    const void *q)
{
    const farsum_problem *p = &plan->problem;
    int width = plan->pair.strengths, gradient = plan->pair.kind->gradient;
    int safe = 1;
    for (int r = 0; r < rhs && safe; r++) {
        double most[2];
        plan_units_most(q, p->arrays, r * n * width, n * width, width, most);
        plan_units_strength(plan, most);
        safe = plan_units_sure(1, plan_exponent(plan), p->arrays);
        if (gradient)
            safe &= plan_units_sure(1, plan_exponent_field(plan), p->arrays)
                    && plan_units_sure(1, plan_exponent_energy(plan),
                                       FARSUM_F64);
    }
    return safe;
}

farsum_status plan_units_range(const struct farsum_plan *plan, double largest,
                               int exponent, farsum_precision type,
                               const char *what)
{
    int f32 = type == FARSUM_F32;
    if (isnan(largest) || isinf(largest))
        FAIL(ERR_POSITION,
             "the %s is not finite: points lie too close together for sums in "
             "%s",
             what, plan->problem.precision == FARSUM_F32 ? "f32" : "f64");
    double v = scaled(largest, exponent);
    double most = f32 ? 0x1.fffffep127 : 0x1.fffffffffffffp1023;
    if (f32)
        v = (double)(float)v;
    if (largest == 0 || (v <= most && v >= (f32 ? 0x1p-126 : 0x1p-1022)))
        return FARSUM_OK;
    FAIL(ERR_STRENGTH,
         "the largest number of the %s is about 1e%+d, %s what %s holds "
         "(1e%+d to 1e%+d): take other units of lengths or strengths",
         what,
         (int)floor((ilogb(largest) + exponent + 0.5) * 0.301029995663981),
         v > most ? "above" : "below", f32 ? "f32" : "f64", f32 ? -37 : -307,
         f32 ? 38 : 308);
}
