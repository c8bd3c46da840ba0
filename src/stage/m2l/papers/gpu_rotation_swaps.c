/* SPDX-License-Identifier: Apache-2.0 */
/* gpu_rotation_swaps: gpu_rotation_tiled with swaps in global memory.  For
 * comparison. */
#include "stage/m2l/papers/rotation_loops.h"

static const struct rotation_loops form = {
    .by_source = 1, .tiled = 1, .constant = 0};

LOOPS_ROW(gpu_rotation_swaps, 0)
