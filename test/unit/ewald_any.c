/* SPDX-License-Identifier: Apache-2.0 */
/* ewald_any.c: tests of the periodic reference for flows: equal sums for any
 * split, basis, number of threads and instruction set; lattice sums; targets on
 * sources. */
#include "flow_check.h"

/* Any cutoff, any basis of the lattice. */
static void split_independent(void **state)
{
    (void)state;
    enum { N = 150 };
    static const double cutoffs[] = {0, 0.4, 0.9, 1.4, 2.2, 0.7, 0.7};
    for (int k = 0; k < 3; k++) {
        double x[3 * N], q[6 * N], v[3 * N], other[3 * N];
        flow_points(flow_tilted, N, flow_kind(k)->strengths, 5, x, q);
        for (int run = 0; run < 7; run++) {
            struct ewald_setup s = flow_setup(flow_tilted, N, 0);
            s.cutoff = cutoffs[run];
            for (int d = 0; d < 3 && run == 5; d++) /* one cell length over */
                s.cell[3 + d] += s.cell[d];
            for (int d = 0; d < 3 && run == 6; d++) {
                s.cell[3 + d] += 40 * s.cell[d];
                s.cell[6 + d] += 101 * s.cell[d] - 12 * s.cell[3 + d];
            }
            flow_run(k, &s, N, x, 0, NULL, q, run ? other : v);
            /* A basis of long vectors is rounded to double, so its cell differs
             * by as much. */
            if (run)
                assert_true(check_error(3 * N, other, v, 0)
                            < (run == 6 ? 2e-12 : 2e-15));
        }
    }
}

/* Disorder, a cluster, equal strengths, a slightly displaced lattice (with
 * equal strengths too): the worst cases for relative errors. */
enum { DISORDER, CLUSTER, EQUAL, CRYSTAL, SYSTEMS };
static void system_of(int which, int64_t n, int strengths, double *x, double *q)
{
    flow_points(flow_tilted, n, strengths, 9, x, q);
    for (int64_t i = 0; i < n && which == CLUSTER; i++)
        for (int d = 0; d < 3; d++)
            x[3 * i + d] = 0.5 + 0.03 * (x[3 * i + d] - 0.5);
    for (int64_t i = 0; i < n && which == CRYSTAL; i++) {
        double s[3] = {0.2 * (double)(i / 25), 0.2 * (double)(i / 5 % 5),
                       0.2 * (double)(i % 5)};
        for (int d = 0; d < 3; d++)
            x[3 * i + d] = 0.01 * x[3 * i + d] + s[0] * flow_tilted[d] +
                           s[1] * flow_tilted[3 + d] +
                           s[2] * flow_tilted[6 + d];
    }
    for (int64_t i = strengths; i < strengths * n && which >= EQUAL; i++)
        q[i] = q[i - strengths];
}

/* Each accuracy is kept, and in disorder the estimate is right. */
static void accuracies(void **state)
{
    (void)state;
    enum { N = 125 };
    for (int run = 0; run < 3 * SYSTEMS; run++) {
        int k = run / SYSTEMS, which = run % SYSTEMS;
        double x[3 * N], q[6 * N], v[3 * N], other[3 * N];
        system_of(which, N, flow_kind(k)->strengths, x, q);
        struct ewald_setup s = flow_setup(flow_tilted, N, 0);
        flow_run(k, &s, N, x, 0, NULL, q, v);
        for (s.accuracy = 1e-3; s.accuracy > 1e-14; s.accuracy /= 100) {
            double norm, estimate, error;
            struct ewald_any *e = NULL;
            assert_int_equal(ewald_any_create(flow_kind(k), 0, &s, &e),
                             FARSUM_OK);
            assert_int_equal(ewald_any_set_points(e, N, x, 0, NULL),
                             FARSUM_OK);
            assert_int_equal(ewald_any_run(e, q, 3, other), FARSUM_OK);
            estimate = ewald_any_estimate(e, q, other, &norm);
            ewald_any_destroy(e);
            error = check_error(3 * N, other, v, 0);
            assert_true(error < s.accuracy / 4);
            assert_true(error < 50 * estimate);
            if (which != DISORDER)
                continue;
            assert_true(error < 4 * estimate);
            assert_true(estimate < 4 * error + 1e-15);
        }
    }
}

/* Sources whose total strength and first and second moments vanish.  The images
 * then add up to the sum of the full kernel, whose terms fall as 1/r^4 and,
 * with their opposites, as 1/r^5. */
static void lattice_sums(void **state)
{
    (void)state;
    enum { N = 4, M = 3, R = 22 };
    static const double third[N] = {1, -3, 3, -1};
    for (int k = 0; k < 3; k++) {
        int width = flow_kind(k)->strengths;
        double x[3 * N], q[6 * N], y[3 * M], v[3 * M], unused[6 * M];
        flow_points(flow_tilted, N, width, 31, x, q);
        flow_points(flow_tilted, M, width, 32, y, unused);
        for (int j = 0; j < N; j++) {
            x[3 * j] = 0.1 + 0.21 * j;
            x[3 * j + 1] = 0.3 - 0.08 * j;
            x[3 * j + 2] = 0.2 + 0.05 * j;
            for (int a = 0; a < width; a++)
                q[width * j + a] = q[a] * (a < 3 ? third[j] : 1);
        }
        struct ewald_setup s = flow_setup(flow_tilted, N, M);
        flow_run(k, &s, N, x, M, y, q, v);
        for (int i = 0; i < M; i++) {
            long double sum[3] = {0};
            for (int n = 0; n < (2 * R + 1) * (2 * R + 1) * (2 * R + 1); n++) {
                long double cell[3] = {n / (2 * R + 1) / (2 * R + 1) - R,
                                       n / (2 * R + 1) % (2 * R + 1) - R,
                                       n % (2 * R + 1) - R};
                if (cell[0] * cell[0] + cell[1] * cell[1] +
                    cell[2] * cell[2] > R * R)
                    continue;
                for (int j = 0; j < N; j++) {
                    long double d[3];
                    for (int a = 0; a < 3; a++) {
                        d[a] = y[3 * i + a] - (long double)x[3 * j + a];
                        for (int b = 0; b < 3; b++)
                            d[a] += cell[b] * flow_tilted[3 * b + a];
                    }
                    flow_bare(k, d, q + width * j, sum);
                }
            }
            for (int a = 0; a < 3; a++)
                assert_true(fabsl(v[3 * i + a] - sum[a]) < 1e-5);
        }
    }
}

/* The velocity of a point force in a cube of side 1 from its images, without
 * its own singular part: Hasimoto, J.  Fluid Mech.  5:317, 1959. */
static void one_force(void **state)
{
    (void)state;
    const double x[3] = {0.3, -7.2, 0.9}, f[3] = {0.5, -2, 3};
    double v[3];
    struct ewald_setup s = flow_setup(flow_cube, 1, 0);
    flow_run(0, &s, 1, x, 0, NULL, f, v);
    for (int d = 0; d < 3; d++)
        assert_true(fabs(v[d] + 4. / 3 * 2.837297479480620 * f[d]) < 2e-14);
    /* Point torques and double layers: zero by symmetry, except for the mean of
     * (7.7) where the double layer has a total strength. */
    flow_run(1, &s, 1, x, 0, NULL, f, v);
    for (int d = 0; d < 3; d++)
        assert_true(fabs(v[d]) < 1e-13);
    const double q[6] = {1, 2, -3, 2, 2, 2};
    flow_run(2, &s, 1, x, 0, NULL, q, v);
    for (int d = 0; d < 3; d++)
        assert_true(fabs(v[d]) < 1e-13);
}

/* A target at a source, or at an image of one, has the velocity of the source
 * itself. */
static void targets_on_sources(void **state)
{
    (void)state;
    enum { N = 40 };
    for (int k = 0; k < 3; k++) {
        double x[3 * N], y[3 * N], q[6 * N], v[3 * N], other[3 * N];
        flow_points(flow_tilted, N, flow_kind(k)->strengths, 8, x, q);
        if (k == 2) /* no total strength, so that the mean is periodic */
            for (int i = 0; i < N; i++) {
                double *p = q + 6 * i;
                p[5] = -(p[0] * p[3] + p[1] * p[4]) / p[2];
            }
        struct ewald_setup s = flow_setup(flow_tilted, N, 0);
        flow_run(k, &s, N, x, 0, NULL, q, v);
        for (int i = 0; i < N; i++)
            for (int d = 0; d < 3; d++)
                y[3 * i + d] = x[3 * i + d] + (i % 3) * flow_tilted[d] -
                               (i % 2) * flow_tilted[3 + d] +
                               (i % 5) * flow_tilted[6 + d];
        flow_run(k, &s, N, x, N, y, q, other);
        assert_true(check_error(3 * N, other, v, 0) < 2e-14);
        if (k != 2) { /* where the mean depends on them */
            flow_run(k, &s, N, y, 0, NULL, q, other);
            assert_true(check_error(3 * N, other, v, 0) < 2e-14);
        }
    }
}

/* Bitwise equal for any number of threads; to rounding for any instruction set.
 * More sources than a block, and a last block that is not full. */
static void threads_and_sets(void **state)
{
    (void)state;
    enum { N = 1021 };
    for (int k = 0; k < 3; k++) {
        double *x = calloc(3 * N, sizeof *x), *q = calloc(6 * N, sizeof *q);
        double *v = calloc(3 * N, sizeof *v), *w = calloc(3 * N, sizeof *w);
        assert_true(x && q && v && w);
        flow_points(flow_tilted, N, flow_kind(k)->strengths, 4, x, q);
        struct ewald_setup s = flow_setup(flow_tilted, N, 0);
        s.accuracy = 1e-6;
        s.cutoff = 0.35;
        flow_run(k, &s, N, x, 0, NULL, q, v);
        for (s.threads = 1; s.threads < 8; s.threads += 2) {
            flow_run(k, &s, N, x, 0, NULL, q, w);
            assert_memory_equal(v, w, 3 * N * sizeof *v);
        }
        for (int isa = 0; isa <= (int)isa_best(); isa++) {
            s.isa = (enum isa)isa;
            flow_run(k, &s, N, x, 0, NULL, q, w);
            assert_true(check_error(3 * N, w, v, 0) < 1e-15);
        }
        free(x);
        free(q);
        free(v);
        free(w);
    }
}

static void refusals(void **state)
{
    (void)state;
    const double x[3] = {0}, f[3] = {1}, bad[3] = {0, NAN, 0};
    double v[3];
    struct ewald_any *e = NULL;
    struct ewald_setup s = flow_setup(flow_cube, 1, 0);
    s.accuracy = 1e-15;
    assert_int_equal(ewald_any_create(flow_kind(0), 0, &s, &e),
                     FARSUM_ERR_TOLERANCE);
    s.accuracy = 1;
    assert_int_equal(ewald_any_create(flow_kind(0), 0, &s, &e),
                     FARSUM_ERR_ARGUMENT);
    s.accuracy = 1e-6;
    s.cell[0] = 0;
    assert_int_equal(ewald_any_create(flow_kind(0), 0, &s, &e),
                     FARSUM_ERR_CELL);
    s.cell[0] = 1;
    assert_null(e);
    assert_int_equal(ewald_any_create(flow_kind(0), 0, &s, &e), FARSUM_OK);
    assert_int_equal(ewald_any_run(e, f, 3, v), FARSUM_ERR_STATE);
    assert_int_equal(ewald_any_set_points(e, 1, bad, 0, NULL),
                     FARSUM_ERR_POSITION);
    assert_int_equal(ewald_any_run(e, f, 3, v), FARSUM_ERR_STATE);
    assert_int_equal(ewald_any_set_points(e, 0, x, 0, NULL),
                     FARSUM_ERR_ARGUMENT);
    assert_int_equal(ewald_any_set_points(e, 1, x, 0, NULL), FARSUM_OK);
    assert_int_equal(ewald_any_run(e, f, 3, v), FARSUM_OK);
    ewald_any_destroy(e);
    ewald_any_destroy(NULL);
    assert_null(reference_kind_find("laplace"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(split_independent),
        cmocka_unit_test(accuracies),
        cmocka_unit_test(lattice_sums),
        cmocka_unit_test(one_force),
        cmocka_unit_test(targets_on_sources),
        cmocka_unit_test(threads_and_sets),
        cmocka_unit_test(refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
