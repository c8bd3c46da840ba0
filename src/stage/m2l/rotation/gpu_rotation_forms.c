/* SPDX-License-Identifier: Apache-2.0 */
/* gpu_rotation_forms.c: the variants of gpu_rotation_make.c, one line each. */
#include "stage/m2l/rotation/gpu_rotation_make.h"

/* Fast rotation (Lengvenis et al., IPDPS 2025), one thread per pair of
 * boxes; the threads of a team have adjacent boxes and one vector at a time.
 * Swaps and translations along z are generated code: their numbers are parts
 * of instructions, and columns are in registers. Each target belongs to one
 * thread block, so that no sum is atomic. Any vector costs the same and
 * needs only 5p numbers. */
ROTATION_ROW(gpu_rotation, 1, .lanes = 32, .share = 1)

/* gpu_rotation in which the threads of a block are the sources of one target
 * (Lengvenis et al.: target-centric). A target is written once, but
 * neighbouring threads read far apart. For comparison. */
ROTATION_ROW(gpu_rotation_target, 1, .lanes = 1, .teams = 64, .share = 0.4)

/* gpu_rotation in which the threads of a block are the targets of one source
 * (Lengvenis et al.: source-centric). A source is read once; sums are
 * atomic. For comparison. */
ROTATION_ROW(gpu_rotation_source, 0, .lanes = 1, .teams = 64, .by_source = 1,
             .share = 0.3)

#if FARSUM_PAPERS
/* gpu_rotation with one vector per thread block, for adjacent boxes
 * (Lengvenis et al.: operator-centric). Boxes are read and written
 * contiguously, each as often as there are vectors; sums are atomic. For
 * comparison. */
ROTATION_ROW(gpu_rotation_operator, 0, .lanes = 64, .teams = 1,
             .by_operator = 1, .share = 0.6)
#endif

#if FARSUM_PAPERS
/* gpu_rotation in which a thread block's teams always have different sources
 * of the same 32 targets (Lengvenis et al.: hybrid, target-centric); columns
 * are combined in shared memory. gpu_rotation does this where it is faster.
 * For comparison. */
ROTATION_ROW(gpu_rotation_hybrid, 1, .lanes = 32, .teams = 8, .share = 0.95)
#endif

/* gpu_rotation in which a thread block's teams have different targets of the
 * same 32 sources (Lengvenis et al.: hybrid, source-centric, the form
 * measured in their paper). Columns are read once for all teams; sums are
 * atomic. For comparison. */
ROTATION_ROW(gpu_rotation_hybrid_source, 0, .lanes = 32, .teams = 8,
             .by_source = 1, .share = 0.95)
