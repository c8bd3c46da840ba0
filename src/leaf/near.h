/* near.h: the functions of leaf/pair.h for a device: the polynomials are tables
 * NEAR_0 ... NEAR_3 of TERMS_0 ... TERMS_3 coefficients, known with the plan. */
#ifndef FARSUM_LEAF_NEAR_H
#define FARSUM_LEAF_NEAR_H

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

#define PAIR_REAL real
#define PAIR_TABLE i32
#define PAIR_POLY(t, k, v) near_poly(near_##k, TERMS_##k, v)
#include "leaf/pair.h"
#endif
