/* SPDX-License-Identifier: Apache-2.0 */
/* ewald_points.c: tests of the periodic reference's treatment of points,
 * counts, memory and bad input. */
#include "ewald_check.h"

static const double cube[9] = {2, 0, 0, 0, 2, 0, 0, 0, 2};

static struct ewald_setup setup_of(const double *cell, double accuracy)
{
    struct ewald_setup s = {.accuracy = accuracy, .threads = 2,
                            .isa = isa_best()};
    memcpy(s.cell, cell, sizeof s.cell);
    return s;
}

/* Targets at images of sources get the sources' results.  Far from the origin
 * coordinates have fewer digits, so the images here are exact. */
static void targets_on_sources(void **state)
{
    (void)state;
    enum { N = 90 };
    double x[3 * N], y[3 * N], q[N], p[2][N], e[2][3 * N];
    check_points(cube, N, 1, 8, x, q);
    for (int level = EWALD_F64; level <= EWALD_LONG; level++) {
        struct ewald_setup s = setup_of(cube, 1e-12);
        s.level = (enum ewald_level)level;
        s.cutoff = 1.1;
        for (int i = 0; i < 3 * N; i++) {
            x[i] = ldexp(floor(ldexp(x[i], 40)), -40);
            y[i] = x[i] + 2 * (i % 7 - 3);
        }
        check_run(&s, N, x, 0, NULL, q, p[0], e[0], NULL, NULL);
        check_run(&s, N, x, N, y, q, p[1], e[1], NULL, NULL);
        assert_true(check_error(N, p[1], p[0], 0) < 1e-15);
        assert_true(check_error(3 * N, e[1], e[0], 0) < 1e-15);
        /* slightly displaced, the source counts: 1/r is large */
        y[0] += 1e-9;
        check_run(&s, N, x, N, y, q, p[1], e[1], NULL, NULL);
        assert_true(fabs((p[1][0] - p[0][0]) / (q[0] / 1e-9) - 1) < 1e-6);
    }
}

/* Two coincident sources skip each other, but include the images. */
static void coincident_sources(void **state)
{
    (void)state;
    const double x[9] = {0.5, 0.5, 0.5, 0.5, 0.5, 2.5, 1.5, 1, 1};
    const double q[3] = {1, 2, -3}, joined[2] = {3, -3};
    const double two[6] = {0.5, 0.5, 0.5, 1.5, 1, 1};
    struct ewald_setup s = setup_of(cube, EWALD_BEST);
    double p[3], r[2], e[9], f[6];
    check_run(&s, 3, x, 0, NULL, q, p, e, NULL, NULL);
    check_run(&s, 2, two, 0, NULL, joined, r, f, NULL, NULL);
    assert_true(fabs(p[0] - r[0]) < 1e-14 && fabs(p[1] - r[0]) < 1e-14);
    assert_true(fabs(p[2] - r[1]) < 1e-14);
    for (int d = 0; d < 3; d++)
        assert_true(fabs(e[3 + d] - f[d]) < 1e-13);
}

/* A close pair far from the cell: wrapping loses no digits. */
static void close_pair(void **state)
{
    (void)state;
    const double gap = 0x1p-30, x[6] = {1001, 777, -333, 1001 + gap, 777, -333};
    const double q[2] = {1, -1};
    struct ewald_setup s = setup_of(cube, 1e-12);
    for (int level = EWALD_F64; level <= EWALD_LONG; level++) {
        double e[6];
        s.level = (enum ewald_level)level;
        check_run(&s, 2, x, 0, NULL, q, NULL, e, NULL, NULL);
        for (int i = 0; i < 2; i++) /* images add a dipole's field: tiny */
            assert_true(fabs(e[3 * i] * gap * gap - 1) < 1e-13);
    }
}

/* Changed counts, fewer outputs, repeated sums: the same numbers. */
static void sets_again(void **state)
{
    (void)state;
    enum { N = 60 };
    double x[3 * N], q[N], p[4][N], e[2][3 * N], energy;
    check_points(cube, N, 0, 9, x, q);
    struct ewald_setup s = setup_of(cube, 1e-11);
    struct ewald *w = NULL;
    assert_int_equal(ewald_create(&s, &w), FARSUM_OK);
    assert_int_equal(ewald_set_points(w, N, x, 0, NULL), FARSUM_OK);
    assert_int_equal(ewald_run(w, q, p[0], e[0], NULL, NULL), FARSUM_OK);
    assert_int_equal(ewald_set_points(w, 20, x, 7, x), FARSUM_OK);
    assert_int_equal(ewald_run(w, q, p[1], NULL, NULL, NULL), FARSUM_OK);
    assert_true(fabs(p[1][0] - p[0][0]) > 1e-3); /* other sources */
    assert_int_equal(ewald_set_points(w, N, x, 0, NULL), FARSUM_OK);
    assert_int_equal(ewald_run(w, q, p[2], e[1], &energy, NULL), FARSUM_OK);
    assert_int_equal(ewald_run(w, q, p[3], NULL, NULL, NULL), FARSUM_OK);
    assert_memory_equal(p[2], p[0], sizeof p[0]);
    assert_memory_equal(e[1], e[0], sizeof e[0]);
    assert_memory_equal(p[3], p[0], sizeof p[0]);
    double half = 0;
    for (int i = 0; i < N; i++)
        half += q[i] * p[0][i] / 2;
    assert_true(fabs(half - energy) < 1e-13 * fabs(energy));
    ewald_destroy(w);
}

static void refusals(void **state)
{
    (void)state;
    static const double bad[][9] = {
        {1, 0, 0, 2, 0, 0, 0, 0, 1}, /* parallel */
        {1, 0, 0, 0, 1, 0, 1, 1, 0}, /* in a plane */
        {0, 0, 0, 0, 1, 0, 0, 0, 1},
        {NAN, 0, 0, 0, 1, 0, 0, 0, 1},
    };
    struct ewald *w = NULL;
    for (int i = 0; i < 4; i++) {
        struct ewald_setup s = setup_of(bad[i], 1e-6);
        assert_int_equal(ewald_create(&s, &w), FARSUM_ERR_CELL);
        assert_null(w);
    }
    struct ewald_setup s = setup_of(cube, 9e-15);
    assert_int_equal(ewald_create(&s, &w), FARSUM_ERR_TOLERANCE);
    s.accuracy = NAN;
    assert_int_equal(ewald_create(&s, &w), FARSUM_ERR_TOLERANCE);
    s.accuracy = 1e-6;
    const double x[3] = {0, 1, 2}, y[3] = {1, INFINITY, 0}, q = 1;
    double p, energy = 5;
    assert_int_equal(ewald_create(&s, &w), FARSUM_OK);
    assert_int_equal(ewald_run(w, &q, &p, NULL, NULL, NULL), FARSUM_ERR_STATE);
    assert_int_equal(ewald_set_points(w, 0, x, 0, NULL), FARSUM_ERR_ARGUMENT);
    assert_int_equal(ewald_set_points(w, 1, x, 1, y), FARSUM_ERR_POSITION);
    assert_int_equal(ewald_run(w, &q, &p, NULL, NULL, NULL), FARSUM_ERR_STATE);
    assert_int_equal(ewald_set_points(w, 1, x, 1, x), FARSUM_OK);
    assert_int_equal(ewald_run(w, &q, NULL, NULL, &energy, NULL),
                     FARSUM_ERR_ARGUMENT);
    assert_true(energy == 5);
    ewald_destroy(w);
    ewald_destroy(NULL);
}

/* Every allocation may fail; a run allocates nothing. */
static void memory(void **state)
{
    (void)state;
    enum { N = 40 };
    double x[3 * N], q[N], p[N], e[3 * N], energy, virial[9];
    check_points(cube, N, 0, 10, x, q);
    struct ewald_setup s = setup_of(cube, 1e-13);
    s.vacuum = 1;
    int64_t before = mem_bytes();
    int done = 0, failed = 0;
    for (int k = 1; !done; k++) {
        struct ewald *w = NULL;
        mem_fail_at(k);
        farsum_status status = ewald_create(&s, &w);
        if (status == FARSUM_OK)
            status = ewald_set_points(w, N, x, N - 7, x);
        mem_fail_at(0);
        done = status == FARSUM_OK;
        failed += !done;
        assert_true(done || status == FARSUM_ERR_MEMORY);
        if (w && !done) { /* and recovers */
            assert_int_equal(ewald_set_points(w, N, x, 0, NULL), FARSUM_OK);
            mem_fail_at(1);
            assert_int_equal(ewald_run(w, q, p, e, &energy, virial), FARSUM_OK);
            mem_fail_at(0);
        }
        ewald_destroy(w);
        assert_int_equal(mem_bytes(), before);
    }
    assert_true(failed > 20);
}

/* The predicted bytes are the allocated ones, within a factor 2. */
static void bytes(void **state)
{
    (void)state;
    enum { N = 3000 };
    double *x = calloc(3 * N, sizeof *x), *q = calloc(N, sizeof *q);
    assert_non_null(x);
    assert_non_null(q);
    check_points(cube, N, 0, 11, x, q);
    struct ewald_setup s = setup_of(cube, 1e-10);
    s.n = N;
    struct ewald *w = NULL;
    struct ewald_info info;
    int64_t before = mem_bytes();
    assert_int_equal(ewald_create(&s, &w), FARSUM_OK);
    ewald_get_info(w, &info);
    assert_int_equal(ewald_set_points(w, N, x, 0, NULL), FARSUM_OK);
    double taken = (double)(mem_bytes() - before);
    assert_true(taken < 2 * (double)info.bytes);
    assert_true(taken > (double)info.bytes / 2);
    ewald_destroy(w);
    free(x);
    free(q);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(targets_on_sources),
        cmocka_unit_test(coincident_sources),
        cmocka_unit_test(close_pair),
        cmocka_unit_test(sets_again),
        cmocka_unit_test(refusals),
        cmocka_unit_test(memory),
        cmocka_unit_test(bytes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
