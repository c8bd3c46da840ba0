/* SPDX-License-Identifier: Apache-2.0 */
/* direct_bound.h: what rounding does not exceed at any target of the open sum,
 * (10.45) of math.md. */
#ifndef FARSUM_REFERENCE_DIRECT_DIRECT_BOUND_H
#define FARSUM_REFERENCE_DIRECT_DIRECT_BOUND_H

#include "reference/reference.h"

/* Before points are there: info.bound of evenly filled space; fails where that
 * is above the tolerance. */
farsum_status direct_strict_even(const struct task *task);
/* After a sum: of the pairs that were summed. */
farsum_status direct_strict_sum(const struct task *task, const struct exact *s);
#endif
