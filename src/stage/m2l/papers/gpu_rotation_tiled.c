/* SPDX-License-Identifier: Apache-2.0 */
/* gpu_rotation_tiled: fast rotation as measured by Lengvenis et al. (IPDPS
 * 2025): hybrid, source-centric, loops over columns in shared memory, two
 * expansions per thread in global memory, swaps in constant memory.  For
 * comparison with gpu_rotation. */
#include "stage/m2l/papers/rotation_loops.h"

static const struct rotation_loops form = {
    .by_source = 1, .tiled = 1, .constant = 1};

LOOPS_ROW(gpu_rotation_tiled, 0)
