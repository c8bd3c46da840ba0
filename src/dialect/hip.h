/* SPDX-License-Identifier: Apache-2.0 */
/* hip.h: the dialect for HIP, compiled by hipRTC. */
#ifndef FARSUM_DIALECT_HIP_H
#define FARSUM_DIALECT_HIP_H

#define DIALECT_CUDA 0
#define DIALECT_HIP 1
#define DIALECT_OPENCL 0
#define SG_SIZE __AMDGCN_WAVEFRONT_SIZE
#define sg_shuffle(v, lane) __shfl(v, lane)
#define sg_shuffle_xor(v, mask) __shfl_xor(v, mask)
#define sg_shuffle_down(v, by, width) __shfl_down(v, by, width)
#define sg_any(v) __any(v)
#define sg_ballot(v) ((u64)__ballot(v))
#define SG_BARRIER() __builtin_amdgcn_wave_barrier()
#define POPCOUNT32(v) __popc(v)
#define POPCOUNT64(v) __popcll(v)
#include "dialect/c_device.h"

#define RSQRT_NORMAL(x) RSQRT(x)
#endif
