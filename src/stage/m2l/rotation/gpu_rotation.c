/* SPDX-License-Identifier: Apache-2.0 */
/* gpu_rotation: fast rotation (Lengvenis et al., IPDPS 2025), each pair of
 * boxes by a thread of its own, the threads of a team side by side with one
 * vector at a time.  Swaps and shifts along z are text: their numbers are
 * parts of instructions, columns are registers.  Targets are kept, so that no
 * sum is atomic.  Any vector costs the same and needs 5p numbers. */
#include "stage/m2l/rotation/gpu_rotation_make.h"

static const struct rotation_form form = {.lanes = 32, .share = 1};

ROTATION_ROW(gpu_rotation, 1)
