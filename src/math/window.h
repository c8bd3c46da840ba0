/* SPDX-License-Identifier: Apache-2.0 */
/* window.h: the spreading windows, one table for host and device.
 *
 * A window of support P is a function w(u) on |u| <= P/2, u in mesh spacings.
 * A point at mesh coordinate u touches the P mesh points m0 .. m0 + P - 1 with
 * m0 = ceil(u - P/2).  With f = m0 - (u - P/2) in [0, 1), its weight on m0 + j
 * is piece j, a polynomial in t = 2 f - 1 (math.md section 4):
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
    double top;                             /* value of the series at 0: scales
                                               w to 1 */
    double edge;                            /* w at |u| = P/2, its end */
    int n_quad;                             /* quadrature of the transform */
    double node[WINDOW_QUAD], value[WINDOW_QUAD]; /* u, weight * w(u) */
};

/* Names, ended by NULL. */
extern const char *const window_names[];
/* Sets a window.  shape 0: the window's usual shape for upsampling sigma.
 * fit_error: largest error of the polynomial pieces relative to the maximum. */
farsum_status window_set(struct window *window, const char *name, int support,
                         double shape, double sigma, double fit_error);
/* The kind of that name, a static one; NULL: unknown. */
const struct window_kind *window_kind_of(const char *name);
const char *window_name(const struct window *window);
/* Returns the integral of w(u) cos(theta u) du, theta in radians per mesh
 * spacing.  Accurate for |theta| <= 3 pi; for a B-spline, for all theta. */
double window_hat(const struct window *window, double theta);
/* Returns the integral of w(u)^2 du. */
double window_square(const struct window *window);
/* Returns the reach of the aliases that count: |m| <= reach. */
int window_reach(const struct window *window);
#endif
