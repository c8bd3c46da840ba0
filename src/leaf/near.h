/* SPDX-License-Identifier: Apache-2.0 */
/* near.h: the functions of leaf/pair.h for a device: the polynomials are
 * tables NEAR_0 ... NEAR_3 of TERMS_0 ... TERMS_3 coefficients, known with the
 * plan. */
#ifndef FARSUM_LEAF_NEAR_H
#define FARSUM_LEAF_NEAR_H

#include "leaf/near_sums.h"

/* What a kernel does not have. */
#ifndef TERMS_0
#define TERMS_0 1
#define NEAR_0 0
#endif
#ifndef TERMS_1
#define TERMS_1 1
#define NEAR_1 0
#endif
#ifndef TERMS_2
#define TERMS_2 1
#define NEAR_2 0
#endif
#ifndef TERMS_3
#define TERMS_3 1
#define NEAR_3 0
#endif

/* A float is part of an instruction, a double is not. */
#if REAL_BITS == 64
#define NEAR_TABLE CONSTANT_TABLE
#else
#define NEAR_TABLE CONSTANT
#endif
NEAR_TABLE real near_0[TERMS_0] = {NEAR_0};
NEAR_TABLE real near_1[TERMS_1] = {NEAR_1};
NEAR_TABLE real near_2[TERMS_2] = {NEAR_2};
NEAR_TABLE real near_3[TERMS_3] = {NEAR_3};

FN real near_poly(CONSTANT_PTR real *c, i32 n, real v)
{
    real s = c[n - 1];
    UNROLL
    for (i32 k = n - 2; k >= 0; k--)
        s = FMA(s, v, c[k]);
    return s;
}

#define PAIR_POLY(t, k, v) near_poly(near_##k, TERMS_##k, v)
#define PAIR_REAL real
#define PAIR_TABLE i32
#include "leaf/pair.h"

/* What the polynomials are in: v = SPAN r^2 - 1. */
#ifndef SPAN
#define SPAN 2
#endif

/* One pair at d, d2 = r^2, q the strengths of its source; the rest as
 * leaf/pair.h has it. */
FN void near_pair(const real d[3], real y, real d2, const real *q, i32 virial,
                  struct near_sums *sum)
{
    real u = R(2) * d2, v = FMA(R(SPAN), d2, R(-1));
    (void)u; /* some kernels read one of them */
    (void)v;
#if POT
    PAIR_VALUE(0, d, y, u, v, q, sum->value);
#endif
#if FIELD
    near_slope(q[0] * PAIR_SLOPE(0, y, u, v), d, virial, sum);
#endif
}
#endif
