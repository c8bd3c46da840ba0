/* SPDX-License-Identifier: Apache-2.0 */
/* units.h: the units in which a task is summed: powers of two times the
 * caller's.  In these units the longest edge of the cell, or the extent of open
 * points, is 1 to 2; so are the largest strength and C. */
#ifndef FARSUM_TASK_UNITS_H
#define FARSUM_TASK_UNITS_H

#include "task/task.h"

/* Sets the units of problem, options and pair.  In open space they are at first
 * those of the sample. */
farsum_status units_begin(struct task *task);

/* The bounding box of points, in the caller's units. */
struct extent {
    double low[3], high[3];
};
#define EXTENT_NONE                                                            \
    {                                                                          \
        {INFINITY, INFINITY, INFINITY},                                        \
        {                                                                      \
            -INFINITY, -INFINITY, -INFINITY                                    \
        }                                                                      \
    }
static inline void extent_add(struct extent *e, int axis, double v)
{
    e->low[axis] = v < e->low[axis] ? v : e->low[axis];
    e->high[axis] = v > e->high[axis] ? v : e->high[axis];
}
void extent_points(struct extent *e, const double *x, int64_t n, int threads);

/* The exponent of the length unit for this extent. */
int units_of(const struct extent *extent);
/* Points in open space: sets the task's unit to that of the extent, unless the
 * two are close. */
void units_points(struct task *task, const struct extent *extent);
/* Converts a cell to the task's units.  Fails if its size requires other units
 * than the plan has. */
farsum_status units_cell(const struct task *task, const double cell[9],
                         double inside[9]);
/* Number c of a source's strengths has the unit of this part: charge, dipole,
 * quadrupole; or a stresslet's strength and normal. */
static inline int units_part(const struct pair *pair, int c)
{
    return pair->kind->moments ? (c > 0) + (c > 3) : c / 3;
}
/* The largest magnitude of each part of n sources' strengths, from number
 * `first` of q on.  units_strength makes them the units of a sum. */
void units_most(const struct pair *pair, const void *q, farsum_precision type,
                int64_t first, int64_t n, double most[UNITS_PARTS]);
void units_strength(struct task *task, const double most[UNITS_PARTS]);
/* Restores the units of the sample's strengths, which apply when points and
 * cells are checked. */
void units_again(struct task *task);
/* Converts an absolute tolerance, which depends on all units. */
void units_tolerance(struct task *task);

/* Conversions from the task's units to the caller's: exponents of two, and
 * numbers. */
int task_exponent(const struct task *task); /* potential, velocity */
int task_exponent_field(const struct task *task);
int task_exponent_gradient(const struct task *task);
int task_exponent_third(const struct task *task);
int task_exponent_energy(const struct task *task); /* energy, virial */
double task_error(const struct task *task, double error);
double task_length(const struct task *task, double length);
/* The factor from the caller's coordinates to the task's. */
double task_per(const struct task *task);
/* The bound that options.strict guarantees, in the tolerance's norm, from an
 * error that no target exceeds; both with C = 1.  norm is that of the results,
 * which may be off by the error. */
double task_bound(const struct task *task, double error, double norm);

/* Checks results before they are returned: the largest magnitude; infinite if
 * one is not finite. */
double units_largest(const void *v, farsum_precision type, int64_t n,
                     int threads);
/* 1: with this largest part, all results are in the range of their type. */
int units_sure(double largest, int exponent, farsum_precision type);
/* 1: the results of rhs sets of strengths are in range for any points. */
int units_safe(struct task *task, int64_t n, int rhs, const void *q);
/* Fails if the largest is not in the range of its type. */
farsum_status units_range(const struct task *task, double largest, int exponent,
                          farsum_precision type, const char *what);
#endif
