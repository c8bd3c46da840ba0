/* SPDX-License-Identifier: Apache-2.0 */
/* scale.h: exact factors that are powers of two, and the units that a plan sums
 * in. */
#ifndef FARSUM_BASE_SCALE_H
#define FARSUM_BASE_SCALE_H

#include <math.h>

#include "base/status.h"

/* Lengths and strengths inside are below 2^(SCALE_MOST + 1) of a unit: factors
 * and their inverses are normal numbers. */
enum { SCALE_MOST = 1022 };

/* 2^e as two factors: e may be beyond what one f64 holds. */
struct scale {
    double a, b;
};

static inline struct scale scale_of(int e)
{
    e = e > 2 * SCALE_MOST ? 2 * SCALE_MOST : e;
    e = e < -2 * SCALE_MOST ? -2 * SCALE_MOST : e;
    return (struct scale){ldexp(1, e / 2), ldexp(1, e - e / 2)};
}

static inline double scale_by(struct scale s, double v)
{
    return v * s.a * s.b;
}

/* e with 2^e <= v < 2^(e + 1), within SCALE_MOST; 0 of what has no size. */
static inline int scale_exponent(double v)
{
    if (!(v > 0) || !isfinite(v))
        return 0;
    int e = ilogb(v);
    return e > SCALE_MOST ? SCALE_MOST : e < -SCALE_MOST ? -SCALE_MOST : e;
}

/* What one unit inside is of the caller's, as exponents of two. */
struct units {
    int length;
    int placed;      /* 1: of open space: points or a sample say the length */
    int constant;    /* of the constant C */
    int sample;      /* of a strength of the sample */
    int strength;    /* of one of the sum that info tells of */
    int part[2];     /* of its vectors: of others than a stresslet's part[0] */
    double per[2];   /* 2^-part: a number that is given, times it, is inside */
};
#endif
