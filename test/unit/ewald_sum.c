/* SPDX-License-Identifier: Apache-2.0 */
/* ewald_sum.c: the periodic reference against sums written independently, and
 * its invariants. */
#include "ewald_check.h"

static const long double pi = 3.14159265358979323846264338327950288L;
static const double tilted[9] = {1.1, 0.1, -0.2, 0.4, 0.9, 0.3, -0.3, 0.2, 1.3};

/* Volume and 2 pi times the reciprocal rows. */
static long double reciprocal(const double *a, long double b[9])
{
    for (int i = 0; i < 3; i++)
        for (int d = 0; d < 3; d++) {
            int j = (i + 1) % 3, k = (i + 2) % 3, e = (d + 1) % 3;
            int f = (d + 2) % 3;
            b[3 * i + d] = (long double)a[3 * j + e] * a[3 * k + f] -
                           (long double)a[3 * j + f] * a[3 * k + e];
        }
    long double v = a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
    for (int i = 0; i < 9; i++)
        b[i] *= 2 * pi / v;
    return v;
}

/* phi and E at y, with all images within +-8 and modes within +-9, xi = 2; `on`
 * is the source at y, or -1. */
static void naive(const double *cell, int64_t n, const double *x,
                  const double *q, const double *y, int64_t on,
                  long double v[4])
{
    const long double xi = 2;
    long double b[9], volume = reciprocal(cell, b);
    v[0] = v[1] = v[2] = v[3] = 0;
    for (int64_t j = 0; j < n; j++) {
        long double d[3];
        for (int a = 0; a < 3; a++)
            d[a] = (long double)y[a] - x[3 * j + a];
        if (on == j)
            v[0] -= q[j] * 2 * xi / sqrtl(pi);
        v[0] -= q[j] * pi / (xi * xi * volume);
        for (int i = 0; i < 17 * 17 * 17; i++) {
            int c[3] = {i / 289 - 8, i / 17 % 17 - 8, i % 17 - 8};
            long double e[3], r2 = 0;
            if (on == j && c[0] == 0 && c[1] == 0 && c[2] == 0)
                continue;
            for (int a = 0; a < 3; a++) {
                e[a] = d[a] + c[0] * cell[a] + c[1] * cell[3 + a] +
                       c[2] * cell[6 + a];
                r2 += e[a] * e[a];
            }
            long double r = sqrtl(r2), p = erfcl(xi * r) / r;
            long double f =
                (p + 2 * xi / sqrtl(pi) * expl(-xi * xi * r2)) / r2;
            v[0] += q[j] * p;
            for (int a = 0; a < 3; a++)
                v[1 + a] += q[j] * f * e[a];
        }
        for (int i = 0; i < 19 * 19 * 19; i++) {
            int c[3] = {i / 361 - 9, i / 19 % 19 - 9, i % 19 - 9};
            long double k[3], k2 = 0, kd = 0;
            if (c[0] == 0 && c[1] == 0 && c[2] == 0)
                continue;
            for (int a = 0; a < 3; a++) {
                k[a] = c[0] * b[a] + c[1] * b[3 + a] + c[2] * b[6 + a];
                k2 += k[a] * k[a];
                kd += k[a] * d[a];
            }
            long double g =
                q[j] * 4 * pi / volume * expl(-k2 / (4 * xi * xi)) / k2;
            v[0] += g * cosl(kd);
            for (int a = 0; a < 3; a++)
                v[1 + a] += g * k[a] * sinl(kd);
        }
    }
}

static int close_to(double value, long double exact, double tolerance)
{
    return fabsl(value - exact) <= tolerance;
}

/* A total charge, a tilted cell, points outside it, and separate targets, one
 * at an image of a source; vacuum too. */
static void against_naive(void **state)
{
    (void)state;
    enum { N = 5, M = 3 };
    double x[3 * N], q[N], y[3 * M];
    check_points(tilted, N, 0.7, 3, x, q);
    check_points(tilted, M, 0, 4, y, (double[M]){0});
    long double b[9], volume = reciprocal(tilted, b), dipole[3] = {0};
    for (int d = 0; d < 3; d++) {
        y[d] = x[3 * 2 + d];
        x[3 * 4 + d] -= 5 * tilted[d] - 2 * tilted[6 + d];
        for (int j = 0; j < N; j++)
            dipole[d] += (long double)q[j] * x[3 * j + d];
    }
    long double exact[M][4];
    for (int i = 0; i < M; i++)
        naive(tilted, N, x, q, y + 3 * i, i == 0 ? 2 : -1, exact[i]);
    for (int d = 0; d < 3; d++) /* a lattice vector changes nothing */
        y[d] += 1 * tilted[d] - 3 * tilted[3 + d];
    for (int run = 0; run < 4 + (int)isa_best(); run++) {
        int vacuum = run & 1;
        struct ewald_setup s = {
            .accuracy = EWALD_BEST, .n = N, .m = M, .threads = 1,
            .isa = run > 3 ? (enum isa)(run - 4) : isa_best(),
            .level = run / 2 == 1 ? EWALD_LONG : EWALD_F64, .vacuum = vacuum};
        memcpy(s.cell, tilted, sizeof tilted);
        double p[M], e[3 * M];
        check_run(&s, N, x, M, y, q, p, e, NULL, NULL);
        for (int i = 0; i < M; i++) {
            long double surface = vacuum ? 4 * pi / (3 * volume) : 0, my = 0;
            for (int d = 0; d < 3; d++) {
                my += dipole[d] * y[3 * i + d];
                assert_true(close_to(e[3 * i + d],
                                     exact[i][1 + d] - surface * dipole[d],
                                     2e-14 + 1e-15 * i));
            }
            assert_true(close_to(p[i], exact[i][0] + surface * my, 1e-14));
        }
    }
}

/* Any cutoff, basis and instruction set: the same sum. */
static void split_independent(void **state)
{
    (void)state;
    enum { N = 150 };
    static const double cutoffs[] = {0, 0.5, 0.9, 1.4, 2.2, 0.7, 0.7};
    double x[3 * N], q[N], p[2][N], e[2][3 * N], energy[2], w[2][9];
    check_points(tilted, N, 2, 5, x, q);
    for (int run = 0; run < 7; run++) {
        struct ewald_setup s = {.accuracy = EWALD_BEST, .n = N, .threads = 2,
                                .isa = isa_best(), .cutoff = cutoffs[run],
                                .level = run ? EWALD_F64 : EWALD_LONG};
        memcpy(s.cell, tilted, sizeof tilted);
        for (int d = 0; d < 3 && run == 6; d++) { /* the same lattice */
            s.cell[3 + d] += 40 * s.cell[d];
            s.cell[6 + d] += 1001 * s.cell[d] - 12 * s.cell[3 + d];
        }
        int at = run > 0;
        check_run(&s, N, x, 0, NULL, q, p[at], e[at], &energy[at], w[at]);
        if (run == 0)
            continue;
        /* the other basis is rounded to double: 1000 roundings larger */
        double most = run == 6 ? 1e-12 : 2e-15;
        assert_true(check_error(N, p[1], p[0], 0) < most);
        assert_true(check_error(3 * N, e[1], e[0], 0) < most);
        assert_true(check_error(1, &energy[1], &energy[0], 0) < most);
        assert_true(check_error(9, w[1], w[0], 0) < 2 * most);
        double f[3] = {0};
        for (int i = 0; i < 3 * N; i++)
            f[i % 3] += q[i / 3] * e[1][i];
        for (int d = 0; d < 3; d++) /* Newton's third law */
            assert_true(fabs(f[d]) < 1e-12 * N);
    }
}

static double energy_of(const struct ewald_setup *s, int64_t n, const double *x,
                        const double *q)
{
    double energy;
    check_run(s, n, x, 0, NULL, q, NULL, NULL, &energy, NULL);
    return energy;
}

/* F = -dE/dx and W = -dE/d(strain), with a total charge, with and without the
 * surface term; fourth-order central differences. */
static void differences(void **state)
{
    (void)state;
    enum { N = 11 };
    static const double step[4] = {-2, -1, 1, 2};
    static const double weight[4] = {1. / 12, -8. / 12, 8. / 12, -1. / 12};
    const double h = 3e-4;
    double x[3 * N], q[N], e[3 * N], w[9];
    check_points(tilted, N, 0.4, 6, x, q);
    x[3] += 2 * tilted[0], x[4] += 2 * tilted[1], x[5] += 2 * tilted[2];
    for (int vacuum = 0; vacuum < 2; vacuum++) {
        struct ewald_setup s = {.accuracy = EWALD_BEST, .n = N, .threads = 1,
                                .isa = isa_best(), .level = EWALD_F64,
                                .vacuum = vacuum};
        memcpy(s.cell, tilted, sizeof tilted);
        check_run(&s, N, x, 0, NULL, q, NULL, e, NULL, w);
        for (int a = 0; a < 3; a++) {
            double keep = x[3 + a], slope = 0;
            for (int k = 0; k < 4; k++) {
                x[3 + a] = keep + h * step[k];
                slope += weight[k] / h * energy_of(&s, N, x, q);
            }
            x[3 + a] = keep;
            assert_true(fabs(slope + q[1] * e[3 + a]) < 2e-9);
        }
        for (int ab = 0; ab < 9; ab++) {
            double slope = 0, y[3 * N];
            for (int k = 0; k < 4; k++) {
                struct ewald_setup t = s;
                memcpy(y, x, sizeof y);
                for (int i = 0; i < 3; i++)
                    t.cell[3 * i + ab / 3] +=
                        h * step[k] * s.cell[3 * i + ab % 3];
                for (int i = 0; i < N; i++)
                    y[3 * i + ab / 3] += h * step[k] * x[3 * i + ab % 3];
                slope += weight[k] / h * energy_of(&t, N, y, q);
            }
            assert_true(fabs(slope + w[ab]) < 2e-9);
        }
    }
}

/* Vacuum at infinity is the limit of images summed in spheres: sum over cells n
 * of the cell's pairs times exp(-t |n|^2), t to 0 (de Leeuw, Perram, Smith,
 * Proc.  R.  Soc.  A 373:27, 1980). */
static void vacuum_is_spheres(void **state)
{
    (void)state;
    enum { N = 3, MOST = 40 };
    const double x[3 * N] = {0.1, 0.2, 0.3, 0.5, 0.4, 0.1, 0.8, 0.6, 0.7};
    const double q[N] = {1, -1.5, 0.5};
    double sum[3], energy[2];
    for (int k = 0; k < 3; k++) {
        double t = 0.1 / (1 << k);
        sum[k] = 0;
        for (int a = -MOST; a <= MOST; a++)
            for (int b = -MOST; b <= MOST; b++)
                for (int c = -MOST; c <= MOST; c++) {
                    double cell = 0;
                    for (int i = 0; i < N * N; i++) {
                        const double *u = x + i / N * 3, *v = x + i % N * 3;
                        double d[3] = {u[0] - v[0] + a, u[1] - v[1] + b,
                                       u[2] - v[2] + c};
                        double r2 = d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
                        if (r2 > 0)
                            cell += q[i / N] * q[i % N] / sqrt(r2) / 2;
                    }
                    sum[k] += cell * exp(-t * (a * a + b * b + c * c));
                }
    }
    double once[2] = {2 * sum[1] - sum[0], 2 * sum[2] - sum[1]};
    double limit = (4 * once[1] - once[0]) / 3;
    for (int vacuum = 0; vacuum < 2; vacuum++) {
        struct ewald_setup s = {.cell = {1, 0, 0, 0, 1, 0, 0, 0, 1},
                                .accuracy = 1e-10, .n = N, .threads = 1,
                                .isa = isa_best(), .vacuum = vacuum};
        energy[vacuum] = energy_of(&s, N, x, q);
    }
    assert_true(fabs(limit - energy[1]) < 1e-4);
    assert_true(fabs(limit - energy[0]) > 1e-2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(against_naive),
        cmocka_unit_test(split_independent),
        cmocka_unit_test(differences),
        cmocka_unit_test(vacuum_is_spheres),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
