/* SPDX-License-Identifier: Apache-2.0 */
/* derivatives.c: force, torque, virial and gradient are derivatives of energy
 * and field, by five-point differences. */
#include "sums.h"

#include <string.h>

enum { POINTS = 4, LOOKED = SUMS_LOOKED }; /* of a difference; particles */
static const double at[POINTS] = {-2, -1, 1, 2};
static const double weight[POINTS] = {1, -8, 8, -1};

/* Number a, b of a symmetric tensor xx xy xz yy yz zz. */
static double of(const double *six, int a, int b)
{
    static const int number[3][3] = {{0, 1, 2}, {1, 3, 4}, {2, 4, 5}};
    return six[number[a][b]];
}

/* The steps keep the surroundings' unit of length: all systems are of size 1
 * to 4. */
void check_forces(const struct sums_case *c, double most)
{
    struct sums_answer a;
    double force[3 * LOOKED], wanted[3 * LOOKED];
    sums_get(c, &a);
    for (int k = 0; k < 3 * LOOKED; k++) {
        int i = k / 3, d = k % 3;
        double slope = 0;
        force[k] = c->q[4 * i] * a.field[k];
        for (int b = 0; b < 3; b++)
            force[k] -= of(a.gradient + 6 * i, d, b) * c->q[4 * i + 1 + b];
        for (int p = 0; p < POINTS; p++) {
            struct sums_case moved = *c;
            moved.x[k] += at[p] * SUMS_STEP;
            slope += weight[p] * sums_energy(&moved);
        }
        wanted[k] = -slope / (12 * SUMS_STEP);
    }
    sums_equal(force, wanted, 3 * LOOKED, most, "force");
}

/* Turns v by angle * axis, to fourth order in the angle. */
static void turn(double v[3], int axis, double angle)
{
    int b = (axis + 1) % 3, e = (axis + 2) % 3;
    double x = v[b], y = v[e];
    v[b] = x * cos(angle) - y * sin(angle);
    v[e] = x * sin(angle) + y * cos(angle);
}

void check_torques(const struct sums_case *c, double most)
{
    struct sums_answer a;
    double torque[3 * LOOKED], wanted[3 * LOOKED];
    sums_get(c, &a);
    for (int k = 0; k < 3 * LOOKED; k++) {
        int i = k / 3, d = k % 3, b = (d + 1) % 3, e = (d + 2) % 3;
        const double *p = c->q + 4 * i + 1, *f = a.field + 3 * i;
        double slope = 0;
        torque[k] = p[b] * f[e] - p[e] * f[b];
        for (int n = 0; n < POINTS; n++) {
            struct sums_case turned = *c;
            turn(turned.q + 4 * i + 1, d, at[n] * SUMS_STEP);
            slope += weight[n] * sums_energy(&turned);
        }
        wanted[k] = -slope / (12 * SUMS_STEP);
    }
    sums_equal(torque, wanted, 3 * LOOKED, most, "torque");
}

/* x_a += size x_b in a list of vectors */
static void strain(double *x, int n, int a, int b, double size)
{
    for (int i = 0; i < n; i++)
        x[3 * i + a] += size * x[3 * i + b];
}

void check_virial(const struct sums_case *c, double most)
{
    struct sums_answer a;
    double wanted[9];
    sums_get(c, &a);
    for (int k = 0; k < 9; k++) {
        double slope = 0;
        for (int p = 0; p < POINTS; p++) {
            struct sums_case strained = *c;
            strain(strained.x, c->n, k / 3, k % 3, at[p] * SUMS_STEP);
            strain(strained.problem.cell, 3, k / 3, k % 3, at[p] * SUMS_STEP);
            slope += weight[p] * sums_energy(&strained);
        }
        wanted[k] = -slope / (12 * SUMS_STEP);
    }
    sums_equal(a.virial, wanted, 9, most, "virial");
}

void sums_between(const struct sums_case *c, double *y)
{
    for (int k = 0; k < 3 * LOOKED; k++)
        y[k] = 0.5 * (c->x[k] + c->x[3 * (c->n - LOOKED) + k]);
}

void check_gradient(const struct sums_case *c, double most)
{
    struct sums_case t = *c, moved;
    struct sums_answer a, off;
    t.m = LOOKED;
    sums_between(c, t.y);
    sums_get(&t, &a);
    for (int i = 0; i < LOOKED; i++) {
        double found[9], wanted[9];
        for (int k = 0; k < 9; k++) {
            double slope = 0;
            for (int p = 0; p < POINTS; p++) {
                moved = t;
                moved.y[3 * i + k / 3] += at[p] * SUMS_STEP;
                sums_get(&moved, &off);
                slope += weight[p] * off.field[3 * i + k % 3];
            }
            wanted[k] = -slope / (12 * SUMS_STEP);
            found[k] = of(a.gradient + 6 * i, k / 3, k % 3);
        }
        sums_equal(found, wanted, 9, most, "gradient");
    }
}
