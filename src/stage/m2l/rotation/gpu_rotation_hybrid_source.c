/* SPDX-License-Identifier: Apache-2.0 */
/* gpu_rotation_hybrid_source: gpu_rotation where a group's teams have
 * different targets of the same 32 sources (Lengvenis et al.: hybrid,
 * source-centric, which is what their paper measures): columns are read once
 * for all, sums are atomic. */
#include "stage/m2l/rotation/gpu_rotation_make.h"

static const struct rotation_form form = {
    .lanes = 32, .teams = 8, .by_source = 1, .share = 0.95};

ROTATION_ROW(gpu_rotation_hybrid_source, 0)
