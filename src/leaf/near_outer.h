/* SPDX-License-Identifier: Apache-2.0 */
/* near_outer.h: pairs that f32 is enough for: in f64 those beyond some
 * distance, by polynomials OUTER_0 ... OUTER_3 of OUTER coefficients that hold
 * the singular part as well (stage/near/near_outer.h).
 *
 * It includes leaf/near.h. */
#ifndef FARSUM_LEAF_NEAR_OUTER_H
#define FARSUM_LEAF_NEAR_OUTER_H

/* 0: there are none. */
#ifndef OUTER
#define OUTER 0
#endif
#include "leaf/near.h"

#define HAS_PAIR32 (REAL_BITS == 32 || OUTER)

#if OUTER
#ifndef OUTER_0
#define OUTER_0 0
#endif
#ifndef OUTER_1
#define OUTER_1 0
#endif
#ifndef OUTER_2
#define OUTER_2 0
#endif
#ifndef OUTER_3
#define OUTER_3 0
#endif
CONSTANT f32 outer_0[OUTER] = {OUTER_0};
CONSTANT f32 outer_1[OUTER] = {OUTER_1};
CONSTANT f32 outer_2[OUTER] = {OUTER_2};
CONSTANT f32 outer_3[OUTER] = {OUTER_3};

FN f32 outer_poly(CONSTANT_PTR f32 *c, f32 w)
{
    f32 s = c[OUTER - 1];
    UNROLL
    for (i32 k = OUTER - 2; k >= 0; k--)
        s = s * w + c[k];
    return s;
}

#undef PAIR_OWN
#undef PAIR_REAL
#undef PAIR_POLY
#define PAIR_OWN(name) outer_##name
#define PAIR_REAL f32
#define PAIR_POLY(t, k, w) outer_poly(outer_##k, w)
#include "leaf/pair.h"
#endif

#if REAL_BITS == 32
#define PAIR32(name) PAIR_CAT(pair_, PAIR, name)
#else
#define PAIR32(name) PAIR_CAT(outer_, PAIR, name)
#endif

/* What f32 sums of some tens of pairs. */
struct near_sums32 {
    f32 value[VALUES], field[3], virial[6];
};

FN void near_clear32(struct near_sums32 *sum)
{
    UNROLL
    for (i32 c = 0; c < VALUES; c++)
        sum->value[c] = 0;
    UNROLL
    for (i32 c = 0; c < 3; c++)
        sum->field[c] = 0;
    UNROLL
    for (i32 c = 0; c < 6; c++)
        sum->virial[c] = 0;
}

FN void near_add32(const struct near_sums32 *some, struct near_sums *sum)
{
    UNROLL
    for (i32 c = 0; c < VALUES; c++)
        sum->SUMS(value)[c] += (sum_t)some->value[c];
    UNROLL
    for (i32 c = 0; c < 3; c++)
        sum->SUMS(field)[c] += (sum_t)some->field[c];
    UNROLL
    for (i32 c = 0; c < 6; c++)
        sum->SUMS(virial)[c] += (sum_t)some->virial[c];
}

#if HAS_PAIR32
/* One pair in f32, inner <= d2 < 1; scale and shift: from d2 to what the
 * polynomials OUTER_k are in. */
FN void near_pair32(const f32 d[3], f32 d2, const f32 *q, f32 scale, f32 shift,
                    struct near_sums32 *sum)
{
    f32 u = 2 * d2;
#if OUTER
    f32 y = 0, v = d2 * scale + shift;
#else
    f32 y = RSQRT32(d2), v = u - 1;
#endif
#if POT
    PAIR32()(0, d, y, u, v, q, sum->value);
#endif
#if FIELD
    f32 s = q[0] * PAIR32(_slope)(0, y, u, v);
    UNROLL
    for (i32 k = 0; k < 3; k++)
        sum->field[k] += s * d[k];
#if VIRIAL
    sum->virial[0] += s * d[0] * d[0];
    sum->virial[1] += s * d[0] * d[1];
    sum->virial[2] += s * d[0] * d[2];
    sum->virial[3] += s * d[1] * d[1];
    sum->virial[4] += s * d[1] * d[2];
    sum->virial[5] += s * d[2] * d[2];
#endif
#endif
}
#endif
#endif
