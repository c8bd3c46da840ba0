/* SPDX-License-Identifier: Apache-2.0 */
/* cuda.h: the dialect for CUDA, compiled by NVRTC. */
#ifndef FARSUM_DIALECT_CUDA_H
#define FARSUM_DIALECT_CUDA_H

#define DIALECT_CUDA 1
#define DIALECT_HIP 0
#define DIALECT_OPENCL 0
#define SG_SIZE 32
#define SG_ALL 0xffffffffu
#define sg_shuffle(v, lane) __shfl_sync(SG_ALL, v, lane)
#define sg_shuffle_xor(v, mask) __shfl_xor_sync(SG_ALL, v, mask)
#define sg_shuffle_down(v, by, width) __shfl_down_sync(SG_ALL, v, by, width)
#define sg_any(v) __any_sync(SG_ALL, v)
#define sg_ballot(v) ((u64)__ballot_sync(SG_ALL, v))
#define SG_BARRIER() __syncwarp()
#define POPCOUNT32(v) __popc(v)
#define POPCOUNT64(v) __popcll(v)
#include "dialect/c_device.h"

#if REAL_BITS == 64
#define RSQRT_NORMAL(x) RSQRT(x)
#else
FN float RSQRT_NORMAL(float x)
{
    float y;
    asm("rsqrt.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
    return y;
}
#endif
#endif
