/* SPDX-License-Identifier: Apache-2.0 */
/* model.h: work of the parts of a sum, and the minimum time that it takes. */
#ifndef FARSUM_PLAN_MODEL_H
#define FARSUM_PLAN_MODEL_H

#include "farsum/model.h"
#include "cost/measured_rates.h"
#include "stage/stage.h"

/* The counted operations in flop-equivalents. */
double model_flops(const struct model_rates *rates, const struct count *count);
/* The longest of the times that arithmetic, bytes, atomic sums and launches
 * would each take; *bound: its name. inside: bytes used repeatedly; sum:
 * seconds of an atomic sum. */
double model_seconds(const struct model_rates *rates, const struct work *work,
                     double inside, double sum, const char **bound);

/* Sorting n positions: 24 bytes each, keys and indices. */
void model_ops_points(double n, int on_device, struct work *work);
#endif
