/* SPDX-License-Identifier: Apache-2.0 */
/* gpu_rotation_operator: gpu_rotation with one vector per thread block, for
 * adjacent boxes (Lengvenis et al.: operator-centric).  Boxes are read and
 * written contiguously, each as often as there are vectors; sums are atomic.
 * For comparison. */
#include "stage/m2l/rotation/gpu_rotation_make.h"

static const struct rotation_form form = {
    .lanes = 64, .teams = 1, .by_operator = 1, .share = 0.6};

ROTATION_ROW(gpu_rotation_operator, 0)
