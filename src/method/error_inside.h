/* SPDX-License-Identifier: Apache-2.0 */
/* error_inside.h: what the files of the error model share. */
#ifndef FARSUM_METHOD_ERROR_INSIDE_H
#define FARSUM_METHOD_ERROR_INSIDE_H

#include "method/error.h"

/* Kernel, bandwidth and nodes of a band; all else 0, start 1. */
void band_begin(struct band *band, double c, const struct pair *pair);
/* band_table.c: as band_set of a prolate split of bandwidth c, from tables.  0:
 * there are none, of this kernel or c. */
int band_table(struct band *band, double c, const struct pair *pair);
/* beta_1 + beta_-1 at theta = k h; beyond pi as at pi. */
double alias_near(const struct alias *alias, double theta);
/* k_0 of (6.11). */
double error_lowest(const struct cell *cell);
/* k^-2 of (6.5) as a cell's modes have it, and its integral over the band. */
double band_fall(double k, double lowest);
double band_fall_whole(const struct band *band, double lowest);
#endif
