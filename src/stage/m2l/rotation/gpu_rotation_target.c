/* SPDX-License-Identifier: Apache-2.0 */
/* gpu_rotation_target: gpu_rotation in which the threads of a block are the
 * sources of one target (Lengvenis et al.: target-centric).  A target is
 * written once, but neighbouring threads read far apart.  For comparison. */
#include "stage/m2l/rotation/gpu_rotation_make.h"

static const struct rotation_form form = {
    .lanes = 1, .teams = 64, .share = 0.4};

ROTATION_ROW(gpu_rotation_target, 1)
