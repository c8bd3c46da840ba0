/* SPDX-License-Identifier: Apache-2.0 */
/* pairs_kern.h: common code of the host_cluster *_kern.c files. */
#ifndef FARSUM_STAGE_NEAR_HOST_CLUSTER_PAIRS_KERN_H
#define FARSUM_STAGE_NEAR_HOST_CLUSTER_PAIRS_KERN_H

#include "base/simd.h"
#include "stage/near/host_cluster/host_cluster.h"

#define G (W < CLUSTER_GROUP ? W : CLUSTER_GROUP)
#define PART(output) cluster_parts(output)
/* Sums of a point that are kept while its list is summed: the field x, y, z,
 * the potential and the gradient. */
#define SUMS(output) ((output) == CLUSTER_ALL ? CLUSTER_PARTS : 4)

/* Coordinates: see host_cluster.h. */
#if FARSUM_BITS == 64
typedef double coord;
typedef vreal vcoord;
SIMD_FN coord coord_of(double x)
{
    return x;
}
SIMD_FN double coord_round(double x)
{
    return x;
}
SIMD_FN vreal v_real(vcoord x)
{
    return x;
}
/* x from its coordinate, given a nearby point. */
SIMD_FN double coord_near(coord x, double near)
{
    (void)near;
    return x;
}
#else
typedef uint32_t coord;
typedef coord vcoord __attribute__((vector_size(SIMD_BYTES)));
SIMD_FN coord coord_of(double x)
{
    return (uint32_t)(uint64_t)llrint(x);
}
SIMD_FN double coord_round(double x)
{
    return nearbyint(x);
}
SIMD_FN vreal v_real(vcoord x)
{
    return __builtin_convertvector((vmask)x, vreal);
}
SIMD_FN double coord_near(coord x, double near)
{
    return near + (double)(int32_t)(x - coord_of(near));
}
#endif
typedef coord vcoord_u
    __attribute__((vector_size(SIMD_BYTES), aligned(sizeof(coord)), may_alias));

SIMD_FN vcoord c_load(const coord *p)
{
    return *(const vcoord_u *)p;
}
SIMD_FN vcoord c_set(coord x)
{
    return x - (vcoord){0};
}

/* A cluster's x, y, z and strengths in the set's array. */
SIMD_FN coord *cluster_x(const struct cluster_set *set, int64_t cluster)
{
    return (coord *)set->x + cluster * (set->rows * W);
}

/* The bits of the lanes of a mask. */
SIMD_FN unsigned v_bits(vmask m)
{
#if FARSUM_HAVE_X86 && defined(__AVX512F__) && FARSUM_BITS == 64
    return _mm512_movepi64_mask((__m512i)m);
#elif FARSUM_HAVE_X86 && defined(__AVX512F__)
    return _mm512_movepi32_mask((__m512i)m);
#elif FARSUM_HAVE_X86 && defined(__AVX2__) && FARSUM_BITS == 64
    return (unsigned)_mm256_movemask_pd((__m256d)m);
#elif FARSUM_HAVE_X86 && defined(__AVX2__)
    return (unsigned)_mm256_movemask_ps((__m256)m);
#elif FARSUM_HAVE_X86 && FARSUM_BITS == 64
    return (unsigned)_mm_movemask_pd((__m128d)m);
#elif FARSUM_HAVE_X86
    return (unsigned)_mm_movemask_ps((__m128)m);
#else
    unsigned bits = 0;
    for (int l = 0; l < W; l++)
        bits |= (unsigned)(m[l] & 1) << l;
    return bits;
#endif
}

SIMD_FN vreal v_min(vreal x, vreal y)
{
#if FARSUM_HAVE_X86 && defined(__AVX512F__) && FARSUM_BITS == 64
    return (vreal)_mm512_min_pd((__m512d)x, (__m512d)y);
#elif FARSUM_HAVE_X86 && defined(__AVX512F__)
    return (vreal)_mm512_min_ps((__m512)x, (__m512)y);
#elif FARSUM_HAVE_X86 && defined(__AVX2__) && FARSUM_BITS == 64
    return (vreal)_mm256_min_pd((__m256d)x, (__m256d)y);
#elif FARSUM_HAVE_X86 && defined(__AVX2__)
    return (vreal)_mm256_min_ps((__m256)x, (__m256)y);
#elif FARSUM_HAVE_X86 && FARSUM_BITS == 64
    return (vreal)_mm_min_pd((__m128d)x, (__m128d)y);
#elif FARSUM_HAVE_X86
    return (vreal)_mm_min_ps((__m128)x, (__m128)y);
#else
    return v_select(x < y, x, y);
#endif
}

/* Lane g of the first G: the smallest lane of x[g].  Each step compares the
 * halves of two vectors. */
SIMD_FN vreal v_least(const vreal x[])
{
#if SIMD_BYTES * 8 / FARSUM_BITS == 2
    return v_min(SHUFFLE(x[0], x[1], 0, 2), SHUFFLE(x[0], x[1], 1, 3));
#elif SIMD_BYTES * 8 / FARSUM_BITS == 4
    vreal a = v_min(SHUFFLE(x[0], x[1], 0, 4, 2, 6),
                    SHUFFLE(x[0], x[1], 1, 5, 3, 7));
    vreal b = v_min(SHUFFLE(x[2], x[3], 0, 4, 2, 6),
                    SHUFFLE(x[2], x[3], 1, 5, 3, 7));
    return v_min(SHUFFLE(a, b, 0, 1, 4, 5), SHUFFLE(a, b, 2, 3, 6, 7));
#elif SIMD_BYTES * 8 / FARSUM_BITS == 8
    vreal a = v_min(SHUFFLE(x[0], x[1], 0, 8, 2, 10, 4, 12, 6, 14),
                    SHUFFLE(x[0], x[1], 1, 9, 3, 11, 5, 13, 7, 15));
    vreal b = v_min(SHUFFLE(x[2], x[3], 0, 8, 2, 10, 4, 12, 6, 14),
                    SHUFFLE(x[2], x[3], 1, 9, 3, 11, 5, 13, 7, 15));
    vreal c = v_min(SHUFFLE(a, b, 0, 1, 8, 9, 4, 5, 12, 13),
                    SHUFFLE(a, b, 2, 3, 10, 11, 6, 7, 14, 15));
    return v_min(c, SHUFFLE(c, c, 4, 5, 6, 7, 0, 1, 2, 3));
#else
    vreal s[4];
    for (int g = 0; g < 4; g++)
        s[g] = v_min(x[g], SHUFFLE(x[g], x[g], 8, 9, 10, 11, 12, 13, 14, 15, 0,
                                   1, 2, 3, 4, 5, 6, 7));
    vreal a = v_min(SHUFFLE(s[0], s[1], 0, 16, 2, 18, 4, 20, 6, 22, 0, 16, 2,
                            18, 4, 20, 6, 22),
                    SHUFFLE(s[0], s[1], 1, 17, 3, 19, 5, 21, 7, 23, 1, 17, 3,
                            19, 5, 21, 7, 23));
    vreal b = v_min(SHUFFLE(s[2], s[3], 0, 16, 2, 18, 4, 20, 6, 22, 0, 16, 2,
                            18, 4, 20, 6, 22),
                    SHUFFLE(s[2], s[3], 1, 17, 3, 19, 5, 21, 7, 23, 1, 17, 3,
                            19, 5, 21, 7, 23));
    vreal c = v_min(SHUFFLE(a, b, 0, 1, 16, 17, 4, 5, 20, 21, 0, 1, 16, 17, 4,
                            5, 20, 21),
                    SHUFFLE(a, b, 2, 3, 18, 19, 6, 7, 22, 23, 2, 3, 18, 19, 6,
                            7, 22, 23));
    return v_min(c, SHUFFLE(c, c, 4, 5, 6, 7, 0, 1, 2, 3, 12, 13, 14, 15, 8, 9,
                            10, 11));
#endif
}
#endif
