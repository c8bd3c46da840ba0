/* SPDX-License-Identifier: Apache-2.0 */
/* far_pairs.h: polynomials for f32 pairs: the near part including its singular
 * part, for pairs far enough apart for f32 (math/pair.kh, pair_NAME_whole).
 *
 * The near part falls by orders of magnitude towards the cutoff.  So the
 * rounding error of f32 is far below the allowed error for most pairs. */
#ifndef FARSUM_STAGE_NEAR_OUTER_H
#define FARSUM_STAGE_NEAR_OUTER_H

#include "device/compile/jit.h"
#include "stage/near/near.h"

enum { OUTER_MAX = 16 };

struct near_outer {
    double inner; /* in cutoffs: f32 from there on; 1: no pairs in f32 */
    double scale, shift; /* w = scale r^2 + shift is in [-1, 1] */
    int n;               /* coefficients of each polynomial in w */
    double c[NEAR_POLYS][NEAR_MAX];
    double span; /* the other pairs' polynomials have argument span r^2 - 1 */
};

/* Finds the smallest `inner` for which the RMS error of a pair, over all pairs
 * within the cutoff, is below args->allowed.  None for f32 plans, or where the
 * allowed error is 0.
 *
 * inner: args->poly, shortened where it need not reach the cutoff. */
void near_outer_fit(const struct near_args *args, struct near_outer *outer,
                    struct near_poly *inner);
/* Defines the constants of stage/near/device/far_pairs.kh. */
void near_outer_define(const struct near_outer *outer, const struct pair *pair,
                       struct jit *jit);
#endif
