/* SPDX-License-Identifier: Apache-2.0 */
/* window_simd.h: window weights of points, for *_kern.c files (math.md section
 * 4).  Positions are in double, so that f32 keeps its digits on a large mesh.
 * Polynomials are in real, with SIMD across the pieces. */
#ifndef FARSUM_MATH_WINDOW_SIMD_H
#define FARSUM_MATH_WINDOW_SIMD_H

#include "base/simd.h"
#include "math/window.h"

/* Number of vectors that hold P pieces, and its maximum. */
#define WINDOW_VECTORS(P) (((P) + W - 1) / W)
enum { WINDOW_VECTORS_MAX = WINDOW_VECTORS(WINDOW_MAX) };

/* X(P) for every support: loops over pieces are compiled for a constant P. */
#define WINDOW_SUPPORTS(X)                                                     \
    X(2) X(3) X(4) X(5) X(6) X(7) X(8) X(9) X(10) X(11) X(12) X(13) X(14)      \
    X(15) X(16)

/* Adds to the indices along one axis: u = s mesh, m0 = ceil(u - P/2), at += (m0
 * - lo) stride, t = 2 (m0 - u + P/2) - 1. u is shifted by WINDOW_MAX so that it
 * is positive and truncation is floor. */
SIMD_FN void window_place(int n, const double *s, double mesh, int support,
                          int lo, int stride, int32_t *at, real *t)
{
    double shift = WINDOW_MAX - 0.5 * support;
    for (int i = 0; i < n; i++) {
        double v = s[i] * mesh + shift;
        int32_t m = (int32_t)v;
        m += (double)m < v;
        at[i] += (m - WINDOW_MAX - lo) * stride;
        t[i] = (real)(2 * ((double)m - v) - 1);
    }
}

/* Evaluates the axes' weights at t by Horner's rule: w[v] holds the pieces from
 * v W on.  coef: [degree + 1][WINDOW_MAX], aligned.  P and axes are
 * compile-time constants. */
SIMD_FN void window_weights(int P, int axes, const real *coef, int degree,
                            const real *t, vreal *w)
{
    int vectors = WINDOW_VECTORS(P);
    const real *c = coef + degree * WINDOW_MAX;
    vreal x[3];
#pragma GCC unroll 3
    for (int d = 0; d < axes; d++)
        x[d] = v_set(t[d]);
#pragma GCC unroll 8
    for (int v = 0; v < vectors; v++) {
        vreal top = v_load(c + v * W);
#pragma GCC unroll 3
        for (int d = 0; d < axes; d++)
            w[d * vectors + v] = top;
    }
    for (int k = degree - 1; k >= 0; k--) {
        c -= WINDOW_MAX;
#pragma GCC unroll 8
        for (int v = 0; v < vectors; v++) {
            vreal next = v_load(c + v * W);
#pragma GCC unroll 3
            for (int d = 0; d < axes; d++)
                w[d * vectors + v] = w[d * vectors + v] * x[d] + next;
        }
    }
}

/* The same with derivatives dw/dt, for interp. */
SIMD_FN void window_weights_slopes(int P, int axes, const real *coef,
                                   int degree, const real *t, vreal *w,
                                   vreal *dw)
{
    int vectors = WINDOW_VECTORS(P);
    const real *c = coef + degree * WINDOW_MAX;
    vreal x[3];
#pragma GCC unroll 3
    for (int d = 0; d < axes; d++)
        x[d] = v_set(t[d]);
#pragma GCC unroll 8
    for (int v = 0; v < vectors; v++) {
        vreal top = v_load(c + v * W);
#pragma GCC unroll 3
        for (int d = 0; d < axes; d++) {
            w[d * vectors + v] = top;
            dw[d * vectors + v] = (vreal){0};
        }
    }
    for (int k = degree - 1; k >= 0; k--) {
        c -= WINDOW_MAX;
#pragma GCC unroll 8
        for (int v = 0; v < vectors; v++) {
            vreal next = v_load(c + v * W);
#pragma GCC unroll 3
            for (int d = 0; d < axes; d++) {
                int i = d * vectors + v;
                dw[i] = dw[i] * x[d] + w[i];
                w[i] = w[i] * x[d] + next;
            }
        }
    }
}

/* The same with half of the second derivatives, bend. */
SIMD_FN void window_weights_bends(int P, int axes, const real *coef, int degree,
                                  const real *t, vreal *w, vreal *dw,
                                  vreal *bend)
{
    int vectors = WINDOW_VECTORS(P);
    const real *c = coef + degree * WINDOW_MAX;
#pragma GCC unroll 8
    for (int v = 0; v < vectors; v++) {
        vreal top = v_load(c + v * W);
#pragma GCC unroll 3
        for (int d = 0; d < axes; d++) {
            w[d * vectors + v] = top;
            dw[d * vectors + v] = bend[d * vectors + v] = (vreal){0};
        }
    }
    for (int k = degree - 1; k >= 0; k--) {
        c -= WINDOW_MAX;
#pragma GCC unroll 8
        for (int v = 0; v < vectors; v++) {
            vreal next = v_load(c + v * W);
#pragma GCC unroll 3
            for (int d = 0; d < axes; d++) {
                int i = d * vectors + v;
                bend[i] = bend[i] * v_set(t[d]) + dw[i];
                dw[i] = dw[i] * v_set(t[d]) + w[i];
                w[i] = w[i] * v_set(t[d]) + next;
            }
        }
    }
}
#endif
