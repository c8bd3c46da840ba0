/* SPDX-License-Identifier: Apache-2.0 */
/* units.h: the units that a task is summed in, powers of two of the caller's.
 * Inside, the longest edge of the cell, or the extent of open points, is 1 to
 * 2; so are the largest strength and C. */
#ifndef FARSUM_TASK_UNITS_H
#define FARSUM_TASK_UNITS_H

#include "task/task.h"

/* The units of problem, options and pair; of open space first those of the
 * sample. */
farsum_status units_begin(struct task *task);

/* The box that holds points, in the caller's units. */
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

/* The unit's exponent. */
int units_of(const struct extent *extent);
/* Points in open space: their unit becomes the task's, unless it is near. */
void units_points(struct task *task, const struct extent *extent);
/* A cell inside; refuses one whose size is another plan's. */
farsum_status units_cell(const struct task *task, const double cell[9],
                         double inside[9]);
/* The largest of n numbers of strengths, `width` per source, of each vector;
 * units_strength makes them the units of a sum. */
void units_most(const void *q, farsum_precision type, int64_t first, int64_t n,
                int width, double most[2]);
void units_strength(struct task *task, const double most[2]);
/* The sample's strengths again, which points and cells are judged by. */
void units_again(struct task *task);
/* An absolute tolerance, which depends on all units. */
void units_tolerance(struct task *task);

/* From inside to the caller's: exponents of two, and numbers. */
int task_exponent(const struct task *task); /* of potential, velocity */
int task_exponent_field(const struct task *task);
int task_exponent_energy(const struct task *task); /* and of the virial */
double task_error(const struct task *task, double error);
double task_length(const struct task *task, double length);
/* A coordinate of the caller's times this is inside. */
double task_per(const struct task *task);
/* strict's bound in the tolerance's norm, of an error that no target exceeds;
 * both with C = 1.  norm is that of the results: it may be off by the error. */
double task_bound(const struct task *task, double error, double norm);

/* Results before they go out.  The largest by size; infinite if one is not
 * finite. */
double units_largest(const void *v, farsum_precision type, int64_t n,
                     int threads);
/* 1: with this largest part all results are in the range of their type. */
int units_sure(double largest, int exponent, farsum_precision type);
/* 1: those of rhs sets of strengths are in range, whatever their points. */
int units_safe(struct task *task, int64_t n, int rhs, const void *q);
/* Fails if the largest is not in the range of its type. */
farsum_status units_range(const struct task *task, double largest, int exponent,
                          farsum_precision type, const char *what);
#endif
