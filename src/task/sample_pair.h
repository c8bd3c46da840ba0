/* SPDX-License-Identifier: Apache-2.0 */
/* sample_pair.h: value and slope of one pair by the full kernel, without
 * cutoff. */
#ifndef FARSUM_TASK_SAMPLE_PAIR_H
#define FARSUM_TASK_SAMPLE_PAIR_H

#include "math/pair.h"

/* A kernel's row, for sample_pair_value. */
int sample_pair_row(const struct pair *pair);
/* v: the potential or velocity due to a source of strengths q, at d from it; r2
 * = d.d. */
void sample_pair_value(int row, double kappa, const double d[3], double r2,
                       const double *q, double v[PAIR_VALUES]);
/* (6.7): squared errors of field [0] and value [1] of a unit source at r, for a
 * flow over square().  Both positions are rounded to steps of 1, so each
 * coordinate of their difference is off by 1/sqrt(6). */
void sample_pair_steep(const struct pair *pair, double r, double square[2]);
#endif
