/* SPDX-License-Identifier: Apache-2.0 */
/* gpu_rotation_hybrid: gpu_rotation in which a thread block's teams always have
 * different sources of the same 32 targets (Lengvenis et al.: hybrid,
 * target-centric); columns are combined in shared memory.  gpu_rotation does
 * this where it is faster.  For comparison. */
#include "stage/m2l/rotation/gpu_rotation_make.h"

static const struct rotation_form form = {
    .lanes = 32, .teams = 8, .share = 0.95};

ROTATION_ROW(gpu_rotation_hybrid, 1)
