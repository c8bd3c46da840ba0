/* SPDX-License-Identifier: Apache-2.0 */
/* gpu_rotation_bare_target: gpu_rotation_bare, target-centric: only the hybrid
 * access and the order of boxes, the starting point of Lengvenis et al.  For
 * comparison. */
#include "stage/m2l/papers/rotation_loops.h"

static const struct rotation_loops form = {
    .by_source = 0, .tiled = 0, .constant = 0};

LOOPS_ROW(gpu_rotation_bare_target, 1)
