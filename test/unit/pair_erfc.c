/* SPDX-License-Identifier: Apache-2.0 */
/* pair_erfc.c: the Gaussian split's pairs in closed form, against singular part
 * minus far part, both from the split's own functions, and against the limit r
 * = 0. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "math/pair.h"
#include "math/poly.h"

typedef double real;
#define FN static inline
#define R(x) ((double)(x))
#define EXP(x) exp(x)
#define ERFC(x) erfc(x)
#include "math/pair_erfc.kh"

/* math/pair.kh with exact values at one r instead of polynomials. */
#define PAIR_REAL double
#define PAIR_TABLE const double *
#define PAIR_POLY(t, k, v) ((void)(v), (t)[k])
#include "math/pair.kh"

static const struct {
    const char *name;
    void (*closed)(double xi, const double *d, double y, double r2,
                   const double *q, double *value);
    void (*pair)(const double *t, const double *d, double y, double u,
                 double v, const double *q, double *value);
} kernels[] = {
    {"laplace", erfc_laplace, pair_laplace},
    {"stokeslet", erfc_stokeslet, pair_stokeslet},
    {"rotlet", erfc_rotlet, pair_rotlet},
    {"stresslet", erfc_stresslet, pair_stresslet},
};
enum { KERNELS = sizeof kernels / sizeof *kernels };

static const double q[PAIR_STRENGTHS] = {0.7, -0.4, 0.9, 0.3, 0.8, -0.6};
static const double e[3] = {2.0 / 7, -3.0 / 7, 6.0 / 7}; /* of length 1 */

static void test_pairs(void **state)
{
    static const double bandwidths[] = {4, 14, 41.4};
    (void)state;
    for (int k = 0; k < KERNELS; k++)
        for (int b = 0; b < 3; b++)
            for (double r = 0.15; r < 1; r += 0.05) {
                const struct pair *pair = pair_find(kernels[k].name);
                struct split split;
                double t[NEAR_POLYS] = {0}, weight[NEAR_POLYS], v[3] = {0};
                double w[3] = {0}, size[3] = {0}, none[NEAR_POLYS] = {0};
                const double d[3] = {r * e[0], r * e[1], r * e[2]};
                assert_int_equal(split_set(&split, "gaussian", bandwidths[b]),
                                 FARSUM_OK);
                pair->kind->exact(pair, &split, r, t, weight);
                double u = 2 * r * r;
                kernels[k].pair(t, d, 1 / r, u, u - 1, q, v);
                kernels[k].pair(none, d, 1 / r, u, u - 1, q, size);
                kernels[k].closed(split.xi, d, 1 / r, r * r, q, w);
                for (int a = 0; a < pair->values; a++)
                    assert_float_equal(w[a], v[a],
                                       1e-11 * fabs(size[a]) + 1e-11);
            }
}

static void test_slope(void **state)
{
    (void)state;
    struct split split;
    assert_int_equal(split_set(&split, "gaussian", 30), FARSUM_OK);
    for (double r = 0.15; r < 1; r += 0.05) {
        double far = split_e(&split, r) / r - split_de(&split, r);
        double wanted = 1 / (r * r * r) - far / (r * r);
        double found = erfc_laplace_slope(split.xi, 1 / r, r * r);
        assert_float_equal(found, wanted, 1e-12 / (r * r * r));
    }
}

/* Without the singular part: the value at the source itself; for kernels whose
 * values are proportional to d, the coefficient of d. */
static void test_self(void **state)
{
    (void)state;
    struct split split;
    struct near_poly poly;
    const double d[3] = {0}, tiny[3] = {1e-9 * e[0], 1e-9 * e[1], 1e-9 * e[2]};
    assert_int_equal(split_set(&split, "gaussian", 14), FARSUM_OK);
    double own = split_de(&split, 0), xi = split.xi;
    for (int k = 0; k < KERNELS; k++) {
        const struct pair *pair = pair_find(kernels[k].name);
        double v[3] = {0}, wanted[3] = {0};
        kernels[k].closed(xi, d, 0, 0, q, v);
        for (int a = 0; a < pair->values; a++)
            assert_float_equal(v[a], -pair->kind->own * own * q[a], 1e-13);
        assert_int_equal(
            pair_near_poly(pair, &split,
                           strcmp(pair->name, "stresslet") == 0 ? 1e-6 : 1e-12,
                           &poly),
            FARSUM_OK);
        double t[NEAR_POLYS];
        for (int p = 0; p < pair->polys; p++)
            t[p] = poly_eval(poly.c[p], poly.n, -1);
        memset(v, 0, sizeof v);
        kernels[k].pair(t, tiny, 0, 0, -1, q, wanted);
        kernels[k].closed(xi, tiny, 0, 0, q, v);
        for (int a = 0; a < pair->values; a++) /* 1e-9: of d */
            assert_float_equal(v[a], wanted[a],
                               pair->kind->own > 0 ? 1e-11 : 1e-9 * 1e-3);
    }
    assert_int_equal(pair_near_poly(pair_rows, &split, 1e-12, &poly),
                     FARSUM_OK);
    assert_float_equal(erfc_laplace_slope(xi, 0, 0),
                       -poly_eval(poly.g, poly.n, -1), 1e-8);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pairs),
        cmocka_unit_test(test_slope),
        cmocka_unit_test(test_self),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
