/* SPDX-License-Identifier: Apache-2.0 */
/* rotation_loops_forms.c: the variants of rotation_loops.c, one line each. */
#include "stage/m2l/papers/rotation_loops.h"

/* Fast rotation as measured by Lengvenis et al. (IPDPS 2025): hybrid,
 * source-centric, loops over columns in shared memory, two expansions per
 * thread in global memory, swaps in constant memory. For comparison with
 * gpu_rotation. */
LOOPS_ROW(gpu_rotation_tiled, 0, .by_source = 1, .tiled = 1, .constant = 1)

/* gpu_rotation_tiled, target-centric: teams' sums are combined in shared
 * memory. For comparison. */
LOOPS_ROW(gpu_rotation_tiled_target, 1, .by_source = 0, .tiled = 1,
          .constant = 1)

/* gpu_rotation_tiled with columns in global memory. For comparison. */
LOOPS_ROW(gpu_rotation_untiled, 0, .by_source = 1, .tiled = 0, .constant = 1)

/* gpu_rotation_tiled with swaps in global memory. For comparison. */
LOOPS_ROW(gpu_rotation_swaps, 0, .by_source = 1, .tiled = 1, .constant = 0)

/* gpu_rotation_tiled with columns and swaps in global memory. For
 * comparison: it shows the gain of tiles and constants. */
LOOPS_ROW(gpu_rotation_bare, 0, .by_source = 1, .tiled = 0, .constant = 0)

/* gpu_rotation_bare, target-centric: only the hybrid access and the order of
 * boxes, the starting point of Lengvenis et al. For comparison. */
LOOPS_ROW(gpu_rotation_bare_target, 1, .by_source = 0, .tiled = 0,
          .constant = 0)
