/* SPDX-License-Identifier: Apache-2.0 */
/* calibrate.h: measurement of the factors in cost/factors.h by running
 * plans. */
#ifndef FARSUM_PLAN_CALIBRATE_H
#define FARSUM_PLAN_CALIBRATE_H

#include "cost/factors.h"
#include "plan/plan.h"

/* Measures the factors, keeps them on disk, and returns them.  It takes about a
 * second, and on a device the compilation of the kernels.  All factors are 1 if
 * a sum cannot be made, if it does not fit in `memory_limit` bytes, or if the
 * device's queue records no times. */
void machine_measure(struct machine *machine, const struct machine_place *place,
                     uint64_t memory_limit);
/* Gets the cost factors for f64 and f32, if wanted: kept ones, or measured ones
 * if options.measure requests it.  If both are wanted, both are set or none:
 * measured times and predicted times cannot be compared. */
void machines_get(const struct farsum_plan *plan, int f64, int f32,
                  struct machine by[2]);
#endif
