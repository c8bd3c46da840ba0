/* SPDX-License-Identifier: Apache-2.0 */
/* gpu_rotation_bare: gpu_rotation_tiled with columns and swaps in global
 * memory.  For comparison: it shows the gain of tiles and constants. */
#include "stage/m2l/papers/rotation_loops.h"

static const struct rotation_loops form = {
    .by_source = 1, .tiled = 0, .constant = 0};

LOOPS_ROW(gpu_rotation_bare, 0)
