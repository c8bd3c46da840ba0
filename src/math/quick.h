/* SPDX-License-Identifier: Apache-2.0 */
/* quick.h: sin and exp without branches, for loops that the compiler
 * vectorises.  Errors are about 4e-16.  With libm's functions, these calls are
 * most of an estimate's time. */
#ifndef FARSUM_MATH_QUICK_H
#define FARSUM_MATH_QUICK_H

#include <stdint.h>
#include <string.h>

/* Adding this constant leaves an integer in the last bits. */
#define QUICK_ROUND 0x1.8p52

/* For |x| < 1e5: error 4e-16 of 1, and of x if x is small. */
static inline double quick_sin(double x)
{
    double turns = (x * 0x1.45f306dc9c883p-2 + QUICK_ROUND) - QUICK_ROUND;
    double half = (turns * 0.5 + QUICK_ROUND) - QUICK_ROUND;
    double odd = turns - 2 * half; /* -1, 0 or 1 */
    /* pi in three parts; the products of turns with the first two are exact */
    double y = ((x - turns * 0x1.921fb54p1) - turns * 0x1.10b46118p-29)
               - turns * 0x1.313198a2e0370p-60;
    double z = y * y, p = -1.0 / 121645100408832000;
    p = p * z + 1.0 / 355687428096000;
    p = p * z - 1.0 / 1307674368000;
    p = p * z + 1.0 / 6227020800;
    p = p * z - 1.0 / 39916800;
    p = p * z + 1.0 / 362880;
    p = p * z - 1.0 / 5040;
    p = p * z + 1.0 / 120;
    p = p * z - 1.0 / 6;
    return (1 - 2 * odd * odd) * (y + y * z * p);
}

/* For |x| < 600. */
static inline double quick_exp(double x)
{
    double at = x * 0x1.71547652b82fep0 + QUICK_ROUND, k = at - QUICK_ROUND;
    double y = (x - k * 0x1.62e42fefa2p-1) - k * 0x1.9ef35793c7673p-41;
    double p = 1.0 / 6227020800;
    uint64_t power, bits;
    p = p * y + 1.0 / 479001600;
    p = p * y + 1.0 / 39916800;
    p = p * y + 1.0 / 3628800;
    p = p * y + 1.0 / 362880;
    p = p * y + 1.0 / 40320;
    p = p * y + 1.0 / 5040;
    p = p * y + 1.0 / 720;
    p = p * y + 1.0 / 120;
    p = p * y + 1.0 / 24;
    p = p * y + 1.0 / 6;
    p = p * y + 0.5;
    p = p * y * y + y + 1;
    memcpy(&power, &at, sizeof power);
    memcpy(&bits, &p, sizeof bits);
    bits += power << 52;
    memcpy(&p, &bits, sizeof p);
    return p;
}
#endif
