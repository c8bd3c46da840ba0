/* SPDX-License-Identifier: Apache-2.0 */
/* error_shared.h: internal functions of the error model. */
#ifndef FARSUM_TUNE_ERROR_SHARED_H
#define FARSUM_TUNE_ERROR_SHARED_H

#include "tune/error.h"

/* Sets kernel, bandwidth and nodes of a band; start = 1, everything else 0. */
void band_begin(struct band *band, double c, const struct pair *pair);
/* tune/split_error_table.c: works as band_set for a prolate split of bandwidth
 * c, from tables.  Returns 0 if this kernel or c has no table. */
int band_table(struct band *band, double c, const struct pair *pair);
/* Means over directions at each node of the band: of the sum of beta_m^2; of mu
 * times its mean m; of the sum of beta_m^2 m^2; of |beta_1 + beta_-1|. */
struct alias_means {
    double square[BAND_NODES], mean[BAND_NODES], far[BAND_NODES];
    double near[BAND_NODES], ends[BAND_NODES];
};
/* Sets the means for mesh points `spacing` apart.  Beyond theta = 2 pi the
 * values at 2 pi are used. */
void alias_means(const struct alias *alias, const struct band *band,
                 double spacing, struct alias_means *to);
/* F of (6.11), which replaces k^-2 of (6.5) for the cell's modes, and its
 * integral over the band. */
double band_fall(double k, double lowest);
double band_fall_whole(const struct band *band, double lowest);
#endif
