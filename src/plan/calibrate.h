/* SPDX-License-Identifier: Apache-2.0 */
/* calibrate.h: measures the factors of cost/factors.h by running plans. */
#ifndef FARSUM_PLAN_CALIBRATE_H
#define FARSUM_PLAN_CALIBRATE_H

#include "cost/factors.h"

/* Measures (about a second, and on a device its kernels' compilation), keeps,
 * and returns what it found: none, factors of 1, where a sum cannot be made in
 * `memory_limit` bytes, or at all, or a device's queue keeps no times. */
void machine_measure(struct machine *machine, const struct machine_place *place,
                     uint64_t memory_limit);
#endif
