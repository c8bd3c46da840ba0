/* SPDX-License-Identifier: Apache-2.0 */
/* pair_zero.h: the mode k = 0 of a kernel's far part. */
#ifndef FARSUM_MATH_PAIR_ZERO_H
#define FARSUM_MATH_PAIR_ZERO_H

#include "math/pair.h"

/* Returns hat(0)/front, for yukawa without the term 1/kappa^2, (9.24); for 1/r
 * the limit (5.5).  Returns 0 if the mode k = 0 does not contribute. */
double pair_zero(const struct pair *pair, const struct split *split);
#endif
