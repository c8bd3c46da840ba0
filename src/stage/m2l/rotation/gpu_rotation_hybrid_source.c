/* SPDX-License-Identifier: Apache-2.0 */
/* gpu_rotation_hybrid_source: gpu_rotation in which a thread block's teams have
 * different targets of the same 32 sources (Lengvenis et al.: hybrid,
 * source-centric, the form measured in their paper).  Columns are read once for
 * all teams; sums are atomic.  For comparison. */
#include "stage/m2l/rotation/gpu_rotation_make.h"

static const struct rotation_form form = {
    .lanes = 32, .teams = 8, .by_source = 1, .share = 0.95};

ROTATION_ROW(gpu_rotation_hybrid_source, 0)
