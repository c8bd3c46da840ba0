/* SPDX-License-Identifier: Apache-2.0 */
/* gpu_rotation_hybrid: gpu_rotation where a group's teams always have
 * different sources of the same 32 targets (Lengvenis et al.: hybrid,
 * target-centric): columns meet in group memory.  gpu_rotation does so where
 * that is faster. */
#include "stage/m2l/rotation/gpu_rotation_make.h"

static const struct rotation_form form = {
    .lanes = 32, .teams = 8, .share = 0.95};

ROTATION_ROW(gpu_rotation_hybrid, 1)
