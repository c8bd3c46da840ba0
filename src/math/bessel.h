/* SPDX-License-Identifier: Apache-2.0 */
/* bessel.h: Bessel functions of orders 0 and 1, for transforms of kernels in
 * cylinders. */
#ifndef FARSUM_MATH_BESSEL_H
#define FARSUM_MATH_BESSEL_H

/* J_0 and J_1 at x >= 0, with an error of some 1e-16. */
void bessel_j(double x, double j[2]);
/* K_0 and K_1 at x > 0, to a relative error of some 1e-15; 0 where they
 * underflow. */
void bessel_k(double x, double k[2]);
#endif
