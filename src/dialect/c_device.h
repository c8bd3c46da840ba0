/* SPDX-License-Identifier: Apache-2.0 */
/* c_device.h: common code of the CUDA and HIP dialects. */
#ifndef FARSUM_DIALECT_C_DEVICE_H
#define FARSUM_DIALECT_C_DEVICE_H

typedef signed char i8;
typedef unsigned char u8;
typedef unsigned short u16;
typedef int i32;
typedef unsigned int u32;
typedef long long i64;
typedef unsigned long long u64;
typedef float f32;
typedef double f64;
#define HAS_SUBGROUP 1

#define FN static __device__ __forceinline__
#define KERNEL(n) extern "C" __global__ void __launch_bounds__(n)
#if DIALECT_CUDA /* HIP's second number has another meaning */
#define KERNEL_BLOCKS(n, m) extern "C" __global__ void __launch_bounds__(n, m)
#else
#define KERNEL_BLOCKS(n, m) KERNEL(n)
#endif
#define GLOBAL
#define LOCAL __shared__
#define LOCAL_PTR
#define CONSTANT static __device__ __constant__ const
#define CONSTANT_PTR const
#define CONSTANT_TABLE __device__ __constant__
#define RESTRICT __restrict__
#define ARENA_PARAM
#define ARENA(name)                                                            \
    extern __shared__ __align__(16) unsigned char dialect_arena[];             \
    unsigned char *name = dialect_arena
#define LID ((i32)threadIdx.x)
#define LSIZE ((i32)blockDim.x)
#define GID ((i64)blockIdx.x)
#define NGROUPS ((i64)gridDim.x)
#define BARRIER() __syncthreads()
#define UNROLL _Pragma("unroll")
#define UNROLL_NOT _Pragma("unroll 1")

#define RSQRT32(x) rsqrtf(x)
#define F32_OF_BITS(v) __int_as_float(v)
#define BITS_OF_F32(v) __float_as_int(v)

#if REAL_BITS == 64
typedef double real;
#define SQRT(x) sqrt(x)
#define RSQRT(x) rsqrt(x)
#define EXP(x) exp(x)
#define ERFC(x) erfc(x)
#define SIN(x) sin(x)
#define COS(x) cos(x)
#define FMA(a, b, c) fma(a, b, c)
#define FLOOR(x) floor(x)
#define CEIL(x) ceil(x)
#define RMIN(a, b) fmin(a, b)
#define RMAX(a, b) fmax(a, b)
#else
typedef float real;
#define SQRT(x) sqrtf(x)
#define RSQRT(x) rsqrtf(x)
#define EXP(x) expf(x)
#define ERFC(x) erfcf(x)
#define SIN(x) sinf(x)
#define COS(x) cosf(x)
#define FMA(a, b, c) fmaf(a, b, c)
#define FLOOR(x) floorf(x)
#define CEIL(x) ceilf(x)
#define RMIN(a, b) fminf(a, b)
#define RMAX(a, b) fmaxf(a, b)
#endif
#define R(x) ((real)(x))
typedef struct __align__(2 * sizeof(real)) {
    real x, y;
} real2;
typedef struct __align__(16) {
    real x, y, z, w;
} real4;
typedef struct __align__(16) {
    f32 x, y, z, w;
} f32x4;

FN i32 atomic_add_i32(i32 *p, i32 v)
{
    return atomicAdd(p, v);
}
FN i64 atomic_add_i64(i64 *p, i64 v)
{
    return (i64)atomicAdd((u64 *)p, (u64)v);
}
FN i32 atomic_add_local_i32(i32 *p, i32 v)
{
    return atomicAdd(p, v);
}
FN i32 atomic_max_i32(i32 *p, i32 v)
{
    return atomicMax(p, v);
}
FN void atomic_add_real(real *p, real v)
{
    atomicAdd(p, v);
}
FN void atomic_add_local_real(real *p, real v)
{
    atomicAdd(p, v);
}
/* The same by compare and swap, as on hardware without the instruction. */
FN void atomic_cas_add_real(real *p, real v)
{
#if REAL_BITS == 64
    u64 *w = (u64 *)p;
    u64 old = *w, seen;
    do {
        seen = old;
        old = atomicCAS(w, seen,
                        (u64)__double_as_longlong(
                            v + __longlong_as_double((i64)seen)));
    } while (old != seen);
#else
    u32 *w = (u32 *)p;
    u32 old = *w, seen;
    do {
        seen = old;
        old = atomicCAS(w, seen, __float_as_uint(v + __uint_as_float(seen)));
    } while (old != seen);
#endif
}
#endif
