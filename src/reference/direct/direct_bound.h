/* SPDX-License-Identifier: Apache-2.0 */
/* direct_bound.h: what rounding does not exceed at any target of the open sum,
 * (10.45) of math.md. */
#ifndef FARSUM_REFERENCE_DIRECT_DIRECT_BOUND_H
#define FARSUM_REFERENCE_DIRECT_DIRECT_BOUND_H

#include "reference/reference.h"

/* Before points are there: info.bound of evenly filled space; fails where that
 * is above the tolerance. */
farsum_status direct_strict_even(struct farsum_plan *plan);
/* After a sum: of the pairs that were summed. */
farsum_status direct_strict_sum(struct farsum_plan *plan,
                                const struct exact *s);
#endif
