/* SPDX-License-Identifier: Apache-2.0 */
/* simd_math.h: functions of vectors. */
#ifndef FARSUM_BASE_SIMD_MATH_H
#define FARSUM_BASE_SIMD_MATH_H

#include "base/simd.h"

#if FARSUM_BITS == 64
/* cos and sin of 2 pi s: series for a quarter of the angle from its
 * nearest whole turn, then the angle is doubled twice. */
SIMD_FN void v_turn(vreal s, vreal *cosine, vreal *sine)
{
    static const real cc[] = {
        0x1p0,           -1.0 / 2,           1.0 / 24,
        -1.0 / 720,      1.0 / 40320,        -1.0 / 3628800,
        1.0 / 479001600, -1.0 / 87178291200, 1.0 / 20922789888000};
    static const real ss[] = {0x1p0,
                              -1.0 / 6,
                              1.0 / 120,
                              -1.0 / 5040,
                              1.0 / 362880,
                              -1.0 / 39916800,
                              1.0 / 6227020800,
                              -1.0 / 1307674368000,
                              1.0 / 355687428096000};
    const real whole = 0x1.8p52;
    s -= (s + whole) - whole;
    vreal x = s * (real)(M_PI / 2), z = x * x, c = v_set(cc[8]),
          n = v_set(ss[8]);
    for (int k = 7; k >= 0; k--) {
        c = c * z + cc[k];
        n = n * z + ss[k];
    }
    n *= x;
    for (int k = 0; k < 2; k++) {
        vreal up = R(1) - R(2) * n * n;
        n = R(2) * n * c;
        c = up;
    }
    *cosine = c;
    *sine = n;
}

#endif

/* e^x to rounding, x <= 700, in f32 <= 87; below -700, or -87, it is that of
 * the limit.  Series for x less the nearest multiple n of ln 2, then n is added
 * to the exponent. */
SIMD_FN vreal v_exp(vreal x)
{
    static const real c[] = {0x1p0,           1,
                             1.0 / 2,         1.0 / 6,
                             1.0 / 24,        1.0 / 120,
                             1.0 / 720,       1.0 / 5040,
                             1.0 / 40320,     1.0 / 362880,
                             1.0 / 3628800,   1.0 / 39916800,
                             1.0 / 479001600, 1.0 / 6227020800};
#if FARSUM_BITS == 64
    const real whole = 0x1.8p52, high = 0x1.62e42fefa0000p-1,
               low = 0x1.cf79abc9e3b39p-40, least = -700;
    const int terms = 13, digits = 52;
#else
    const real whole = 0x1.8p23f, high = 0x1.62e4p-1f, low = 0x1.7f7d1cp-20f,
               least = -87;
    const int terms = 7, digits = 23;
#endif
    x = v_select(x < least, v_set(least), x);
    vreal n = x * (real)M_LOG2E + whole;
    vmask bits = (vmask)n << digits;
    n -= whole;
    x = (x - n * high) - n * low;
    vreal y = v_set(c[terms]);
    for (int k = terms - 1; k >= 0; k--)
        y = y * x + c[k];
    return (vreal)((vmask)y + bits);
}
#endif
