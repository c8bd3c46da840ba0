/* SPDX-License-Identifier: Apache-2.0 */
/* gpu_stream_forms.c: the variants of gpu_stream.c, one line each. */
#include "stage/spread/stream/gpu_stream.h"

/* One warp per column of mesh points; sums in registers slide along x over
 * particles sorted by their first plane. No atomics, no zeroing; each mesh
 * point is written once. Our algorithm. Wins from about ten thousand
 * particles, at all densities. Deterministic. */
STREAM_VARIANT(gpu_stream, 0, 0, "a device");

/* gpu_stream with its products, four particles at a time, on FP64 tensor
 * cores. Our algorithm. Wins over gpu_stream in f64 for supports that fill 8
 * or 16 slots and for several channels. NVIDIA, from sm_80 on.
 * Deterministic. */
STREAM_VARIANT(gpu_stream_mma, 1, 0, "FP64 tensor cores");

/* gpu_stream with lists of one entry per particle, by its first mesh point;
 * a warp walks those that may reach its column. The lists need only a sort
 * of the particles, not of all their visits; one visit in seven is in vain.
 * Our algorithm. Wins over gpu_stream where positions change with every sum.
 * Deterministic. */
STREAM_VARIANT(gpu_walk, 0, 1, "a device");

/* gpu_walk with its products, four particles at a time, on FP64 tensor
 * cores. Our algorithm. Wins over gpu_stream_mma where positions change with
 * every sum. NVIDIA, from sm_80 on. Deterministic. */
STREAM_VARIANT(gpu_walk_mma, 1, 1, "FP64 tensor cores");
