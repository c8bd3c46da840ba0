/* SPDX-License-Identifier: Apache-2.0 */
/* ewald_level_soft.h: a near pair of softened 1/r, (3.11), in one precision.
 * ewald_level_table.h lists the macros to define. */

#define FN static inline __attribute__((always_inline))
#define SOFTEN_REAL real
#include "math/soften.kh"

/* (erf(u)/r - 2 xi e^(-u^2)/sqrt(pi))/r^2 in units of 4 xi^3/sqrt(pi), u = xi r
 * small, where the difference loses all digits: sum (-u^2)^k/(k! (2k + 3)). */
static inline real far_slope(real u2)
{
    real sum = 0, term = 1;
    for (int k = 0; k < 13; k++) {
        sum += term / (2 * k + 3);
        term *= -u2 / (k + 1);
    }
    return sum;
}

/* The pair at r < job->soft less the far sum's part of it: its potential p and
 * the field f over d, for a unit charge. */
static inline __attribute__((always_inline)) void
soft_near(const struct ewald_job *job, real xi, real r, real *p, real *f)
{
    real self = 2 * xi / LEVEL_SQRT((real)EWALD_PI), u = xi * r, h = job->soft;
    real far = LEVEL_ERF(u) / r, w = r * r / (h * h);
    *p = soften_value(w) / h - far;
    *f = soften_slope(w) / (h * h * h)
         - (u < (real)0.3 ? 2 * self * xi * xi * far_slope(u * u)
                          : (far - self * LEVEL_EXP(-u * u)) / (r * r));
}
