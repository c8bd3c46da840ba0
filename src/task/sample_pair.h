/* SPDX-License-Identifier: Apache-2.0 */
/* sample_pair.h: what a near pair of a sample leaves, nothing cut. */
#ifndef FARSUM_TASK_SAMPLE_PAIR_H
#define FARSUM_TASK_SAMPLE_PAIR_H

#include "math/pair.h"

/* v: the potential, or velocity, that a source of strengths q leaves at d from
 * it, d.d = r2. */
void sample_pair_value(const struct pair *pair, const double d[3], double r2,
                       const double *q, double v[PAIR_VALUES]);
/* (6.7): squares of what field [0] and value [1] of a unit source at r, of a
 * flow over square(), are off by if both positions are rounded to steps of 1:
 * each coordinate of their difference by 1/sqrt(6). */
void sample_pair_steep(const struct pair *pair, double r, double square[2]);
#endif
