/* SPDX-License-Identifier: Apache-2.0 */
/* shape.h: the wanted shape of the ranks' parts. */
#ifndef FARSUM_PLAN_RANKS_SHAPE_H
#define FARSUM_PLAN_RANKS_SHAPE_H

#include "farsum/farsum.h"
#include "base/status.h"
#include "task/shape.h"

/* Checks the shape that a caller asks for, and completes it: if one number of
 * ranks is 0, it follows from the other one; if both are, slabs where nothing
 * else works, else {0, 0}. */
farsum_status ranks_shape_take(const struct ranks_shape *wanted,
                               const farsum_options *options, int ranks,
                               struct ranks_shape *shape);
#endif
