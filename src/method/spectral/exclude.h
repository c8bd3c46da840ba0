/* SPDX-License-Identifier: Apache-2.0 */
/* exclude.h: subtraction of excluded pairs from a sum. */
#ifndef FARSUM_METHOD_SPECTRAL_EXCLUDE_H
#define FARSUM_METHOD_SPECTRAL_EXCLUDE_H

#include "method/spectral/spectral.h"

/* Same layout as struct bare_cell of math/pair_bare.kh. */
struct exclude_cell {
    double a[9], sure, skip;
};
/* Returns the reduced cell in units of the cutoff. */
struct exclude_cell exclude_cell(const struct task *task,
                                 const struct cell *cell);
/* Subtracts excluded pairs from the values, the field and the sums of one
 * right-hand side. */
void spectral_exclude(const struct task *task, struct spectral *s,
                      const farsum_result *result, struct spectral_sums *sums);
#endif
