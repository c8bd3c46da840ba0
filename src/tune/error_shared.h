/* SPDX-License-Identifier: Apache-2.0 */
/* error_shared.h: what the files of the error model share. */
#ifndef FARSUM_TUNE_ERROR_SHARED_H
#define FARSUM_TUNE_ERROR_SHARED_H

#include "tune/error.h"

/* Kernel, bandwidth and nodes of a band; all else 0, start 1. */
void band_begin(struct band *band, double c, const struct pair *pair);
/* tune/split_error_table.c: as band_set of a prolate split of bandwidth c, from
 * tables.  0: there are none, of this kernel or c. */
int band_table(struct band *band, double c, const struct pair *pair);
/* Means over directions at each node of the band: of the sum of beta_m^2, of mu
 * times its mean m, of the sum of beta_m^2 m^2, of |beta_1 + beta_-1|. */
struct alias_means {
    double square[BAND_NODES], mean[BAND_NODES], far[BAND_NODES];
    double near[BAND_NODES];
};
/* For mesh points `spacing` apart; beyond theta = 2 pi as there. */
void alias_means(const struct alias *alias, const struct band *band,
                 double spacing, struct alias_means *to);
/* k_0 of (6.11). */
double error_lowest(const struct cell *cell);
/* k^-2 of (6.5) as a cell's modes have it, and its integral over the band. */
double band_fall(double k, double lowest);
double band_fall_whole(const struct band *band, double lowest);
#endif
