/* SPDX-License-Identifier: Apache-2.0 */
/* units.c: conversion to the units in which a plan sums.  In these units the
 * longest edge of the cell, or the extent of open points, is 1 to 2; so are the
 * largest strength and C.  All units are powers of two: conversion rounds
 * nothing, and a problem gives the same digits in any units. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/par.h"
#include "base/arrays.h"
#include "task/units.h"

/* Exponent of a value (a potential or velocity) of the last sum. */
int task_exponent(const struct task *task)
{
    const struct units *u = &task->units;
    return u->constant + u->strength - task->pair.kind->power * u->length;
}

int task_exponent_field(const struct task *task)
{
    return task_exponent(task) - task->units.length;
}

int task_exponent_gradient(const struct task *task)
{
    return task_exponent_field(task) - task->units.length;
}

int task_exponent_third(const struct task *task)
{
    return task_exponent_gradient(task) - task->units.length;
}

int task_exponent_energy(const struct task *task)
{
    return task_exponent(task) + task->units.strength;
}

/* Exponent of the quantity that an absolute tolerance limits: forces, or
 * velocities of a flow. */
static int exponent_absolute(const struct task *task)
{
    if (!task->pair.kind->gradient)
        return task_exponent(task);
    return task_exponent_field(task) + task->units.strength;
}

static double within(double v)
{
    return fmin(v, 1e300); /* a larger value is as good as infinite */
}

/* Converts the caller's lengths and numbers to the task's units. */
static void units_inside(struct task *task)
{
    const farsum_problem *given = &task->given;
    farsum_problem *p = &task->problem;
    int k = task->units.length;
    for (int i = 0; i < 9; i++)
        p->cell[i] = ldexp(given->cell[i], -k);
    p->kappa = within(ldexp(given->kappa, k));
    p->softening = within(ldexp(given->softening, -k));
    task->pair.kappa = p->kappa;
    p->coulomb = ldexp(fabs(given->coulomb), -task->units.constant);
    task->options.cutoff = within(ldexp(task->given_cutoff, -k));
    task->options.spectral.skin = within(ldexp(task->given_skin, -k));
    units_tolerance(task);
}

void units_tolerance(struct task *task)
{
    double tolerance = task->given.tolerance / task->finer;
    task->problem.tolerance = tolerance;
    if (task->problem.error != FARSUM_ERROR_ABSOLUTE)
        return;
    /* a tolerance of 0 would disable the check */
    task->problem.tolerance =
        fmax(within(ldexp(tolerance, -exponent_absolute(task))), 1e-300);
}

void extent_points(struct extent *e, const double *x, int64_t n, int threads)
{
    for (int d = 0; d < 3; d++) {
        double low = e->low[d], high = e->high[d];
        PAR_FOR(threads, schedule(static) reduction(min
                                                    : low) reduction(max
                                                                     : high))
        for (int64_t i = 0; i < n; i++) {
            low = fmin(low, x[3 * i + d]);
            high = fmax(high, x[3 * i + d]);
        }
        e->low[d] = fmin(e->low[d], low);
        e->high[d] = fmax(e->high[d], high);
    }
}

/* Extends e to n points. */
static void units_extent(const void *x, farsum_precision type, int64_t n,
                         struct extent *e)
{
    for (int64_t i = 0; i < 3 * n; i++)
        extent_add(e, (int)(i % 3), array_get(x, type, i));
}

int units_of(const struct extent *e)
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

/* Converts the sample's strengths to units of their own, in f64. */
static farsum_status units_sample(struct task *task)
{
    const farsum_problem *given = &task->given;
    int width = task->pair.strengths;
    int64_t n = given->n_sources * width;
    double *q = NULL, most[UNITS_PARTS];
    if (!given->sample_q)
        return FARSUM_OK;
    TRY(MEM_RAW(q, n));
    task->sample_q = q;
    for (int64_t i = 0; i < n; i++) {
        q[i] = array_get(given->sample_q, given->arrays, i);
        if (!isfinite(q[i]))
            FAIL(ERR_STRENGTH, "strength %lld is %g", (long long)(i / width),
                 q[i]);
    }
    units_most(&task->pair, q, FARSUM_F64, 0, given->n_sources, most);
    units_strength(task, most);
    task->units.sample = task->units.strength;
    for (int64_t i = 0; i < n; i++)
        q[i] = ldexp(
            q[i], -task->units.part[units_part(&task->pair, (int)(i % width))]);
    task->problem.sample_q = q;
    return FARSUM_OK;
}

farsum_status units_begin(struct task *task)
{
    const farsum_problem *given = &task->given;
    struct units *u = &task->units;
    struct extent e = EXTENT_NONE;
    double most = 0;
    for (int i = 0; i < 9; i++)
        most = fmax(most, given->periodic[i / 3] ? fabs(given->cell[i]) : 0);
    u->length = scale_exponent(most);
    if (cell_axes(given->periodic) == 0 && given->sample_x) {
        units_extent(given->sample_x, given->arrays, given->n_sources, &e);
        u->length = units_of(&e);
        u->placed = 1;
    }
    u->constant = scale_exponent(fabs(given->coulomb));
    u->per[0] = u->per[1] = 1;
    TRY(units_sample(task));
    units_inside(task);
    return FARSUM_OK;
}

void units_points(struct task *task, const struct extent *e)
{
    enum { NEAR_ENOUGH = 4 }; /* within 2^4: arrays made for the unit are
                                 kept */
    int length = units_of(e);
    if (task->units.placed && abs(length - task->units.length) <= NEAR_ENOUGH)
        return;
    task->units.placed = 1;
    task->units.length = length;
    units_inside(task);
}

farsum_status units_cell(const struct task *task, const double cell[9],
                         double inside[9])
{
    enum { LARGER = 64 };
    double most = 0;
    for (int i = 0; i < 9; i++) {
        inside[i] = ldexp(cell[i], -task->units.length);
        if (task->problem.periodic[i / 3])
            most = fmax(most, fabs(cell[i]));
    }
    int more = scale_exponent(most) - task->units.length;
    if (most > 0 && isfinite(most) && abs(more) > LARGER)
        FAIL(ERR_CELL,
             "cell: its longest edge is %.3g times that of the plan's first "
             "cell; make a new plan",
             ldexp(1, more));
    return FARSUM_OK;
}

void units_most(const struct pair *pair, const void *q, farsum_precision type,
                int64_t first, int64_t n, double most[UNITS_PARTS])
{
    int width = pair->strengths;
    for (int k = 0; k < UNITS_PARTS; k++)
        most[k] = 0;
    if (width <= 3) {
        for (int64_t i = first; i < first + n * width; i++)
            most[0] = fmax(most[0], fabs(array_get(q, type, i)));
        return;
    }
    for (int64_t i = 0; i < n * width; i++) {
        double *of = &most[units_part(pair, (int)(i % width))];
        *of = fmax(*of, fabs(array_get(q, type, first + i)));
    }
}

/* The unit of charge for which charges are below 2, dipoles below 2 units of
 * charge times length, and quadrupoles below 2 of charge times length^2.
 * moments: the highest of them; all their units are in the range of f64. */
static int units_charge(const struct units *u, int moments,
                        const double most[UNITS_PARTS])
{
    int length = u->length, unit = scale_exponent(most[0]);
    int any = most[0] > 0;
    for (int k = 1; k <= moments; k++) {
        int one = scale_exponent(most[k]) - k * length;
        if (most[k] > 0 && (!any || one > unit))
            unit = one, any = 1;
    }
    int high = SCALE_MOST - (length > 0 ? moments * length : 0);
    int low = -SCALE_MOST - (length < 0 ? moments * length : 0);
    return unit > high ? high : unit < low ? low : unit;
}

void units_strength(struct task *task, const double most[UNITS_PARTS])
{
    struct units *u = &task->units;
    int moments = task->pair.kind->moments;
    u->part[0] =
        moments ? units_charge(u, moments, most) : scale_exponent(most[0]);
    u->part[1] = moments ? u->part[0] + u->length : scale_exponent(most[1]);
    u->part[2] = moments > 1 ? u->part[1] + u->length : 0;
    u->strength = u->part[0] + (moments ? 0 : u->part[1]);
    for (int k = 0; k < UNITS_PARTS; k++)
        u->per[k] = ldexp(1, -u->part[k]);
    units_tolerance(task);
}

void units_again(struct task *task)
{
    task->units.strength = task->units.sample;
    units_tolerance(task);
}

static double scaled(double v, int e)
{
    return scale_by(scale_of(e), v);
}

double task_error(const struct task *task, double error)
{
    if (task->problem.error != FARSUM_ERROR_ABSOLUTE)
        return error;
    return scaled(error, exponent_absolute(task));
}

double task_bound(const struct task *task, double error, double norm)
{
    if (task->problem.error == FARSUM_ERROR_ABSOLUTE)
        return task->problem.coulomb * error;
    if (error == 0)
        return 0;
    return error < norm ? error / (norm - error) : INFINITY;
}

double task_length(const struct task *task, double length)
{
    return scaled(length, task->units.length);
}

double task_per(const struct task *task)
{
    return ldexp(1, -task->units.length);
}

/* The largest magnitude of n numbers; infinity if one is not finite.  Compares
 * bits: as integers, non-finite numbers are above all others. */
double units_largest(const void *v, farsum_precision type, int64_t n,
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

/* Binary exponents by which a sum may still change once its largest part is
 * known: by the background, by cancellation. */
enum { SURE = 60 };

int units_sure(double largest, int exponent, farsum_precision type)
{
    if (largest == 0)
        return 1;
    if (!isfinite(largest))
        return 0;
    int e = ilogb(largest) + exponent;
    return type == FARSUM_F32 ? e > -126 + SURE && e < 127 - SURE
                              : e > -1022 + SURE && e < 1023 - SURE;
}

int units_safe(struct task *task, int64_t n, int rhs, const void *q)
{
    const farsum_problem *p = &task->problem;
    int width = task->pair.strengths, gradient = task->pair.kind->gradient;
    int safe = 1;
    for (int r = 0; r < rhs && safe; r++) {
        double most[UNITS_PARTS];
        units_most(&task->pair, q, p->arrays, r * n * width, n, most);
        units_strength(task, most);
        safe = units_sure(1, task_exponent(task), p->arrays);
        if (gradient)
            safe &= units_sure(1, task_exponent_field(task), p->arrays)
                    && units_sure(1, task_exponent_energy(task), FARSUM_F64);
        if (task->pair.kind->moments)
            safe &= units_sure(1, task_exponent_gradient(task), p->arrays);
        if (task->pair.kind->moments > 1)
            safe &= units_sure(1, task_exponent_third(task), p->arrays);
    }
    return safe;
}

farsum_status units_range(const struct task *task, double largest, int exponent,
                          farsum_precision type, const char *what)
{
    int f32 = type == FARSUM_F32;
    if (isnan(largest) || isinf(largest))
        FAIL(ERR_POSITION,
             "the %s is not finite; points lie too close together for sums in "
             "%s",
             what, task->problem.precision == FARSUM_F32 ? "f32" : "f64");
    double v = scaled(largest, exponent);
    double most = f32 ? 0x1.fffffep127 : 0x1.fffffffffffffp1023;
    if (f32)
        v = (double)(float)v;
    if (largest == 0 || (v <= most && v >= (f32 ? 0x1p-126 : 0x1p-1022)))
        return FARSUM_OK;
    FAIL(ERR_STRENGTH,
         "the largest number of the %s is about 1e%+d, %s the range of %s "
         "(1e%+d to 1e%+d); choose other units of lengths or strengths",
         what,
         (int)floor((ilogb(largest) + exponent + 0.5) * 0.301029995663981),
         v > most ? "above" : "below", f32 ? "f32" : "f64", f32 ? -37 : -307,
         f32 ? 38 : 308);
}
