/* SPDX-License-Identifier: Apache-2.0 */
/* gpu_rotation_untiled: gpu_rotation_tiled with columns in global memory.  For
 * comparison. */
#include "stage/m2l/papers/rotation_loops.h"

static const struct rotation_loops form = {
    .by_source = 1, .tiled = 0, .constant = 1};

LOOPS_ROW(gpu_rotation_untiled, 0)
