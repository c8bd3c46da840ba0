/* SPDX-License-Identifier: Apache-2.0 */
/* model.h: what the parts of a sum do, and how long that must take. */
#ifndef FARSUM_PLAN_MODEL_H
#define FARSUM_PLAN_MODEL_H

#include "farsum/model.h"
#include "cost/measured_rates.h"
#include "stage/stage.h"

/* Flop-equivalents of what was counted. */
double model_flops(const struct model_rates *rates, const struct count *count);
/* The longest of what arithmetic, bytes, atomic sums and launches would take
 * alone; *bound: which.  inside: bytes that are in use at once; sum: seconds of
 * an atomic sum. */
double model_seconds(const struct model_rates *rates, const struct work *work,
                     double inside, double sum, const char **bound);

/* Sorting n positions: 24 bytes each, keys and indices. */
void model_ops_points(double n, int on_device, struct work *work);
#endif
