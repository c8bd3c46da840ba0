/* SPDX-License-Identifier: Apache-2.0 */
/* gpu_walk: gpu_stream over lists of one entry a particle, by its first mesh
 * point; a warp walks those that may reach its column.  The lists are a sort of
 * the particles, not of all their visits, and one visit in seven is in vain.
 * Ours.  Wins over gpu_stream where positions change with every sum.
 * Deterministic. */
#include "stage/spread/stream/gpu_stream.h"

STREAM_VARIANT(gpu_walk, 0, 1, "device");
