/* SPDX-License-Identifier: Apache-2.0 */
/* ellipsoid.h: stresslets of constant density on a closed surface. */
#ifndef FARSUM_TEST_ELLIPSOID_H
#define FARSUM_TEST_ELLIPSOID_H

#include <math.h>

/* Gauss points in z, equal angles around it. */
enum { RINGS = 40, ROUND = 64, SURFACE = RINGS * ROUND };
static inline void legendre(int n, double *z, double *w)
{
    for (int i = 0; i < n; i++) {
        double t = cos(M_PI * (i + 0.75) / (n + 0.5)), d = 1;
        for (int newton = 0; newton < 50; newton++) {
            double p = 1, last = 0;
            for (int l = 0; l < n; l++) {
                double next = ((2 * l + 1) * t * p - l * last) / (l + 1);
                last = p;
                p = next;
            }
            d = n * (t * p - last) / (t * t - 1);
            t -= p / d;
        }
        z[i] = t;
        w[i] = 2 / ((1 - t * t) * d * d);
    }
}

/* x [SURFACE][3], q [SURFACE][6]: the density, the normal times the area. */
static inline void ellipsoid_make(const double centre[3],
                                  const double density[3], double *x, double *q)
{
    static const double axes[3] = {0.31, 0.24, 0.36};
    double z[RINGS], w[RINGS];
    legendre(RINGS, z, w);
    for (int i = 0; i < SURFACE; i++) {
        double t = z[i / ROUND], r = sqrt(1 - t * t);
        double angle = 2 * M_PI * (i % ROUND) / ROUND;
        double u[3] = {r * cos(angle), r * sin(angle), t};
        double area = w[i / ROUND] * 2 * M_PI / ROUND;
        for (int d = 0; d < 3; d++) {
            x[3 * i + d] = centre[d] + axes[d] * u[d];
            q[6 * i + d] = density[d];
            q[6 * i + 3 + d] =
                area * u[d] * axes[(d + 1) % 3] * axes[(d + 2) % 3];
        }
    }
}

/* Two points inside and two outside, in a cell with these rows. */
static inline void ellipsoid_targets(const double centre[3],
                                     const double cell[9], double y[12])
{
    for (int p = 0; p < 4; p++)
        for (int d = 0; d < 3; d++)
            y[3 * p + d] = centre[d] + (p == 1 ? 0.04 * (d - 1) : 0)
                           + (p == 2 ? 0.5 * cell[d] : 0)
                           + (p == 3 ? 0.5 * cell[3 + d] - 0.5 * cell[6 + d]
                                     : 0);
}
#endif
