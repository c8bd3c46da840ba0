/* SPDX-License-Identifier: Apache-2.0 */
/* pair_quadrupole.h: a pair of sources with charge, dipole and quadrupole,
 * q[0], q[1..3] and q[4..9] = xx xy xz yy yz zz, from the radial functions
 * f[n], f_(n+1) = -f_n'/r (math.md (9.30b)).  d = x_i - x_j. */
#ifndef FARSUM_MATH_PAIR_QUADRUPOLE_H
#define FARSUM_MATH_PAIR_QUADRUPOLE_H

/* The potential's derivatives at a target: potential, field, gradient, third
 * derivatives xxx xxy xxz xyy xyz xzz yyy yyz yzz zzz. */
enum { QUADRUPOLE_VALUES = 20 };
enum { QUADRUPOLE_FIELD = 1, QUADRUPOLE_GRADIENT = 4, QUADRUPOLE_THIRD = 10 };

/* The number of component a, b of xx xy xz yy yz zz. */
static const int pair_two[3][3] = {{0, 1, 2}, {1, 3, 4}, {2, 4, 5}};
/* The number of component a, b, c of the third derivatives. */
static const int pair_three[3][3][3] = {{{0, 1, 2}, {1, 3, 4}, {2, 4, 5}},
                                        {{1, 3, 4}, {3, 6, 7}, {4, 7, 8}},
                                        {{2, 4, 5}, {4, 7, 8}, {5, 8, 9}}};

/* Adds those of source q, from f[0] to f[5], (9.30b): near d the potential
 * is the sum over m of (-delta)^m/m! times a quadratic polynomial of the shift,
 * whose value is b[m], whose slope is c[m] and whose second derivative is
 * Q f[m + 2]. */
static inline void pair_quadrupole_values(const double f[6], const double d[3],
                                          const double *q,
                                          double v[QUADRUPOLE_VALUES])
{
    const double *p = q + 1, *Q = q + 4;
    double b[4], c[3][3], Qd[3], s = 0, t = 0;
    for (int k = 0; k < 3; k++) {
        Qd[k] = Q[pair_two[k][0]] * d[0] + Q[pair_two[k][1]] * d[1]
                + Q[pair_two[k][2]] * d[2];
        s += p[k] * d[k];
        t += Qd[k] * d[k];
    }
    s -= (Q[0] + Q[3] + Q[5]) / 2;
    for (int m = 0; m < 4; m++)
        b[m] = q[0] * f[m] + s * f[m + 1] + t / 2 * f[m + 2];
    for (int m = 0; m < 3; m++)
        for (int k = 0; k < 3; k++)
            c[m][k] = p[k] * f[m + 1] + Qd[k] * f[m + 2];
    double *e = v + QUADRUPOLE_FIELD, *g = v + QUADRUPOLE_GRADIENT;
    double *h = v + QUADRUPOLE_THIRD;
    v[0] += b[0];
    for (int x = 0; x < 3; x++) {
        e[x] += d[x] * b[1] - c[0][x];
        for (int y = x; y < 3; y++) {
            int xy = pair_two[x][y];
            *g++ += Q[xy] * f[2] - d[x] * c[1][y] - d[y] * c[1][x]
                    + d[x] * d[y] * b[2] - (x == y ? b[1] : 0);
            for (int z = y; z < 3; z++) {
                double one = -d[x] * Q[pair_two[y][z]]
                             - d[y] * Q[pair_two[x][z]] - d[z] * Q[xy];
                double sum = one * f[3] - d[x] * d[y] * d[z] * b[3];
                sum += d[x] * d[y] * c[2][z] + d[x] * d[z] * c[2][y]
                       + d[y] * d[z] * c[2][x];
                sum += x == y ? d[z] * b[2] - c[1][z] : 0;
                sum += x == z ? d[y] * b[2] - c[1][y] : 0;
                sum += y == z ? d[x] * b[2] - c[1][x] : 0;
                *h++ += sum;
            }
        }
    }
}

/* Adds the force on strengths `own` from these values, (7.19d). */
static inline void pair_quadrupole_force(const double *own, const double *v,
                                         double force[3])
{
    const double *p = own + 1, *Q = own + 4, *e = v + QUADRUPOLE_FIELD;
    const double *g = v + QUADRUPOLE_GRADIENT, *h = v + QUADRUPOLE_THIRD;
    for (int k = 0; k < 3; k++) {
        double sum = own[0] * e[k];
        for (int a = 0; a < 3; a++) {
            sum -= p[a] * g[pair_two[a][k]];
            for (int b = 0; b < 3; b++)
                sum -= Q[pair_two[a][b]] * h[pair_three[a][b][k]] / 2;
        }
        force[k] += sum;
    }
}

/* Half the energy of strengths `own` at these values. */
static inline double pair_quadrupole_energy(const double *own, const double *v)
{
    const double *Q = own + 4, *g = v + QUADRUPOLE_GRADIENT;
    double sum = own[0] * v[0];
    for (int a = 0; a < 3; a++) {
        sum -= own[1 + a] * v[QUADRUPOLE_FIELD + a];
        for (int b = 0; b < 3; b++)
            sum += Q[pair_two[a][b]] * g[pair_two[a][b]] / 2;
    }
    return sum / 2;
}

/* Adds E_a p_b - (H Q)_ab: what the virial gains if moments are stretched with
 * the points, (7.19d). */
static inline void pair_quadrupole_turn(const double *own, const double *v,
                                        double turn[9])
{
    const double *Q = own + 4, *g = v + QUADRUPOLE_GRADIENT;
    for (int a = 0; a < 3; a++)
        for (int b = 0; b < 3; b++) {
            turn[3 * a + b] += v[QUADRUPOLE_FIELD + a] * own[1 + b];
            for (int k = 0; k < 3; k++)
                turn[3 * a + b] -= g[pair_two[a][k]] * Q[pair_two[k][b]];
        }
}
#endif
