/* SPDX-License-Identifier: Apache-2.0 */
/* opencl.h: the dialect for OpenCL C 1.2.  The back end defines REAL_BITS,
 * SG_SIZE and HAS_SUBGROUP. */
#ifndef FARSUM_DIALECT_OPENCL_H
#define FARSUM_DIALECT_OPENCL_H

#define DIALECT_CUDA 0
#define DIALECT_HIP 0
#define DIALECT_OPENCL 1
#ifdef FARSUM_OWN_WORDS
#include "dialect/opencl_words.h"
#endif
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable
typedef char i8;
typedef uchar u8;
typedef ushort u16;
typedef int i32;
typedef uint u32;
typedef long i64;
typedef ulong u64;
typedef float f32;
typedef double f64;
typedef float4 f32x4;
#define SG_SIZE 1
#define HAS_SUBGROUP 0

#define FN static inline
#define KERNEL(n) __kernel __attribute__((reqd_work_group_size(n, 1, 1))) void
#define KERNEL_BLOCKS(n, m) KERNEL(n)
#define GLOBAL __global
#define LOCAL __local
#define LOCAL_PTR __local
#define CONSTANT __constant
#define CONSTANT_PTR __constant
#define CONSTANT_TABLE __constant
#define RESTRICT restrict
/* a byte pointer would be aligned to one byte only */
#define ARENA_PARAM , __local ulong2 *dialect_arena
#define ARENA(name) __local uchar *name = (__local uchar *)dialect_arena
#define LID ((i32)get_local_id(0))
#define LSIZE ((i32)get_local_size(0))
#define GID ((i64)get_group_id(0))
#define NGROUPS ((i64)get_num_groups(0))
#define BARRIER() barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE)
#define UNROLL
#define UNROLL_NOT

#if REAL_BITS == 64
typedef double real;
typedef double2 real2;
typedef double4 real4;
#else
typedef float real;
typedef float2 real2;
typedef float4 real4;
#endif
#define SQRT(x) sqrt(x)
#define RSQRT(x) rsqrt(x)
#define RSQRT_NORMAL(x) rsqrt(x)
#define RSQRT32(x) rsqrt((f32)(x))
#define F32_OF_BITS(v) as_float((i32)(v))
#define BITS_OF_F32(v) as_int((f32)(v))
#define EXP(x) exp(x)
#define ERFC(x) erfc(x)
#define SIN(x) sin(x)
#define COS(x) cos(x)
#define FMA(a, b, c) fma(a, b, c)
#define FLOOR(x) floor(x)
#define CEIL(x) ceil(x)
#define RMIN(a, b) fmin(a, b)
#define RMAX(a, b) fmax(a, b)
#define R(x) ((real)(x))
#define POPCOUNT32(v) ((i32)popcount((u32)(v)))
#define POPCOUNT64(v) ((i32)popcount((u64)(v)))

FN i32 atomic_add_i32(__global i32 *p, i32 v)
{
    return atomic_add(p, v);
}
FN i64 atomic_add_i64(__global i64 *p, i64 v)
{
    return atom_add(p, v);
}
FN i32 atomic_add_local_i32(__local i32 *p, i32 v)
{
    return atomic_add(p, v);
}
FN i32 atomic_max_i32(__global i32 *p, i32 v)
{
    return atomic_max(p, v);
}
#define DIALECT_CAS(name, space, word, swap, as_word, as_real)                 \
    FN void name(space real *p, real v)                                        \
    {                                                                          \
        volatile space word *w = (volatile space word *)p;                     \
        word old = *w, seen;                                                   \
        do {                                                                   \
            seen = old;                                                        \
            old = swap(w, seen, as_word(v + as_real(seen)));                   \
        } while (old != seen);                                                 \
    }
#if REAL_BITS == 64
DIALECT_CAS(atomic_cas_add_real, __global, ulong, atom_cmpxchg, as_ulong,
            as_double)
DIALECT_CAS(atomic_add_local_real, __local, ulong, atom_cmpxchg, as_ulong,
            as_double)
#else
DIALECT_CAS(atomic_cas_add_real, __global, uint, atomic_cmpxchg, as_uint,
            as_float)
DIALECT_CAS(atomic_add_local_real, __local, uint, atomic_cmpxchg, as_uint,
            as_float)
#endif
#define atomic_add_real(p, v) atomic_cas_add_real(p, v)
#endif
