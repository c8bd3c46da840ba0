/* SPDX-License-Identifier: Apache-2.0 */
/* bessel.c: Bessel functions by the trapezoidal rule, which converges
 * exponentially for their integrals, and by Hankel's expansion. */
#include "math/bessel.h"

#include <math.h>
#include <string.h>

/* Arguments from which Hankel's expansion has all digits: its smallest term is
 * about e^(-2x). */
#define FAR 25

/* Abramowitz and Stegun 9.2.5, 9.2.9 and 9.2.10. */
static double hankel(double x, int order)
{
    enum { TERMS = 40 };
    double p = 1, q = 0, term = 1, turn = x - (order ? 0.75 : 0.25) * M_PI;
    for (int i = 1; i < TERMS; i++) {
        double odd = 2 * i - 1;
        term *= (4 * order - odd * odd) / (8 * i * x);
        *(i % 2 ? &q : &p) += i / 2 % 2 ? -term : term;
        if (fabs(term) < 1e-18)
            break;
    }
    return sqrt(2 / (M_PI * x)) * (p * cos(turn) - q * sin(turn));
}

void bessel_j(double x, double j[2])
{
    enum { STEPS = 16 }; /* a whole turn has 64: the error is J_64(x) */
    if (x > FAR) {
        j[0] = hankel(x, 0);
        j[1] = hankel(x, 1);
        return;
    }
    j[0] = j[1] = 0;
    for (int i = 0; i <= STEPS; i++) {
        double t = sin(M_PI / 2 * i / STEPS);
        double weight = (i % STEPS ? 1.0 : 0.5) / STEPS;
        j[0] += weight * cos(x * t);
        j[1] += weight * t * sin(x * t);
    }
}

/* The integral of e^(-x cosh t) cosh(n t) over t >= 0.  For small x the
 * integrand is bounded up to |Im t| = pi/2, hence an error of e^(-pi^2/step);
 * for large x it is a Gaussian, with e^(-2 pi^2/(x step^2)) relative to it. */
void bessel_k(double x, double k[2])
{
    const double step = fmin(0.25, 0.6 / sqrt(x)), most = 745;
    k[0] = 0.5 * step * exp(-x);
    k[1] = k[0];
    for (int i = 1; x * cosh(i * step) < most; i++) {
        double c = cosh(i * step), part = step * exp(-x * c);
        k[0] += part;
        k[1] += part * c;
    }
}
