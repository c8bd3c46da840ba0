/* SPDX-License-Identifier: Apache-2.0 */
/* gpu_walk_mma: gpu_walk with its products, four particles at a time, on FP64
 * tensor cores.  Our algorithm.  Wins over gpu_stream_mma where positions
 * change with every sum.  NVIDIA, from sm_80 on.  Deterministic. */
#include "stage/spread/stream/gpu_stream.h"

STREAM_VARIANT(gpu_walk_mma, 1, 1, "FP64 tensor cores");
