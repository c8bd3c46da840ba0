/* SPDX-License-Identifier: Apache-2.0 */
/* gpu_rotation_source: gpu_rotation in which the threads of a block are the
 * targets of one source (Lengvenis et al.: source-centric).  A source is read
 * once; sums are atomic.  For comparison. */
#include "stage/m2l/rotation/gpu_rotation_make.h"

static const struct rotation_form form = {
    .lanes = 1, .teams = 64, .by_source = 1, .share = 0.3};

ROTATION_ROW(gpu_rotation_source, 0)
