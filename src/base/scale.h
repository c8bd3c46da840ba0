/* SPDX-License-Identifier: Apache-2.0 */
/* scale.h: exact scaling by powers of two, and the units in which a plan
 * sums. */
#ifndef FARSUM_BASE_SCALE_H
#define FARSUM_BASE_SCALE_H

#include <math.h>

#include "base/status.h"

/* In a plan's units, lengths and strengths are below 2^(SCALE_MOST + 1).  So
 * factors and their inverses are normal numbers. */
enum { SCALE_MOST = 1022 };

/* 2^e as two factors, because e may exceed the range of one f64. */
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

/* Returns e with 2^e <= v < 2^(e + 1), limited to +-SCALE_MOST; 0 if v is not
 * positive and finite. */
static inline int scale_exponent(double v)
{
    if (!(v > 0) || !isfinite(v))
        return 0;
    int e = ilogb(v);
    return e > SCALE_MOST ? SCALE_MOST : e < -SCALE_MOST ? -SCALE_MOST : e;
}

/* A source's strengths have up to so many parts with units of their own. */
enum { UNITS_PARTS = 3 };

/* A plan's units in the caller's units, as exponents of two. */
struct units {
    int length;
    int placed;      /* 1: open space, where points or a sample determine the
                        length */
    int constant;    /* unit of the constant C */
    int sample;      /* unit of a strength of the sample */
    int strength;    /* unit of a strength of the sum that info describes */
    /* units of its parts: charge, dipole and quadrupole, or the two vectors of
     * a stresslet */
    int part[UNITS_PARTS];
    double
        per[UNITS_PARTS]; /* 2^-part: input numbers times this are in the plan's
                        units */
};
#endif
