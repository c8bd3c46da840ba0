/* SPDX-License-Identifier: Apache-2.0 */
/* direct_bound.h: bound of the rounding error at every target of the open sum,
 * (10.45) of math.md. */
#ifndef FARSUM_REFERENCE_DIRECT_DIRECT_BOUND_H
#define FARSUM_REFERENCE_DIRECT_DIRECT_BOUND_H

#include "reference/reference.h"

/* Before points are set: sets info.bound for uniformly filled space.  Fails if
 * it exceeds the tolerance. */
farsum_status direct_strict_even(const struct task *task);
/* After a sum: sets the bound from the pairs that were summed. */
farsum_status direct_strict_sum(const struct task *task,
                                const struct reference *s);
#endif
