/* SPDX-License-Identifier: Apache-2.0 */
/* direct_sum.c: the open sum against a long double sum; its invariants and its
 * refusals. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "reference/direct/direct_sum.h"

enum { N = 203 };

static double uniform(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (double)(*state >> 11) * 0x1p-53;
}

static void make(double *x, double *q, int64_t n)
{
    uint64_t seed = 7;
    for (int64_t i = 0; i < n; i++) {
        for (int d = 0; d < 3; d++)
            x[3 * i + d] = 10 * uniform(&seed) - 5;
        q[i] = 2 * uniform(&seed) - 1;
    }
}

/* phi, E and sum q d d/r^3 at y, each with the sum of the terms' magnitudes. */
static void naive(const double *x, const double *q, int64_t n, const double *y,
                  long double v[10], long double size[10])
{
    for (int a = 0; a < 10; a++)
        v[a] = size[a] = 0;
    for (int64_t j = 0; j < n; j++) {
        long double d[3], r2 = 0;
        for (int a = 0; a < 3; a++) {
            d[a] = (long double)y[a] - x[3 * j + a];
            r2 += d[a] * d[a];
        }
        if (r2 == 0)
            continue;
        long double p = q[j] / sqrtl(r2), f = p / r2;
        long double t[10] = {p,
                             f * d[0],
                             f * d[1],
                             f * d[2],
                             f * d[0] * d[0],
                             f * d[1] * d[1],
                             f * d[2] * d[2],
                             f * d[0] * d[1],
                             f * d[0] * d[2],
                             f * d[1] * d[2]};
        for (int a = 0; a < 10; a++) {
            v[a] += t[a];
            size[a] += fabsl(t[a]);
        }
    }
}

static int near_to(double value, long double exact, long double size,
                   double tolerance)
{
    return fabsl(value - exact) <= tolerance * size;
}

static void against_long_double(void **state)
{
    (void)state;
    double x[3 * N], q[N], p[N], e[3 * N], energy, w[9];
    make(x, q, N);
    for (int isa = 0; isa <= (int)isa_best(); isa++) {
        struct direct_args args = {1, (enum isa)isa, N, 0, x, NULL, q, 0};
        assert_int_equal(direct_sum(&args, p, e, &energy, w), FARSUM_OK);
        long double sum[10] = {0}, all[10] = {0};
        static const int at[9] = {4, 7, 8, 7, 5, 9, 8, 9, 6};
        for (int i = 0; i < N; i++) {
            long double v[10], size[10];
            naive(x, q, N, x + 3 * i, v, size);
            assert_true(near_to(p[i], v[0], size[0], 2.5e-16));
            for (int d = 0; d < 3; d++)
                assert_true(
                    near_to(e[3 * i + d], v[1 + d], size[1 + d], 5e-16));
            for (int a = 0; a < 10; a++) {
                sum[a] += v[a] * q[i] / 2;
                all[a] += size[a] * fabsl(q[i]) / 2;
            }
        }
        assert_true(near_to(energy, sum[0], all[0], 1e-16));
        for (int a = 0; a < 9; a++)
            assert_true(near_to(w[a], sum[at[a]], all[at[a]], 1e-16));
        /* 1/r is homogeneous: the virial's trace is the energy. */
        assert_true(near_to(w[0] + w[4] + w[8], energy, all[0], 3e-16));
        double only[N];
        assert_int_equal(direct_sum(&args, only, NULL, NULL, NULL), FARSUM_OK);
        for (int i = 0; i < N; i++)
            assert_true(near_to(only[i], p[i], fabsl(p[i]), 1e-14));
    }
}

/* Two unit charges a distance 2 apart: signs and factors. */
static void two_charges(void **state)
{
    (void)state;
    const double x[6] = {0, 0, 0, 2, 0, 0}, q[2] = {1, -3};
    double p[2], e[6], energy, w[9];
    struct direct_args args = {2, ISA_BASE, 2, 0, x, NULL, q, 0};
    assert_int_equal(direct_sum(&args, p, e, &energy, w), FARSUM_OK);
    assert_true(p[0] == -1.5 && p[1] == 0.5);
    assert_true(e[0] == 0.75 && e[3] == 0.25); /* toward -3; away from +1 */
    assert_true(e[1] == 0 && e[2] == 0 && e[4] == 0 && e[5] == 0);
    assert_true(energy == -1.5 && w[0] == -1.5);
    for (int a = 1; a < 9; a++)
        assert_true(w[a] == 0);
}

/* One huge term, then very many that a plain sum would lose by rounding. */
static void sums_are_compensated(void **state)
{
    (void)state;
    enum { MANY = 100000 };
    double *x = calloc(3 * MANY, sizeof *x), *q = calloc(MANY, sizeof *q);
    assert_non_null(x);
    assert_non_null(q);
    make(x, q, MANY);
    for (int j = 0; j < MANY; j++)
        q[j] = 1 + q[j];
    q[0] = 1e8;
    const double y[3] = {20, 21, 22};
    double p, e[3];
    long double v[10], size[10], plain = 0;
    naive(x, q, MANY, y, v, size);
    double rounded = 0;
    for (int j = 0; j < MANY; j++) {
        long double d[3] = {y[0] - x[3 * j], y[1] - x[3 * j + 1],
                            y[2] - x[3 * j + 2]};
        plain = q[j] / sqrtl(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
        rounded += (double)plain;
    }
    for (int isa = 0; isa <= (int)isa_best(); isa++) {
        struct direct_args args = {1, (enum isa)isa, MANY, 1, x, y, q, 0};
        assert_int_equal(direct_sum(&args, &p, e, NULL, NULL), FARSUM_OK);
        assert_true(near_to(p, v[0], size[0], 2.5e-16));
        for (int d = 0; d < 3; d++)
            assert_true(near_to(e[d], v[1 + d], size[1 + d], 5e-16));
    }
    assert_false(near_to(rounded, v[0], size[0], 2.5e-16));
    free(x);
    free(q);
}

/* Separate targets; those at a source skip it. */
static void separate_targets(void **state)
{
    (void)state;
    double x[3 * N], q[N], p[N], e[3 * N], r[2 * N], f[6 * N], y[6 * N];
    make(x, q, N);
    struct direct_args args = {2, isa_best(), N, 2 * N, x, NULL, q, 0};
    assert_int_equal(direct_sum(&args, p, e, NULL, NULL), FARSUM_OK);
    for (int i = 0; i < 3 * N; i++) {
        y[i] = x[i];
        y[3 * N + i] = x[i] + 0.01;
    }
    args.y = y;
    assert_int_equal(direct_sum(&args, r, f, NULL, NULL), FARSUM_OK);
    assert_memory_equal(r, p, sizeof p);
    assert_memory_equal(f, e, sizeof e);
    for (int i = N; i < 2 * N; i++) {
        long double v[10], size[10];
        naive(x, q, N, y + 3 * i, v, size);
        /* One near source dominates: the error is that term's rounding. */
        assert_true(near_to(r[i], v[0], size[0], 4e-16));
    }
}

static void threads_change_nothing(void **state)
{
    (void)state;
    double x[3 * N], q[N], p[2][N], e[2][3 * N], energy[2], w[2][9];
    make(x, q, N);
    for (int k = 0; k < 2; k++) {
        struct direct_args args = {1 + 2 * k, isa_best(), N, 0, x, NULL, q, 0};
        assert_int_equal(direct_sum(&args, p[k], e[k], &energy[k], w[k]),
                         FARSUM_OK);
    }
    assert_memory_equal(p[0], p[1], sizeof p[0]);
    assert_memory_equal(e[0], e[1], sizeof e[0]);
    assert_true(energy[0] == energy[1]);
    assert_memory_equal(w[0], w[1], sizeof w[0]);
}

/* F = -dE/dx and W = -dE/d(strain) by central differences. */
static void differences(void **state)
{
    (void)state;
    enum { FEW = 19 };
    double x[3 * FEW], q[FEW], e[3 * FEW], w[9], two[2];
    const double h = 1e-5;
    make(x, q, FEW);
    struct direct_args args = {1, isa_best(), FEW, 0, x, NULL, q, 0};
    assert_int_equal(direct_sum(&args, NULL, e, NULL, w), FARSUM_OK);
    for (int a = 0; a < 3; a++) {
        double keep = x[3 * 4 + a];
        for (int s = 0; s < 2; s++) {
            x[3 * 4 + a] = keep + (s ? h : -h);
            assert_int_equal(direct_sum(&args, NULL, NULL, &two[s], NULL),
                             FARSUM_OK);
        }
        x[3 * 4 + a] = keep;
        assert_true(fabs((two[0] - two[1]) / (2 * h) - q[4] * e[3 * 4 + a]) <
                    1e-9);
    }
    for (int ab = 0; ab < 9; ab++) {
        double y[3 * FEW];
        for (int s = 0; s < 2; s++) {
            memcpy(y, x, sizeof y);
            for (int i = 0; i < FEW; i++)
                y[3 * i + ab / 3] += (s ? h : -h) * x[3 * i + ab % 3];
            args.x = y;
            assert_int_equal(direct_sum(&args, NULL, NULL, &two[s], NULL),
                             FARSUM_OK);
        }
        assert_true(fabs((two[0] - two[1]) / (2 * h) - w[ab]) < 1e-8);
    }
}

static void refusals(void **state)
{
    (void)state;
    const double x[3] = {1, 2, 3}, q = 2;
    double p = 1, e[3] = {1, 1, 1}, energy = 5;
    struct direct_args args = {1, ISA_BASE, 1, 1, x, x, &q, 0};
    assert_int_equal(direct_sum(&args, NULL, NULL, &energy, NULL),
                     FARSUM_ERR_ARGUMENT);
    assert_true(energy == 5);
    /* One particle is valid, and has no force. */
    args.y = NULL;
    int64_t before = mem_bytes();
    mem_fail_at(1); /* nothing is allocated */
    assert_int_equal(direct_sum(&args, &p, e, &energy, NULL), FARSUM_OK);
    mem_fail_at(0);
    assert_int_equal(mem_bytes(), before);
    assert_true(p == 0 && e[0] == 0 && e[1] == 0 && e[2] == 0 && energy == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(against_long_double),
        cmocka_unit_test(two_charges),
        cmocka_unit_test(sums_are_compensated),
        cmocka_unit_test(separate_targets),
        cmocka_unit_test(threads_change_nothing),
        cmocka_unit_test(differences),
        cmocka_unit_test(refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
