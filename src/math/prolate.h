/* SPDX-License-Identifier: Apache-2.0 */
/* prolate.h: psi, the prolate spheroidal wave function of order zero and
 * bandwidth c (PSWF).  Among all functions on [-1, 1] it has the smallest
 * energy beyond |k| = c.  Legendre series of Xiao, Rokhlin and Yarvin, Inverse
 * Problems 17 (2001) 805; docs/math.md section 2. */
#ifndef FARSUM_MATH_PROLATE_H
#define FARSUM_MATH_PROLATE_H

enum { PROLATE_TERMS = 160 };

/* psi(x) = sum_k a[k] P_2k(x), scaled so that its integral over [-1, 1] is 2
 * (a[0] = 1).  Returns the number of terms. */
int prolate_series(double c, double a[PROLATE_TERMS]);
double prolate_value(const double *a, int n, double x);
/* Integral of psi from 0 to x; 1 at x = 1. */
double prolate_integral(const double *a, int n, double x);
double prolate_slope(const double *a, int n, double x);
double prolate_curvature(const double *a, int n, double x);
/* 1/2 integral over [-1, 1] of psi(t) cos(omega t) for any omega, and its
 * slope. */
double prolate_hat(const double *a, int n, double omega);
double prolate_hat_slope(const double *a, int n, double omega);
#endif
