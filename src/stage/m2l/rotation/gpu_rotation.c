/* SPDX-License-Identifier: Apache-2.0 */
/* gpu_rotation: fast rotation (Lengvenis et al., IPDPS 2025), one thread per
 * pair of boxes; the threads of a team have adjacent boxes and one vector at a
 * time.  Swaps and translations along z are generated code: their numbers are
 * parts of instructions, and columns are in registers.  Each target belongs to
 * one thread block, so that no sum is atomic.  Any vector costs the same and
 * needs only 5p numbers. */
#include "stage/m2l/rotation/gpu_rotation_make.h"

static const struct rotation_form form = {.lanes = 32, .share = 1};

ROTATION_ROW(gpu_rotation, 1)
