/* near.h: the functions of leaf/pair.h for a device: the polynomials are
 * tables NEAR_0 ... NEAR_3 of TERMS_0 ... TERMS_3 coefficients, known with the
 * plan. */
#ifndef FARSUM_LEAF_NEAR_H
#define FARSUM_LEAF_NEAR_H

/* What a kernel does not have. */
#ifndef TERMS_0
#define TERMS_0 1
#define NEAR_0 0
#endif
#ifndef SPLIT_0
#define SPLIT_0 TERMS_0
#endif
#ifndef TERMS_1
#define TERMS_1 1
#define NEAR_1 0
#endif
#ifndef SPLIT_1
#define SPLIT_1 TERMS_1
#endif
#ifndef TERMS_2
#define TERMS_2 1
#define NEAR_2 0
#endif
#ifndef SPLIT_2
#define SPLIT_2 TERMS_2
#endif
#ifndef TERMS_3
#define TERMS_3 1
#define NEAR_3 0
#endif
#ifndef SPLIT_3
#define SPLIT_3 TERMS_3
#endif
#ifndef STRENGTHS
#define STRENGTHS 1
#define VALUES 1
#endif

#ifndef NEAR_MIXED
#define NEAR_MIXED 0
#endif

CONSTANT real near_0[TERMS_0] = {NEAR_0};
CONSTANT real near_1[TERMS_1] = {NEAR_1};
CONSTANT real near_2[TERMS_2] = {NEAR_2};
CONSTANT real near_3[TERMS_3] = {NEAR_3};

FN real near_poly(CONSTANT_PTR real *c, i32 n, real v)
{
    real s = c[n - 1];
    UNROLL
    for (i32 k = n - 2; k >= 0; k--)
        s = FMA(s, v, c[k]);
    return s;
}

/* Of f64 the highest terms, from SPLIT on, in f32: they are so small that it
 * does not show. */
#if NEAR_MIXED && REAL_BITS == 64
CONSTANT f32 near_high_0[TERMS_0] = {NEAR_0};
CONSTANT f32 near_high_1[TERMS_1] = {NEAR_1};
CONSTANT f32 near_high_2[TERMS_2] = {NEAR_2};
CONSTANT f32 near_high_3[TERMS_3] = {NEAR_3};

FN real near_mixed(CONSTANT_PTR real *c, CONSTANT_PTR f32 *high, i32 split,
                   i32 n, real v)
{
    if (split >= n)
        return near_poly(c, n, v);
    f32 t = high[n - 1], w = (f32)v;
    UNROLL
    for (i32 k = n - 2; k >= split; k--)
        t = t * w + high[k];
    real s = (real)t;
    UNROLL
    for (i32 k = split - 1; k >= 0; k--)
        s = FMA(s, v, c[k]);
    return s;
}
#define PAIR_POLY(t, k, v)                                                     \
    near_mixed(near_##k, near_high_##k, SPLIT_##k, TERMS_##k, v)
#else
#define PAIR_POLY(t, k, v) near_poly(near_##k, TERMS_##k, v)
#endif

#define PAIR_REAL real
#define PAIR_TABLE i32
#include "leaf/pair.h"
#endif
