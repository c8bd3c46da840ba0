/* SPDX-License-Identifier: Apache-2.0 */
/* opencl_words.h: declarations of those OpenCL C functions that kernels use,
 * and VkFFT's (native_sin and native_cos without tables of roots).
 * They replace PoCL's own (device/opencl/opencl_devices.c).  A function that is
 * missing here does not compile. */
#ifndef FARSUM_DIALECT_OPENCL_WORDS_H
#define FARSUM_DIALECT_OPENCL_WORDS_H

#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#define as_float(x) __builtin_astype((x), float)
#define as_int(x) __builtin_astype((x), int)
#define as_uint(x) __builtin_astype((x), uint)
#define as_double(x) __builtin_astype((x), double)
#define as_ulong(x) __builtin_astype((x), ulong)

#define __ovld __attribute__((overloadable))
#define __conv __attribute__((convergent))
#define __cnfn __attribute__((const))

#define WORDS_1(name)                                                          \
    float __ovld __cnfn name(float);                                           \
    double __ovld __cnfn name(double);
#define WORDS_2(name)                                                          \
    float __ovld __cnfn name(float, float);                                    \
    double __ovld __cnfn name(double, double);
#define WORDS_3(name)                                                          \
    float __ovld __cnfn name(float, float, float);                             \
    double __ovld __cnfn name(double, double, double);
WORDS_1(sqrt)
WORDS_1(rsqrt)
WORDS_1(exp)
WORDS_1(erfc)
WORDS_1(sin)
WORDS_1(cos)
WORDS_1(sinpi)
WORDS_1(cospi)
WORDS_1(fabs)
WORDS_1(floor)
WORDS_1(ceil)
WORDS_2(fmin)
WORDS_2(fmax)
WORDS_3(fma)
float __ovld __cnfn native_sin(float);
float __ovld __cnfn native_cos(float);
int __ovld __cnfn ilogb(float);
int __ovld __cnfn ilogb(double);
float __ovld __cnfn ldexp(float, int);
double __ovld __cnfn ldexp(double, int);
uint __ovld __cnfn popcount(uint);
ulong __ovld __cnfn popcount(ulong);

size_t __ovld __cnfn get_global_id(uint);
size_t __ovld __cnfn get_global_size(uint);
size_t __ovld __cnfn get_group_id(uint);
size_t __ovld __cnfn get_num_groups(uint);
size_t __ovld __cnfn get_local_id(uint);
size_t __ovld __cnfn get_local_size(uint);
void __ovld __conv barrier(uint);

int __ovld atomic_add(volatile __global int *, int);
int __ovld atomic_add(volatile __local int *, int);
int __ovld atomic_max(volatile __global int *, int);
uint __ovld atomic_cmpxchg(volatile __global uint *, uint, uint);
uint __ovld atomic_cmpxchg(volatile __local uint *, uint, uint);
#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable
long __ovld atom_add(volatile __global long *, long);
ulong __ovld atom_cmpxchg(volatile __global ulong *, ulong, ulong);
ulong __ovld atom_cmpxchg(volatile __local ulong *, ulong, ulong);
#undef WORDS_1
#undef WORDS_2
#undef WORDS_3
#undef __cnfn
#undef __conv
#undef __ovld
#endif
