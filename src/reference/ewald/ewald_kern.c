/* SPDX-License-Identifier: Apache-2.0 */
/* ewald_kern.c: the periodic reference's arithmetic in double: SIMD,
 * compensated sums. */
#include "base/simd.h"
#include "reference/ewald/ewald_part.h"

#include <stdlib.h>

#if FARSUM_BITS == 64
#define LEVEL_RINT rint
#define LEVEL_SINCOS sincos
#define LEVEL_SQRT sqrt
#define LEVEL_ERF erf
#define LEVEL_ERFC erfc
#define LEVEL_EXP exp
#define LANE(v, l) ((v)[l])

SIMD_FN vreal v_from_double(const double *p)
{
    return v_load(p);
}

#include "reference/ewald/ewald_level_far.h"
#include "reference/ewald/ewald_level_near.h"

extern const struct ewald_kern ISA_NAME(ewald);
const struct ewald_kern ISA_NAME(ewald) = {sizeof(real), fill, gather, weigh,
                                           virial, near, far};
#else
/* Built in f64 (here) and long double (ewald_long.c) only. */
extern const struct ewald_kern ISA_NAME(ewald);
const struct ewald_kern ISA_NAME(ewald) = {0};
#endif
