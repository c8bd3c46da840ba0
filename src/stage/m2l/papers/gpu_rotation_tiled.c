/* SPDX-License-Identifier: Apache-2.0 */
/* gpu_rotation_tiled: fast rotation as Lengvenis et al. (IPDPS 2025) measure
 * it: hybrid, source-centric, loops over columns in group memory, two
 * expansions of each thread in global memory, swaps in constant memory.  What
 * gpu_rotation is to be compared with. */
#include "stage/m2l/papers/rotation_loops.h"

static const struct rotation_loops form = {
    .by_source = 1, .tiled = 1, .constant = 1};

LOOPS_ROW(gpu_rotation_tiled, 0)
