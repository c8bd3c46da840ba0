/* SPDX-License-Identifier: Apache-2.0 */
/* potential_any.c: tests of the references for screened charges and 1/r^6:
 * lattice sums, the limit of no screening, derivatives, splits. */
#include "flow_check.h"
#include "reference/direct/direct_any.h"

enum { N = 40, WIDTH = REFERENCE_VIRIAL, KINDS = 2 };
static const char *const names[KINDS] = {"yukawa", "r6"};
static const double screens[KINDS] = {5, 0};

static const struct reference_kind *kind_of(int k)
{
    const struct reference_kind *kind = reference_kind_find(names[k]);
    assert_non_null(kind);
    return kind;
}

/* phi, E, w of a unit charge at d, added to v. */
static void bare(int k, double screen, const long double d[3], long double q,
                 long double v[WIDTH])
{
    long double r2 = d[0] * d[0] + d[1] * d[1] + d[2] * d[2], r = sqrtl(r2);
    long double phi = k ? q / (r2 * r2 * r2) : q * expl(-screen * r) / r;
    long double f = k ? 6 * phi / r2 : phi * (1 + screen * r) / r2;
    v[0] += phi;
    for (int a = 0; a < 3; a++) {
        v[1 + a] += f * d[a];
        v[4 + a] += f * d[a] * d[a];
    }
    v[7] += f * d[0] * d[1];
    v[8] += f * d[0] * d[2];
    v[9] += f * d[1] * d[2];
}

static void run(int k, double screen, const struct ewald_setup *s, int64_t n,
                const double *x, const double *q, int width, double *v)
{
    struct ewald_any *e = NULL;
    assert_int_equal(ewald_any_create(kind_of(k), screen, s, &e), FARSUM_OK);
    assert_int_equal(ewald_any_set_points(e, n, x, 0, NULL), FARSUM_OK);
    assert_int_equal(ewald_any_run(e, q, width, v), FARSUM_OK);
    ewald_any_destroy(e);
}

static double energy_of(int64_t n, const double *q, const double *v, int width)
{
    long double sum = 0;
    for (int64_t i = 0; i < n; i++)
        sum += 0.5L * q[i] * v[width * i];
    return (double)sum;
}

enum { R = 13, SIDE = 2 * R + 1 };

/* Sum at particle i of all images within R cells. */
static void images(int k, double screen, int n, const double *x,
                   const double *q, int i, long double sum[WIDTH])
{
    for (int c = 0; c < SIDE * SIDE * SIDE; c++) {
        int cell[3] = {c / SIDE / SIDE - R, c / SIDE % SIDE - R, c % SIDE - R};
        for (int j = 0; j < n; j++) {
            long double d[3];
            if (i == j && c == SIDE * SIDE * SIDE / 2)
                continue;
            for (int a = 0; a < 3; a++) {
                d[a] = x[3 * i + a] - (long double)x[3 * j + a];
                for (int b = 0; b < 3; b++)
                    d[a] += cell[b] * (long double)flow_tilted[3 * b + a];
            }
            bare(k, screen, d, q[j], sum);
        }
    }
}

/* 1/r^6 with a total strength of zero: the remainder beyond R then falls as its
 * sixth power. */
static void lattice_sums(void **state)
{
    (void)state;
    enum { FEW = 3 };
    for (int k = 0; k < KINDS; k++) {
        double x[3 * FEW], v[WIDTH * FEW];
        const double q[FEW] = {1, -3, 2 + (k == 0)};
        flow_points(flow_tilted, FEW, 0, 3, x, NULL);
        struct ewald_setup s = flow_setup(flow_tilted, FEW, 0);
        run(k, screens[k], &s, FEW, x, q, WIDTH, v);
        for (int i = 0; i < FEW; i++) {
            long double sum[WIDTH] = {0};
            images(k, screens[k], FEW, x, q, i, sum);
            for (int a = 0; a < WIDTH; a++)
                assert_true(fabsl(v[WIDTH * i + a] - sum[a])
                            < (k ? 1e-6 : 1e-13) * (1 + fabsl(sum[a])));
        }
    }
}

/* A charge with only its own images: its potential is far below its strength,
 * and still accurate to its own digits. */
static void strong_screening(void **state)
{
    (void)state;
    const double q = 1;
    for (int strength = 10; strength <= 70; strength += 15) {
        double x[3], v[WIDTH];
        long double sum[WIDTH] = {0}, size = 0;
        flow_points(flow_tilted, 1, 0, 3, x, NULL);
        struct ewald_setup s = flow_setup(flow_tilted, 1, 0);
        run(0, strength, &s, 1, x, &q, WIDTH, v);
        images(0, strength, 1, x, &q, 0, sum);
        for (int a = 0; a < WIDTH; a++)
            size = fmaxl(size, fabsl(sum[a]));
        for (int a = 0; a < WIDTH; a++)
            assert_true(fabsl(v[a] - sum[a]) < 1e-13L * size);
    }
}

/* Any cutoff and basis; fewer outputs have the same values. */
static void split_independent(void **state)
{
    (void)state;
    static const double cutoffs[] = {0, 0.5, 0.9, 1.6, 0.7};
    for (int k = 0; k < KINDS; k++) {
        double x[3 * N], q[N], v[WIDTH * N], w[WIDTH * N], few[4 * N];
        flow_points(flow_tilted, N, 1, 5, x, q);
        for (int r = 0; r < 5; r++) {
            struct ewald_setup s = flow_setup(flow_tilted, N, 0);
            s.cutoff = cutoffs[r];
            for (int d = 0; d < 3 && r == 4; d++)
                s.cell[3 + d] += s.cell[d];
            run(k, screens[k], &s, N, x, q, WIDTH, r ? w : v);
            double worst[WIDTH] = {0}, size[WIDTH] = {0};
            for (int i = 0; r && i < WIDTH * N; i++) {
                int a = i % WIDTH;
                worst[a] = fmax(worst[a], fabs(w[i] - v[i]));
                size[a] = fmax(size[a], fabs(v[i]));
            }
            for (int a = 0; r && a < WIDTH; a++)
                assert_true(worst[a] < 1e-14 * size[a]);
            for (int width = 1; width <= 4; width += 3) {
                run(k, screens[k], &s, N, x, q, width, few);
                for (int i = 0; i < N * width; i++)
                    assert_true(few[i] == (r ? w : v)[i / width * WIDTH
                                                      + i % width]);
            }
        }
    }
}

/* Neutral charges, almost unscreened, against 1/r, which has its own code.
 * e^(-kappa r)/r is about 1/r - kappa; its sum over the others is kappa q of
 * the particle. */
static void no_screening(void **state)
{
    (void)state;
    const double screen = 1e-5;
    double x[3 * N], q[N], v[WIDTH * N], phi[N], e[3 * N], energy, w[9];
    flow_points(flow_tilted, N, 1, 6, x, q);
    for (int i = 0; i < N; i++)
        q[i] = i % 2 ? 1 : -1;
    struct ewald_setup s = flow_setup(flow_tilted, N, 0);
    run(0, screen, &s, N, x, q, WIDTH, v);
    check_run(&s, N, x, 0, NULL, q, phi, e, &energy, w);
    assert_true(fabs(energy_of(N, q, v, WIDTH) - screen * N / 2 - energy)
                < 1e-9);
    double virial[6] = {0};
    for (int i = 0; i < N; i++) {
        assert_true(fabs(v[WIDTH * i] - screen * q[i] - phi[i]) < 1e-9);
        for (int d = 0; d < 3; d++)
            assert_true(fabs(v[WIDTH * i + 1 + d] - e[3 * i + d]) < 1e-9);
        for (int a = 0; a < 6; a++)
            virial[a] += 0.5 * q[i] * v[WIDTH * i + 4 + a];
    }
    static const int at[6] = {0, 4, 8, 1, 2, 5};
    for (int a = 0; a < 6; a++)
        assert_true(fabs(virial[a] - w[at[a]]) < 1e-9);
}

/* F = -dU/dx and W = -dU/d(strain), fourth-order central differences. */
static void differences(void **state)
{
    (void)state;
    enum { FEW = 9 };
    static const double step[4] = {-2, -1, 1, 2};
    static const double weight[4] = {1. / 12, -8. / 12, 8. / 12, -1. / 12};
    static const int at[9] = {4, 7, 8, 7, 5, 9, 8, 9, 6};
    const double h = 1e-4;
    for (int k = 0; k < KINDS; k++) {
        double x[3 * FEW], q[FEW], v[WIDTH * FEW], u[FEW], y[3 * FEW];
        flow_points(flow_tilted, FEW, 1, 8, x, q);
        struct ewald_setup s = flow_setup(flow_tilted, FEW, 0);
        run(k, screens[k], &s, FEW, x, q, WIDTH, v);
        for (int a = 0; a < 3; a++) {
            double slope = 0;
            for (int p = 0; p < 4; p++) {
                memcpy(y, x, sizeof y);
                y[3 + a] += h * step[p];
                run(k, screens[k], &s, FEW, y, q, 1, u);
                slope += weight[p] / h * energy_of(FEW, q, u, 1);
            }
            double force = q[1] * v[WIDTH + 1 + a];
            assert_true(fabs(slope + force) < 1e-7 * (1 + fabs(force)));
        }
        for (int ab = 0; ab < 9; ab++) {
            double slope = 0, virial = 0;
            for (int p = 0; p < 4; p++) {
                struct ewald_setup t = s;
                memcpy(y, x, sizeof y);
                for (int i = 0; i < 3; i++)
                    t.cell[3 * i + ab / 3] +=
                        h * step[p] * s.cell[3 * i + ab % 3];
                for (int i = 0; i < FEW; i++)
                    y[3 * i + ab / 3] += h * step[p] * x[3 * i + ab % 3];
                run(k, screens[k], &t, FEW, y, q, 1, u);
                slope += weight[p] / h * energy_of(FEW, q, u, 1);
            }
            for (int i = 0; i < FEW; i++)
                virial += 0.5 * q[i] * v[WIDTH * i + at[ab]];
            assert_true(fabs(slope + virial) < 1e-7 * (1 + fabs(virial)));
        }
    }
}

/* Errors of field and potential in the norms of ewald_sum.h. */
static void accuracies(void **state)
{
    (void)state;
    for (int k = 0; k < KINDS; k++) {
        double x[3 * N], q[N], v[4 * N], w[4 * N], a[2][N], b[2][3 * N];
        flow_points(flow_tilted, N, 1, 5, x, q);
        struct ewald_setup s = flow_setup(flow_tilted, N, 0);
        run(k, screens[k], &s, N, x, q, 4, v);
        for (s.accuracy = 1e-2; s.accuracy > 1e-13; s.accuracy /= 1000) {
            run(k, screens[k], &s, N, x, q, 4, w);
            for (int i = 0; i < N; i++) {
                a[0][i] = w[4 * i];
                a[1][i] = v[4 * i];
                for (int d = 0; d < 3; d++) {
                    b[0][3 * i + d] = w[4 * i + 1 + d];
                    b[1][3 * i + d] = v[4 * i + 1 + d];
                }
            }
            assert_true(check_error(N, a[0], a[1], 0) < s.accuracy);
            assert_true(check_error(3 * N, b[0], b[1], 0) < s.accuracy);
        }
    }
}

static void open_sum(void **state)
{
    (void)state;
    for (int k = 0; k < KINDS; k++) {
        double x[3 * N], q[N], v[WIDTH * N];
        flow_points(flow_tilted, N, 1, 5, x, q);
        for (int isa = 0; isa <= (int)isa_best(); isa++) {
            const struct direct_any args = {
                {2, (enum isa)isa, N, 0, x, NULL, q, 0}, screens[k], WIDTH};
            direct_any_sum(kind_of(k), &args, v);
            for (int i = 0; i < N; i++) {
                long double sum[WIDTH] = {0}, size[WIDTH] = {0};
                for (int j = 0; j < N; j++) {
                    long double d[3], one[WIDTH] = {0};
                    for (int a = 0; a < 3; a++)
                        d[a] = (long double)x[3 * i + a] - x[3 * j + a];
                    if (i != j)
                        bare(k, screens[k], d, q[j], one);
                    for (int a = 0; a < WIDTH; a++) {
                        sum[a] += one[a];
                        size[a] += fabsl(one[a]);
                    }
                }
                for (int a = 0; a < WIDTH; a++)
                    assert_true(fabsl(v[WIDTH * i + a] - sum[a])
                                < 2e-15 * size[a]);
            }
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lattice_sums),
        cmocka_unit_test(strong_screening),
        cmocka_unit_test(split_independent),
        cmocka_unit_test(no_screening),
        cmocka_unit_test(differences),
        cmocka_unit_test(accuracies),
        cmocka_unit_test(open_sum),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
