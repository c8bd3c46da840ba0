/* SPDX-License-Identifier: Apache-2.0 */
/* flow_laws.c: invariants of periodic flows: adjointness, no divergence,
 * relations between the kernels, closed surfaces. */
#include "ellipsoid.h"
#include "flow_check.h"

/* Derivatives by fourth-order central differences. */
static const double step[4] = {-2, -1, 1, 2};
static const double weight[4] = {1. / 12, -8. / 12, 8. / 12, -1. / 12};
enum { POINTS = 12 }; /* 4 along each axis */

/* Targets around y along each axis. */
static void stencil(const double y[3], double h, double *at)
{
    for (int p = 0; p < POINTS; p++)
        for (int d = 0; d < 3; d++)
            at[3 * p + d] = y[d] + (d == p / 4 ? h * step[p % 4] : 0);
}

/* g[a][b] = d v_a / d y_b from values at the stencil. */
static void gradient(const double *v, double h, double g[3][3])
{
    for (int a = 0; a < 3; a++)
        for (int b = 0; b < 3; b++) {
            g[a][b] = 0;
            for (int p = 0; p < 4; p++)
                g[a][b] += weight[p] / h * v[3 * (4 * b + p) + a];
        }
}

/* f.(S g) = g.(S f), with a total force in both. */
static void adjoint(void **state)
{
    (void)state;
    enum { N = 60 };
    double x[3 * N], f[6 * N], g[6 * N], sf[3 * N], sg[3 * N];
    flow_points(flow_tilted, N, 3, 1, x, f);
    flow_points(flow_tilted, N, 3, 1, x, g);
    for (int i = 0; i < 3 * N; i++)
        g[i] = f[(7 * i + 5) % (3 * N)];
    struct ewald_setup s = flow_setup(flow_tilted, N, 0);
    flow_run(0, &s, N, x, 0, NULL, f, sf);
    flow_run(0, &s, N, x, 0, NULL, g, sg);
    flow_adjoint(3 * N, f, sf, g, sg);
}

/* div u = 0; rotlet(t) = 1/2 curl stokeslet(t); stresslet(q, n) = (n.grad)
 * stokeslet(q) + (q.grad) stokeslet(n) - 2 (q.n) E + mean.  E is the field of
 * unit charges, whose background cancels with (7.7). */
static void derivatives(void **state)
{
    (void)state;
    enum { N = 7 };
    const double h = 1e-3, y[3] = {0.31, 0.52, 0.23};
    double x[3 * N], q[6 * N], at[3 * POINTS], v[3 * POINTS], g[3][3];
    flow_points(flow_tilted, N, 6, 2, x, q);
    for (int i = 0; i < 3 * N; i += 3) /* away from y */
        if (fabs(x[i] - y[0]) < 0.15)
            x[i] += 0.3;
    stencil(y, h, at);
    struct ewald_setup s = flow_setup(flow_tilted, N, POINTS);
    for (int k = 0; k < 2; k++) {
        double curl[3], rotlet[3];
        flow_run(k, &s, N, x, POINTS, at, q, v);
        gradient(v, h, g);
        assert_true(fabs(g[0][0]) > 0.1);
        assert_true(fabs(g[0][0] + g[1][1] + g[2][2]) < 1e-7);
        if (k == 1)
            break;
        for (int a = 0; a < 3; a++)
            curl[a] = g[(a + 2) % 3][(a + 1) % 3] - g[(a + 1) % 3][(a + 2) % 3];
        flow_run(1, &s, N, x, 1, y, q, rotlet);
        for (int a = 0; a < 3; a++)
            assert_true(fabs(rotlet[a] - 0.5 * curl[a]) < 1e-7);
    }
}

static void double_layer(void **state)
{
    (void)state;
    enum { N = 7 };
    const double h = 1e-3, y[3] = {0.31, 0.52, 0.23};
    double x[3 * N], q[6 * N], at[3 * POINTS], v[3 * POINTS];
    double part[2][3 * N], sum[3] = {0}, flow[3], charge[N], field[3];
    flow_points(flow_tilted, N, 6, 2, x, q);
    stencil(y, h, at);
    struct ewald_setup s = flow_setup(flow_tilted, N, POINTS);
    long double volume = 0;
    for (int a = 0; a < 3; a++) {
        int b = (a + 1) % 3, c = (a + 2) % 3;
        volume += flow_tilted[a] * (flow_tilted[3 + b] * flow_tilted[6 + c] -
                                    flow_tilted[3 + c] * flow_tilted[6 + b]);
    }
    for (int j = 0; j < N; j++) {
        charge[j] = 0;
        for (int d = 0; d < 3; d++) {
            part[0][3 * j + d] = q[6 * j + d];
            part[1][3 * j + d] = q[6 * j + 3 + d];
            charge[j] += q[6 * j + d] * q[6 * j + 3 + d];
        }
        for (int d = 0; d < 3; d++)
            sum[d] += (double)(8 * 3.14159265358979323846 / volume *
                               (x[3 * j + d] - y[d]) * charge[j]);
    }
    /* Each source separately: its gradient is along its own vectors. */
    for (int j = 0; j < N; j++)
        for (int p = 0; p < 2; p++) {
            double g[3][3];
            flow_run(0, &s, 1, x + 3 * j, POINTS, at, part[p] + 3 * j, v);
            gradient(v, h, g);
            for (int a = 0; a < 3; a++)
                for (int b = 0; b < 3; b++)
                    sum[a] += g[a][b] * part[!p][3 * j + b];
        }
    check_run(&s, N, x, 1, y, charge, NULL, field, NULL, NULL);
    flow_run(2, &s, N, x, 1, y, q, flow);
    for (int a = 0; a < 3; a++)
        assert_true(fabs(flow[a] - (sum[a] - 2 * field[a])) < 2e-7);
}

/* A closed surface with a constant density q: +8 pi q inside, 0 outside.  This
 * holds also if the surface is larger than half the cell and crosses its faces;
 * d is from source to target, normals point outward. */
static void closed_surface(void **state)
{
    (void)state;
    static const double density[3] = {1, -2, 0.5};
    static const double centre[2][3] = {{0.6, 0.65, 0.7}, {0.02, -3, 8.1}};
    double *x = calloc(3 * SURFACE, sizeof *x), y[12], v[12];
    double *q = calloc(6 * SURFACE, sizeof *q);
    assert_true(x && q);
    for (int run = 0; run < 2; run++) {
        ellipsoid_make(centre[run], density, x, q);
        ellipsoid_targets(centre[run], flow_tilted, y);
        struct ewald_setup s = flow_setup(flow_tilted, SURFACE, 4);
        s.accuracy = 1e-10;
        flow_run(2, &s, SURFACE, x, 4, y, q, v);
        for (int p = 0; p < 12; p++)
            assert_true(fabs(v[p] - (p < 6 ? 8 * 3.14159265358979323846
                                                 * density[p % 3]
                                           : 0)) < 1e-9);
    }
    free(x);
    free(q);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(adjoint),
        cmocka_unit_test(derivatives),
        cmocka_unit_test(double_layer),
        cmocka_unit_test(closed_surface),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
