/* gpu_rotation: fast rotation (Lengvenis et al., IPDPS 2025), each pair of boxes
 * by a thread of its own, the threads of a team side by side with one vector at
 * a time.  Swaps and shifts along z are text: their numbers are parts of
 * instructions, columns are registers.  A thread keeps its target, so that
 * nothing is added by two; where boxes are few, teams share targets and meet in
 * group memory.  Any vector costs the same and needs 5p numbers. */
#include "stage/m2l/gpu_rotation_make.h"

static const struct rotation_form form = {.lanes = 32, .share = 0.3};

ROTATION_ROW(gpu_rotation, 1)
