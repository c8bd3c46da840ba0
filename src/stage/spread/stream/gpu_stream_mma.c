/* SPDX-License-Identifier: Apache-2.0 */
/* gpu_stream_mma: gpu_stream with its products, four particles at a time, on
 * FP64 tensor cores.  Our algorithm.  Wins over gpu_stream in f64 for supports
 * that fill 8 or 16 slots and for several channels.  NVIDIA, from sm_80 on.
 * Deterministic. */
#include "stage/spread/stream/gpu_stream.h"

STREAM_VARIANT(gpu_stream_mma, 1, 0, "FP64 tensor cores");
