/* SPDX-License-Identifier: Apache-2.0 */
/* far_pairs.h: of pairs far enough apart for f32: the near part as polynomials
 * that hold the singular part as well (math/pair.kh, pair_NAME_whole).
 *
 * Near parts fall by orders of magnitude towards the cutoff, so that what f32
 * leaves of most pairs is far below the error that is allowed a pair. */
#ifndef FARSUM_STAGE_NEAR_OUTER_H
#define FARSUM_STAGE_NEAR_OUTER_H

#include "device/compile/jit.h"
#include "stage/near/near.h"

enum { OUTER_MAX = 16 };

struct near_outer {
    double inner; /* cutoffs: from there on; 1: nothing is left to f32 */
    double scale, shift; /* w = scale r^2 + shift is in [-1, 1] */
    int n;               /* coefficients of each polynomial in w */
    double c[NEAR_POLYS][NEAR_MAX];
    double span; /* the other pairs' polynomials are in span r^2 - 1 */
};

/* The nearest `inner` for which the error of a pair, root of the mean of its
 * square over all within the cutoff, is below args->allowed.  Not of f32, and
 * not where nothing is allowed.
 *
 * inner: args->poly, shorter where it need not reach the cutoff. */
void near_outer_fit(const struct near_args *args, struct near_outer *outer,
                    struct near_poly *inner);
/* The words of stage/near/device/far_pairs.kh. */
void near_outer_define(const struct near_outer *outer, const struct pair *pair,
                       struct jit *jit);
#endif
