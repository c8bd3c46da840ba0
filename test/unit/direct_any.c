/* SPDX-License-Identifier: Apache-2.0 */
/* direct_any.c: the open sum of flows against a long double sum, and its
 * invariants. */
#include "flow_check.h"
#include "reference/direct/direct_any.h"

enum { N = 203 };

static void points(double *x, double *q, int strengths)
{
    flow_points(flow_tilted, N, strengths, 7, x, q);
}

static void against_long_double(void **state)
{
    (void)state;
    for (int k = 0; k < 3; k++) {
        const struct reference_kind *kind = flow_kind(k);
        int width = kind->strengths;
        double x[3 * N], q[6 * N], v[3 * N];
        points(x, q, width);
        for (int isa = 0; isa <= (int)isa_best(); isa++) {
            const struct direct_any args = {
                {2, (enum isa)isa, N, 0, x, NULL, q, 0}, 0, 3};
            direct_any_sum(kind, &args, v);
            for (int i = 0; i < N; i++) {
                long double sum[3] = {0}, size = 0;
                for (int j = 0; j < N; j++) {
                    long double d[3], one[3] = {0};
                    for (int a = 0; a < 3; a++)
                        d[a] = (long double)x[3 * i + a] - x[3 * j + a];
                    if (i == j)
                        continue;
                    flow_bare(k, d, q + width * j, one);
                    for (int a = 0; a < 3; a++) {
                        sum[a] += one[a];
                        size += fabsl(one[a]);
                    }
                }
                for (int a = 0; a < 3; a++)
                    assert_true(fabsl(v[3 * i + a] - sum[a]) < 5e-16 * size);
            }
        }
    }
}

/* Signs and factors, by hand: the source at the origin, the target at 2 x. */
static void one_source(void **state)
{
    (void)state;
    const double x[3] = {0}, y[3] = {2, 0, 0};
    const double q[3][6] = {{4, 8, -2}, {3, 5, 8}, {2, 1, 7, 3, 9, 1}};
    /* f/2 + (2 f_x) 2 x/8; t x (2 x)/8; -6 (2 q_x)(2 n_x) 2 x/32 */
    const double wanted[3][3] = {{4, 4, -1}, {0, 2, -1.25}, {-9, 0, 0}};
    for (int k = 0; k < 3; k++) {
        double v[3];
        const struct direct_any args = {
            {1, ISA_BASE, 1, 1, x, y, q[k], 0}, 0, 3};
        direct_any_sum(flow_kind(k), &args, v);
        for (int a = 0; a < 3; a++)
            assert_true(v[a] == wanted[k][a]);
    }
}

/* Separate targets, of which those at a source skip it; any number of
 * threads. */
static void separate_targets(void **state)
{
    (void)state;
    for (int k = 0; k < 3; k++) {
        double x[3 * N], q[6 * N], v[3 * N], y[6 * N], w[6 * N], u[6 * N];
        points(x, q, flow_kind(k)->strengths);
        struct direct_any args = {{1, isa_best(), N, 0, x, NULL, q, 0}, 0, 3};
        direct_any_sum(flow_kind(k), &args, v);
        for (int i = 0; i < 3 * N; i++) {
            y[i] = x[i];
            y[3 * N + i] = x[i] + 0.01;
        }
        args.pairs.y = y;
        args.pairs.m = 2 * N;
        direct_any_sum(flow_kind(k), &args, w);
        assert_memory_equal(v, w, sizeof v);
        args.pairs.threads = 5;
        direct_any_sum(flow_kind(k), &args, u);
        assert_memory_equal(w, u, sizeof w);
    }
}

/* f.(S g) = g.(S f).  flow_laws tests a closed surface's flow from both
 * sides. */
static void adjoint(void **state)
{
    (void)state;
    double x[3 * N], f[3 * N], g[3 * N], sf[3 * N], sg[3 * N];
    points(x, f, 3);
    for (int i = 0; i < 3 * N; i++)
        g[i] = f[(7 * i + 5) % (3 * N)];
    struct direct_any args = {{2, isa_best(), N, 0, x, NULL, f, 0}, 0, 3};
    direct_any_sum(flow_kind(0), &args, sf);
    args.pairs.q = g;
    direct_any_sum(flow_kind(0), &args, sg);
    flow_adjoint(3 * N, f, sf, g, sg);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(against_long_double),
        cmocka_unit_test(one_source),
        cmocka_unit_test(separate_targets),
        cmocka_unit_test(adjoint),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
