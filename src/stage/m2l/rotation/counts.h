/* SPDX-License-Identifier: Apache-2.0 */
/* counts.h: table sizes of the variants by rotation, on the host and on
 * devices. */
#ifndef FARSUM_STAGE_M2L_ROTATION_COUNTS_H
#define FARSUM_STAGE_M2L_ROTATION_COUNTS_H

#include <stdint.h>

/* Numbers per vector: cosines and sines of two angles, powers of its length. */
static inline int64_t rotation_turn(int p)
{
    return 5 * (p + 1) + 1;
}

/* Nonzero translation coefficients of an order. */
static inline int64_t rotation_shifts(int p)
{
    int64_t all = 0;
    for (int64_t n = 1; n <= p + 1; n++)
        all += n * n;
    return all;
}
#endif
