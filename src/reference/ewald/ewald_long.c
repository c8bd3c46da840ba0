/* SPDX-License-Identifier: Apache-2.0 */
/* ewald_long.c: the periodic reference's arithmetic in long double: vectors of
 * length 1. */
#include "reference/ewald/ewald_part.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef long double real, vreal;
#define W 1
#define LEVEL_RINT rintl
#define LEVEL_SINCOS sincosl
#define LEVEL_SQRT sqrtl
#define LEVEL_ERF erfl
#define LEVEL_ERFC erfcl
#define LEVEL_EXP expl
#define LANE(v, l) ((void)(l), (v))

static inline vreal v_set(real x)
{
    return x;
}
static inline vreal v_load(const real *p)
{
    return *p;
}
static inline vreal v_from_double(const double *p)
{
    return *p;
}
static inline void v_store(real *p, vreal x)
{
    *p = x;
}
static inline real v_sum(vreal x)
{
    return x;
}
static inline int v_any(int mask)
{
    return mask;
}

#include "reference/ewald/ewald_level_far.h"
#include "reference/ewald/ewald_level_near.h"

const struct ewald_kern ewald_long = {sizeof(real), fill, gather, weigh,
                                      virial, near, far};
