/* SPDX-License-Identifier: Apache-2.0 */
/* gpu_stream: a warp a column of mesh points, sums in registers that slide
 * along x over particles sorted by their first plane; no atomics, no zeroing,
 * each mesh point written once.  Ours.  Wins from some ten thousand particles
 * up, at all densities.  Deterministic. */
#include "stage/spread/stream/gpu_stream.h"

STREAM_VARIANT(gpu_stream, 0, 0, "device");
