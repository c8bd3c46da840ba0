/* SPDX-License-Identifier: Apache-2.0 */
/* one_pair.c: the near field of one pair, on the host and in f64. */
#include "stage/near/one_pair.h"

#include <math.h>
#include <string.h>

#include "math/pair_quadrupole.h"
#include "math/poly.h"

#define FN static inline
#define PAIR_REAL double
#define PAIR_TABLE const struct near_poly *
#define PAIR_POLY(t, k, v) poly_eval((t)->c[k], (t)->n, v)
#include "math/pair.kh"
#include "math/pair_moments.kh"
#define SOFTEN_REAL double
#include "math/soften_pair.kh"

static const struct one_pair kernels[] = {
#define SCALAR(name, polys, note) {#name, pair_##name, pair_##name##_slope},
#define FLOW(name, strengths, channels, polys, note) {#name, pair_##name, NULL},
#include "math/pair.def"
#undef SCALAR
#undef FLOW
};

/* The number of component a/3, a%3 of xx xy xz yy yz zz. */
static const int symmetric[9] = {0, 1, 2, 1, 3, 4, 2, 4, 5};

const struct one_pair *one_pair_find(const struct pair *pair)
{
    for (size_t k = 0; k < sizeof kernels / sizeof *kernels; k++)
        if (strcmp(kernels[k].name, pair->name) == 0)
            return &kernels[k];
    return NULL;
}

void one_pair_add(const struct one_pair *kernel, const struct near_poly *poly,
                  const double d[3], const double *q, int singular,
                  struct one_pair_sum *sum)
{
    double d2 = d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
    double u = 2 * d2, v = u - 1, y = singular ? 1 / sqrt(d2) : 0;
    kernel->value(poly, d, y, u, v, q, sum->value);
    if (!kernel->slope)
        return;
    double g = q[0] * kernel->slope(poly, y, u, v);
    for (int a = 0; a < 3; a++)
        sum->field[a] += g * d[a];
    for (int a = 0; a < 9; a++)
        sum->virial[a] += g * d[a / 3] * d[a % 3];
}

void one_pair_add_soft(const struct one_pair *kernel,
                       const struct near_poly *poly, const double d[3],
                       const double *q, double soft, struct one_pair_sum *sum)
{
    double d2 = d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
    double f[2];
    soften_pair(d2, soft, f);
    one_pair_add(kernel, poly, d, q, 0, sum);
    sum->value[0] += q[0] * f[0];
    for (int a = 0; a < 3; a++)
        sum->field[a] += q[0] * f[1] * d[a];
    for (int a = 0; a < 9; a++)
        sum->virial[a] += q[0] * f[1] * d[a / 3] * d[a % 3];
}

void one_pair_moments(double kappa, double y, double f[4])
{
    if (kappa > 0)
        moments_screened(kappa, exp(-kappa / y), y, f);
    else
        moments_bare(y, f);
}

void one_pair_add_moments(const struct near_poly *poly, double kappa,
                          const double d[3], const double *q, const double *own,
                          int singular, struct one_pair_sum *sum)
{
    double d2 = d[0] * d[0] + d[1] * d[1] + d[2] * d[2], v = 2 * d2 - 1;
    double f[4] = {0}, w[6] = {0};
    if (singular)
        one_pair_moments(kappa, 1 / sqrt(d2), f);
    for (int k = 0; k < 4; k++)
        f[k] -= poly_eval(poly->c[k], poly->n, v);
    moments_field(f, d, q, sum->value, sum->field);
    moments_gradient(f, d, q, sum->gradient);
    if (!own)
        return;
    moments_virial(f, d, q, own, w);
    for (int a = 0; a < 9; a++)
        sum->virial[a] += w[symmetric[a]];
}

void one_pair_quadrupole(double y, double f[6])
{
    f[0] = y;
    for (int n = 0; n < 5; n++)
        f[n + 1] = (2 * n + 1) * f[n] * y * y;
}

void one_pair_add_quadrupole(const struct near_poly *poly, const double d[3],
                             const double *q, const double *own, int singular,
                             struct one_pair_sum *sum)
{
    double d2 = d[0] * d[0] + d[1] * d[1] + d[2] * d[2], v = 2 * d2 - 1;
    double f[6] = {0}, one[QUADRUPOLE_VALUES] = {0}, force[3] = {0};
    if (singular)
        one_pair_quadrupole(1 / sqrt(d2), f);
    for (int k = 0; k < 6; k++)
        f[k] -= poly_eval(poly->c[k], poly->n, v);
    pair_quadrupole_values(f, d, q, one);
    sum->value[0] += one[0];
    for (int a = 0; a < 3; a++)
        sum->field[a] += one[QUADRUPOLE_FIELD + a];
    for (int a = 0; a < 6; a++)
        sum->gradient[a] += one[QUADRUPOLE_GRADIENT + a];
    for (int a = 0; a < 10; a++)
        sum->third[a] += one[QUADRUPOLE_THIRD + a];
    if (!own)
        return;
    pair_quadrupole_force(own, one, force);
    for (int a = 0; a < 9; a++)
        sum->virial[a] += force[a / 3] * d[a % 3];
}
