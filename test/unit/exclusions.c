/* SPDX-License-Identifier: Apache-2.0 */
/* exclusions.c: tests of exclusions: every method and kernel against the kernel
 * itself and against an Ewald sum without the excluded pairs. */
#include "exclude_check.h"

static void every_kernel(const char *method, int periodic)
{
    for (int k = 0; k < KERNELS; k++)
        for (int64_t m = 0; m <= 20; m += 20) {
            farsum_problem p = make_problem(k, periodic, m);
            sequence(k, make_plan(&p, method), periodic, m, 1e-12);
        }
}

static void open_sums(void **state)
{
    (void)state;
    every_kernel("direct", 0);
}

static void periodic_sums(void **state)
{
    (void)state;
    every_kernel("ewald", 1);
    every_kernel("spectral", 1);
}

/* Sums in f32 are those without exclusions in f32, minus the excluded pairs in
 * f64. */
static void single_precision(void **state)
{
    (void)state;
    for (int k = 0; k < KERNELS; k++) {
        farsum_problem p = make_problem(k, 1, 0);
        p.precision = FARSUM_F32;
        p.arrays = FARSUM_F64;
        p.tolerance = 1e-3;
        sequence(k, make_plan(&p, "spectral"), 1, 0, 5e-7);
    }
}

/* For every pair: the squared distance of its excluded image, and the part of
 * it that is subtracted. */
struct mask {
    double r[N][N], lost[N][N];
};

static void mask_make(const double *x, const struct list *l, struct mask *m)
{
    memset(m, 0, sizeof *m);
    for (int e = 0; e < l->count; e++) {
        int64_t i = l->pair[e][0], j = l->pair[e][1];
        long double d[3];
        m->r[i][j] = m->r[j][i] = (double)nearest(x + 3 * i, x + 3 * j, 1, d);
        m->lost[i][j] = m->lost[j][i] = 1 - l->factor[e];
    }
}

/* As bonded force fields sum it: the near part of an excluded pair is not
 * summed at its nearest image, and the far part erf(r)/r is subtracted. */
static double masked_near(const double *x, const double *q,
                          const struct mask *m, double xi, int i,
                          double field[3])
{
    enum { R = 3, SIDE = 2 * R + 1, ALL = SIDE * SIDE * SIDE };
    double phi = -2 * xi / sqrt(M_PI) * q[i];
    for (int n = 0; n < N * ALL; n++) {
        int j = n / ALL, c = n % ALL;
        const int at[3] = {c / SIDE / SIDE - R, c / SIDE % SIDE - R,
                           c % SIDE - R};
        double d[3], r2 = 0;
        for (int a = 0; a < 3; a++) {
            d[a] = x[3 * i + a] - x[3 * j + a];
            for (int b = 0; b < 3; b++)
                d[a] += at[b] * skewed[3 * b + a];
            r2 += d[a] * d[a];
        }
        double r = sqrt(r2), lost = m->lost[i][j];
        if (r < 1e-9)
            continue;
        double near = q[j] * erfc(xi * r) / r;
        double bell = q[j] * 2 * xi / sqrt(M_PI) * exp(-xi * xi * r2);
        double f = (near + bell) / r2;
        if (lost > 0 && fabs(r - m->r[i][j]) < 1e-9) {
            double far = q[j] * erf(xi * r) / r;
            near = (1 - lost) * near - lost * far;
            f = (1 - lost) * f - lost * (far - bell) / r2;
        }
        phi += near;
        for (int a = 0; a < 3; a++)
            field[a] += f * d[a];
    }
    return phi;
}

/* The vectors of the reciprocal lattice, and the volume. */
static double masked_modes(double b[9])
{
    double volume = skewed[0] * skewed[4] * skewed[8];
    for (int a = 0; a < 3; a++) {
        const double *u = skewed + 3 * ((a + 1) % 3);
        const double *v = skewed + 3 * ((a + 2) % 3);
        for (int c = 0; c < 3; c++)
            b[3 * a + c] = 2 * M_PI / volume
                           * (u[(c + 1) % 3] * v[(c + 2) % 3]
                              - u[(c + 2) % 3] * v[(c + 1) % 3]);
    }
    return volume;
}

static double masked(const double *x, const double *q, const struct list *l,
                     double xi, double (*field)[3])
{
    enum { K = 24, SIDE = 2 * K + 1 };
    static struct mask m;
    double b[9], volume = masked_modes(b), energy = 0, net = 0;
    mask_make(x, l, &m);
    for (int i = 0; i < N; i++) {
        memset(field[i], 0, sizeof field[i]);
        energy += 0.5 * q[i] * masked_near(x, q, &m, xi, i, field[i]);
        net += q[i];
    }
    energy -= 0.5 * M_PI * net * net / (xi * xi * volume);
    for (int n = 0; n < SIDE * SIDE * SIDE; n++) {
        const int at[3] = {n / SIDE / SIDE - K, n / SIDE % SIDE - K,
                           n % SIDE - K};
        double k[3], k2 = 0, s[2] = {0};
        for (int a = 0; a < 3; a++) {
            k[a] = at[0] * b[a] + at[1] * b[3 + a] + at[2] * b[6 + a];
            k2 += k[a] * k[a];
        }
        if (!(k2 > 0) || k2 > 120 * xi * xi)
            continue;
        double front = 4 * M_PI / (volume * k2) * exp(-k2 / (4 * xi * xi));
        for (int j = 0; j < N; j++) {
            double t =
                k[0] * x[3 * j] + k[1] * x[3 * j + 1] + k[2] * x[3 * j + 2];
            s[0] += q[j] * cos(t);
            s[1] += q[j] * sin(t);
        }
        energy += 0.5 * front * (s[0] * s[0] + s[1] * s[1]);
        for (int i = 0; i < N; i++) {
            double t =
                k[0] * x[3 * i] + k[1] * x[3 * i + 1] + k[2] * x[3 * i + 2];
            double wave = front * (s[0] * sin(t) - s[1] * cos(t));
            for (int a = 0; a < 3; a++)
                field[i][a] += k[a] * wave;
        }
    }
    return energy;
}

static void as_force_fields(void **state)
{
    (void)state;
    static double x[3 * N], q[RHS * N], field[N][3];
    static const char *const methods[] = {"ewald", "spectral"};
    struct sums s;
    struct list l = make_list(N);
    flow_points(skewed, N, RHS, 5, x, q);
    double energy = masked(x, q, &l, 5.5, field);
    for (int method = 0; method < 2; method++) {
        farsum_problem p = make_problem(0, 1, 0);
        p.tolerance = 1e-12;
        farsum_plan *plan = make_plan(&p, methods[method]);
        assert_int_equal(farsum_plan_set_points(plan, N, x, 0, NULL),
                         FARSUM_OK);
        assert_int_equal(
            farsum_plan_set_exclusions(plan, l.count, l.pair[0], l.factor),
            FARSUM_OK);
        run(plan, 0, 0, q, &s);
        assert_true(fabs(s.energy[0] / 1.7 - energy) < 1e-9 * fabs(energy));
        for (int i = 0; i < N; i++)
            for (int a = 0; a < 3; a++)
                assert_true(fabs(s.vector[0][i][a] / 1.7 - field[i][a]) < 1e-8);
        farsum_plan_destroy(plan);
    }
}

/* A virial is the energy's derivative also for the subtracted pairs. */
static void strained(void **state)
{
    (void)state;
    static double x[3 * N], moved[3 * N], q[RHS * N];
    struct sums s, side[2];
    struct list l = make_list(N);
    const double h = 1e-5;
    flow_points(skewed, N, RHS, 8, x, q);
    for (int t = 0; t < 3; t++) {
        for (int way = -1; way < 2; way++) {
            farsum_problem p = make_problem(0, 1, 0);
            for (int i = 0; i < 3 * N; i++)
                moved[i] = x[i];
            for (int i = 0; i < N; i++)
                moved[3 * i + t] += way * h * x[3 * i + 1];
            for (int b = 0; b < 3; b++)
                p.cell[3 * b + t] += way * h * skewed[3 * b + 1];
            farsum_plan *plan = make_plan(&p, "ewald");
            assert_int_equal(farsum_plan_set_points(plan, N, moved, 0, NULL),
                             FARSUM_OK);
            assert_int_equal(
                farsum_plan_set_exclusions(plan, l.count, l.pair[0], l.factor),
                FARSUM_OK);
            run(plan, 0, 0, q, way == 0 ? &s : &side[way > 0]);
            farsum_plan_destroy(plan);
        }
        double w = -(side[1].energy[0] - side[0].energy[0]) / (2 * h);
        assert_true(fabs(w - s.virial[0][3 * t + 1])
                    < 1e-6 * (1 + fabs(s.energy[0])));
    }
}

/* Coincident pairs are left out as they are, excluded or not. */
static void coincident(void **state)
{
    (void)state;
    static double x[3 * N], q[RHS * N];
    static struct sums without, with;
    static const char *const methods[] = {"ewald", "spectral"};
    const int64_t pair[] = {3, 8};
    flow_points(skewed, N, RHS, 5, x, q);
    memcpy(x + 24, x + 9, 24);
    for (int method = 0; method < 2; method++) {
        farsum_problem p = make_problem(0, 1, 0);
        p.exclude_coincident = 1;
        farsum_plan *plan = make_plan(&p, methods[method]);
        assert_int_equal(farsum_plan_set_points(plan, N, x, 0, NULL),
                         FARSUM_OK);
        run(plan, 0, 0, q, &without);
        assert_int_equal(farsum_plan_set_exclusions(plan, 1, pair, NULL),
                         FARSUM_OK);
        run(plan, 0, 0, q, &with);
        assert_memory_equal(&with, &without, sizeof with);
        farsum_plan_destroy(plan);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(open_sums),     cmocka_unit_test(single_precision),
        cmocka_unit_test(periodic_sums), cmocka_unit_test(as_force_fields),
        cmocka_unit_test(strained),      cmocka_unit_test(coincident),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
