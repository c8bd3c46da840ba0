/* SPDX-License-Identifier: Apache-2.0 */
/* simd.h: the SIMD types and functions of *_kern.c files, on GCC's vector
 * extensions.
 *
 * real is the precision for which the file is compiled, vreal a vector of W of
 * them.  Arithmetic on vectors is written with operators; the build allows
 * contraction to FMA.  Comparisons of vectors give a vmask, all ones where
 * true. */
#ifndef FARSUM_BASE_SIMD_H
#define FARSUM_BASE_SIMD_H

#include "base/isa.h"

#include <math.h>
#include <string.h>

#define SIMD_STR2(x) #x
#define SIMD_STR(x) SIMD_STR2(x)

#if FARSUM_HAVE_X86
#include <immintrin.h>
#endif

#if defined(__AVX512F__)
#define SIMD_BYTES 64
#elif defined(__AVX2__)
#define SIMD_BYTES 32
#else
#define SIMD_BYTES 16
#endif

#if FARSUM_BITS == 64
typedef double real;
typedef int64_t simd_int;
#else
typedef float real;
typedef int32_t simd_int;
#endif
#define R(x) ((real)(x))
#define W (SIMD_BYTES / (int)sizeof(real))

typedef real vreal __attribute__((vector_size(SIMD_BYTES)));
typedef simd_int vmask __attribute__((vector_size(SIMD_BYTES)));
typedef real vreal_u
    __attribute__((vector_size(SIMD_BYTES), aligned(sizeof(real)), may_alias));

#define SIMD_FN static inline __attribute__((always_inline))

SIMD_FN vreal v_set(real x)
{
    return x - (vreal){0};
}
/* p need not be aligned */
SIMD_FN vreal v_load(const real *p)
{
    return *(const vreal_u *)p;
}
SIMD_FN void v_store(real *p, vreal x)
{
    *(vreal_u *)p = x;
}
/* x where the mask is set, else 0. */
SIMD_FN vreal v_where(vmask m, vreal x)
{
    return (vreal)(m & (vmask)x);
}
SIMD_FN vreal v_select(vmask m, vreal x, vreal y)
{
    return (vreal)((m & (vmask)x) | (~m & (vmask)y));
}
SIMD_FN real v_sum(vreal x)
{
    real s = 0;
    for (int i = 0; i < W; i++)
        s += x[i];
    return s;
}
SIMD_FN int v_any(vmask m)
{
#if FARSUM_HAVE_X86 && defined(__AVX512F__)
    return _mm512_test_epi64_mask((__m512i)m, (__m512i)m) != 0;
#elif FARSUM_HAVE_X86 && defined(__AVX2__)
    return !_mm256_testz_si256((__m256i)m, (__m256i)m);
#elif FARSUM_HAVE_X86
    return _mm_movemask_epi8((__m128i)m) != 0;
#else
    simd_int any = 0;
    for (int i = 0; i < W; i++)
        any |= m[i];
    return any != 0;
#endif
}

/* Returns about 11 bits of 1/sqrt(x), x > 0 within float's range; all bits on
 * machines without such an instruction. */
SIMD_FN vreal v_rsqrt_seed(vreal x)
{
#if FARSUM_HAVE_X86 && defined(__AVX512F__) && FARSUM_BITS == 64
    return (vreal)_mm512_rsqrt14_pd((__m512d)x);
#elif FARSUM_HAVE_X86 && defined(__AVX512F__)
    return (vreal)_mm512_rsqrt14_ps((__m512)x);
#elif FARSUM_HAVE_X86 && defined(__AVX2__) && FARSUM_BITS == 64
    return (vreal)_mm256_cvtps_pd(_mm_rsqrt_ps(_mm256_cvtpd_ps((__m256d)x)));
#elif FARSUM_HAVE_X86 && defined(__AVX2__)
    return (vreal)_mm256_rsqrt_ps((__m256)x);
#elif FARSUM_HAVE_X86 && FARSUM_BITS == 64
    return (vreal)_mm_cvtps_pd(_mm_rsqrt_ps(_mm_cvtpd_ps((__m128d)x)));
#elif FARSUM_HAVE_X86
    return (vreal)_mm_rsqrt_ps((__m128)x);
#else
    vreal y;
    for (int i = 0; i < W; i++)
        y[i] = 1 / (real)sqrt((double)x[i]);
    return y;
#endif
}

/* Returns 1/sqrt(x) to rounding.  Let h = 1 - x y^2.  In f64 a third-order step
 * y (1 + h/2 + 3 h^2/8) gives about 34 bits.  A Newton step y (1 + h/2) gives
 * the rest.  In f32 one Newton step is enough. */
SIMD_FN vreal v_rsqrt(vreal x)
{
    vreal y = v_rsqrt_seed(x);
    vreal h = R(1) - x * y * y;
#if FARSUM_BITS == 64
    y = y + y * (h * (R(0.375) * h + R(0.5)));
    h = R(1) - x * y * y;
#endif
    return y + y * (R(0.5) * h);
}

/* SHUFFLE(x, y, i, ...): the lanes i, ... of x and y, counted through both.
 * GCC has Clang's function from version 12 on. */
#if defined(__clang__) || __GNUC__ >= 12
#define SHUFFLE __builtin_shufflevector
#else
#define SHUFFLE(x, y, ...)                                                     \
    __builtin_shuffle(                                                         \
        x, y, (simd_int __attribute__((vector_size(sizeof(x))))){__VA_ARGS__})
#endif
#endif
