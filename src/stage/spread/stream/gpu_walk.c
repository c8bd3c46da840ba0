/* SPDX-License-Identifier: Apache-2.0 */
/* gpu_walk: gpu_stream with lists of one entry per particle, by its first mesh
 * point; a warp walks those that may reach its column.  The lists need only a
 * sort of the particles, not of all their visits; one visit in seven is in
 * vain.  Our algorithm.  Wins over gpu_stream where positions change with every
 * sum.  Deterministic. */
#include "stage/spread/stream/gpu_stream.h"

STREAM_VARIANT(gpu_walk, 0, 1, "device");
