/* SPDX-License-Identifier: Apache-2.0 */
/* near_case.h: random points and their near field by the formulas, with every
 * image of every source, no grid and no sorting; and the allowed rounding
 * error. */
#ifndef FARSUM_TEST_NEAR_CASE_H
#define FARSUM_TEST_NEAR_CASE_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "stage/near/near.h"

static inline double case_random(uint64_t *seed)
{
    uint64_t z = *seed += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return (double)((z ^ z >> 31) >> 11) * 0x1p-53;
}

static inline void *case_new(int64_t count, size_t size)
{
    void *p = calloc((size_t)count + 1, size);
    assert_non_null(p);
    return p;
}

enum dist { UNIFORM, CLUSTERED };

struct near_case {
    struct cell cell;
    struct near_poly poly;
    struct points sources, targets; /* targets.n 0: sources */
    double *q;                      /* [sources.n]; one in ten is 0 */
    /* from the formulas, and sums of absolute values for bounds of rounding:
     * relative, and per displacement of a point */
    double *potential, *field, *potential_size, *field_size;
    double *potential_move, *field_move;
    double energy, energy_size, energy_move, virial[9];
};

static inline int64_t case_targets(const struct near_case *c)
{
    return c->targets.n ? c->targets.n : c->sources.n;
}

static inline const struct points *case_points(const struct near_case *c)
{
    return c->targets.n ? &c->targets : &c->sources;
}

/* Clustered: half of the points are in a ball of 0.2 around the first. */
static inline void case_place(struct near_case *c, struct points *p, int64_t n,
                              enum dist dist, uint64_t seed)
{
    double *x = case_new(3 * n, sizeof *x);
    for (int64_t i = 0; i < n; i++) {
        double s[3];
        for (int d = 0; d < 3; d++)
            s[d] = case_random(&seed);
        for (int j = 0; j < 3; j++)
            x[3 * i + j] = dist == CLUSTERED && i % 2
                               ? x[j] + 0.2 * (s[j] - 0.5)
                               : s[0] * c->cell.a[j] + s[1] * c->cell.a[3 + j]
                                     + s[2] * c->cell.a[6 + j];
    }
    assert_int_equal(points_set(p, &c->cell, n, x, FARSUM_F64, "point", 1),
                     FARSUM_OK);
    free(x);
}

/* Smooth polynomials of n coefficients, G = -4 dP/dv. */
static inline void case_poly(struct near_poly *poly, int n, double error)
{
    memset(poly, 0, sizeof *poly);
    poly->n = n;
    poly->error = error;
    for (int k = 0; k < n; k++)
        poly->p[k] = pow(-0.4, k) * (k ? 1 : 1.3);
    for (int k = 0; k + 1 < n; k++)
        poly->g[k] = -4 * (k + 1) * poly->p[k + 1];
}

static inline double case_poly_at(const double *coef, int n, double v)
{
    double s = 0, power = 1;
    for (int k = 0; k < n; k++, power *= v)
        s += coef[k] * power;
    return s;
}

/* Adds source j at difference d (target minus source) to target i. */
static inline void case_pair(struct near_case *c, int64_t i, int64_t j,
                             const double d[3], double skip)
{
    const struct near_poly *poly = &c->poly;
    double d2 = d[0] * d[0] + d[1] * d[1] + d[2] * d[2], r = sqrt(d2);
    if (d2 >= 1)
        return;
    double v = 2 * d2 - 1, q = c->q[j], sum = 0, slope = 0;
    double p = -case_poly_at(poly->p, poly->n, v);
    double g = -case_poly_at(poly->g, poly->n, v);
    for (int k = 0; k < poly->n; k++) {
        sum += fabs(poly->p[k]) * (k + 1);
        slope += fabs(poly->g[k]) * (k + 1);
    }
    c->potential_move[i] += fabs(q) * r * slope;
    c->field_move[i] += fabs(q) * slope * poly->n * 2;
    if (r >= skip) {
        p += 1 / r;
        g += 1 / (d2 * r);
        sum += 1 / r;
        slope += 1 / (d2 * r);
        c->potential_move[i] += fabs(q) / d2;
        c->field_move[i] += fabs(q) * 4 / (d2 * r);
    }
    c->potential[i] += q * p;
    c->potential_size[i] += fabs(q) * sum;
    c->field_size[i] += fabs(q) * slope * r;
    for (int a = 0; a < 3; a++)
        c->field[3 * i + a] += q * g * d[a];
    for (int a = 0; a < 9 && !c->targets.n; a++)
        c->virial[a] += 0.5 * c->q[i] * q * g * d[a / 3] * d[a % 3];
}

/* All images: |s_i - s_j + k| height < 1 with |s_i - s_j| < 1. */
static inline void case_sum(struct near_case *c, const struct near_args *args)
{
    const struct points *y = case_points(c);
    int64_t n = case_targets(c);
    int reach[3];
    double **arrays[] = {&c->potential,      &c->field,
                         &c->potential_size, &c->field_size,
                         &c->potential_move, &c->field_move};
    for (int k = 0; k < 6; k++) {
        free(*arrays[k]);
        *arrays[k] = case_new(3 * n, sizeof(double));
    }
    for (int d = 0; d < 3; d++)
        reach[d] = (int)ceil(1 / c->cell.height[d]);
    memset(c->virial, 0, sizeof c->virial);
    c->energy = c->energy_size = c->energy_move = 0;
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < c->sources.n; j++)
            for (int ka = -reach[0]; ka <= reach[0]; ka++)
                for (int kb = -reach[1]; kb <= reach[1]; kb++)
                    for (int kc = -reach[2]; kc <= reach[2]; kc++) {
                        double s[3], d[3];
                        const int k[3] = {ka, kb, kc};
                        for (int a = 0; a < 3; a++)
                            s[a] = y->s[a][i] - c->sources.s[a][j] + k[a];
                        for (int a = 0; a < 3; a++)
                            d[a] = s[0] * c->cell.a[a] + s[1] * c->cell.a[3 + a]
                                   + s[2] * c->cell.a[6 + a];
                        case_pair(c, i, j, d, near_skip(args));
                    }
    for (int64_t i = 0; i < n && !c->targets.n; i++) {
        c->energy += 0.5 * c->q[i] * c->potential[i];
        c->energy_size += 0.5 * fabs(c->q[i]) * c->potential_size[i];
        c->energy_move += 0.5 * fabs(c->q[i]) * c->potential_move[i];
    }
}

/* n sources; m separate targets (0: none), every third of them at a source.
 * Charges are exact in f32. */
static inline void case_make(struct near_case *c, const double rows[9],
                             int64_t n, int64_t m, enum dist dist)
{
    uint64_t seed = 7;
    memset(c, 0, sizeof *c);
    assert_int_equal(cell_set(&c->cell, rows, 1), FARSUM_OK);
    case_place(c, &c->sources, n, dist, 1);
    if (m)
        case_place(c, &c->targets, m, dist, 2);
    for (int64_t i = 0; i < m; i += 3)
        for (int d = 0; d < 3; d++)
            c->targets.s[d][i] = c->sources.s[d][i % n];
    c->q = case_new(n, sizeof *c->q);
    for (int64_t j = 0; j < n; j++)
        c->q[j] = case_random(&seed) < 0.1
                      ? 0
                      : (double)(float)(2 * case_random(&seed) - 1);
    case_poly(&c->poly, 12, 0);
}

static inline void case_clear(struct near_case *c)
{
    points_clear(&c->sources);
    points_clear(&c->targets);
    free(c->q);
    free(c->potential);
    free(c->field);
    free(c->potential_size);
    free(c->field_size);
    free(c->potential_move);
    free(c->field_move);
    memset(c, 0, sizeof *c);
}
#endif
