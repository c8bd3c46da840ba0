/* SPDX-License-Identifier: Apache-2.0 */
/* gpu_rotation_tiled_target: gpu_rotation_tiled, target-centric: teams' sums
 * are combined in shared memory.  For comparison. */
#include "stage/m2l/papers/rotation_loops.h"

static const struct rotation_loops form = {
    .by_source = 0, .tiled = 1, .constant = 1};

LOOPS_ROW(gpu_rotation_tiled_target, 1)
