/* SPDX-License-Identifier: Apache-2.0 */
/* poly.h: Chebyshev fits, stored as monomials in v in [-1, 1]. */
#ifndef FARSUM_MATH_POLY_H
#define FARSUM_MATH_POLY_H

/* Fits f on v in [-1, 1] at n Chebyshev nodes by a polynomial of n
 * coefficients: sum_k coef[k] v^k, n <= POLY_MAX.  Accurate if the Chebyshev
 * coefficients fall faster than (1 + sqrt 2)^-k. */
enum { POLY_MAX = 64 };
void poly_fit(double (*f)(double v, const void *data), const void *data, int n,
              double *coef);
double poly_eval(const double *coef, int n, double v);
/* deriv[k] = (k+1) coef[k+1]; n - 1 coefficients, deriv[n-1] = 0. */
void poly_derivative(const double *coef, int n, double *deriv);

/* Returns Gauss-Legendre nodes and weights on [-1, 1], n = 2 .. GAUSS_MAX, in
 * constant arrays. */
enum { GAUSS_MAX = 24 };
void poly_gauss(int n, const double **node, const double **weight);
/* Integral of f from a to b, in three intervals of 24 nodes. */
double poly_integral(double (*f)(double t, const void *data), const void *data,
                     double a, double b);
#endif
