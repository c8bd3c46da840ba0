/* SPDX-License-Identifier: Apache-2.0 */
/* window.h: the spreading windows, one table for host and device.
 *
 * A window of support P is a function w(u) on |u| <= P/2, u in mesh spacings.
 * A point at mesh coordinate u touches the P mesh points m0 .. m0 + P - 1 with
 * m0 = ceil(u - P/2); with f = m0 - (u - P/2) in [0, 1) its weight on m0 + j is
 * piece j, a polynomial in t = 2 f - 1 (math.md section 4):
 *
 *     w_j = sum_d coef[d][j] t^d,    dw/du = -2 sum_d d coef[d][j] t^(d-1) */
#ifndef FARSUM_MATH_WINDOW_H
#define FARSUM_MATH_WINDOW_H

#include "base/status.h"

enum { WINDOW_MIN = 2, WINDOW_MAX = 16, WINDOW_DEGREE = 19, WINDOW_NODES = 65 };
enum { WINDOW_QUAD = 20 * (WINDOW_MAX / 2) }; /* for the third alias */

struct window {
    const struct window_kind *kind;
    int support;                            /* P */
    double shape;                           /* meaning: see window_names */
    int degree;
    double coef[WINDOW_DEGREE + 1][WINDOW_MAX]; /* [d][piece], 0 past P */
    double fit_error;                       /* largest, over the maximum of w */
    double top;                             /* series at 0: scales w to 1 */
    double edge;                            /* w at |u| = P/2, where it ends */
    int n_quad;                             /* quadrature of the transform */
    double node[WINDOW_QUAD], value[WINDOW_QUAD]; /* u, weight * w(u) */
};

/* Names, ended by NULL. */
extern const char *const window_names[];
/* shape 0: the window's usual one for upsampling sigma.  fit_error: what the
 * polynomial pieces may be off by, relative to the maximum. */
farsum_status window_set(struct window *window, const char *name, int support,
                         double shape, double sigma, double fit_error);
const char *window_name(const struct window *window);
/* integral of w(u) cos(theta u) du, theta in radians a mesh spacing; right for
 * |theta| <= 3 pi, a B-spline's for all. */
double window_hat(const struct window *window, double theta);
/* What the window itself makes of a potential that is the same everywhere: RMS
 * over places of what its weights' sum differs from the mean by, and of that
 * sum's slope times the mesh spacing, both over the mean. */
void window_unity(const struct window *window, double *value, double *slope);
/* What the pieces leave of the slope of a potential that is the same
 * everywhere: RMS, in f64, over it and times the mesh spacing.  Measured; most
 * where the window's end is no end of a polynomial. */
double window_flat(const struct window *window);
/* Aliases that count: |m| <= reach. */
int window_reach(const struct window *window);
#endif
