/* SPDX-License-Identifier: Apache-2.0 */
/* spread_host.c: the host's variants of spread against plain, for every window
 * support, precision, instruction set and number of threads, on unusual
 * meshes. */
#include "unit/spread_case.h"

static const char *const rows[] = {"host_tile", "multicolour"};
enum { ROWS = sizeof rows / sizeof *rows };

/* Largest difference over the largest value of `want`. */
static double difference(const struct spread_args *a, const void *got,
                         const void *want)
{
    int f32 = a->precision == FARSUM_F32;
    double worst = 0, top = 1e-300;
    for (int64_t r = 0; r < a->mesh[0] * a->mesh[1]; r++)
        for (int64_t z = 0; z < a->mesh[2]; z++) {
            double x = case_get(got, f32, r * a->ldz + z);
            double y = case_get(want, f32, r * a->ldz + z);
            /* a mesh point that was not written stays NaN */
            worst = fabs(x - y) <= worst ? worst : fabs(x - y);
            top = fabs(y) > top ? fabs(y) : top;
        }
    return worst / top;
}

static void compare_row(const char *row, struct spread_args *a, int64_t n,
                        enum dist dist)
{
    int f32 = a->precision == FARSUM_F32;
    int64_t size = case_mesh(a);
    struct points p;
    case_points(&p, n, dist);
    void *q = case_randoms(f32, n, 3), *want = case_array(f32, size);
    void *first = NULL;
    enum isa best = isa_best();
    int most = dist == UNIFORM ? 3 : 2;
    a->n = n;
    case_spread("plain", a, &p, q, want);
    for (int i = 0; i <= (int)best; i++)
        for (a->threads = 1; a->threads <= most; a->threads++) {
            void *got = case_array(f32, size);
            memset(got, 0xff, (size_t)size * (f32 ? 4 : 8));
            a->isa = (enum isa)i;
            case_spread(row, a, &p, q, got);
            double off = difference(a, got, want);
            if (!(off <= (f32 ? 2e-5 : 1e-13)))
                fail_msg("%s P %d f%d %s threads %d mesh %d %d %d n %d dist "
                         "%d: off by %g", row, a->window->support,
                         f32 ? 32 : 64, isa_name(a->isa), a->threads,
                         (int)a->mesh[0], (int)a->mesh[1], (int)a->mesh[2],
                         (int)n, dist, off);
            if (a->threads == 1) {
                free(first);
                first = got;
                continue;
            }
            /* sums do not depend on the number of threads */
            for (int64_t r = 0; r < a->mesh[0] * a->mesh[1]; r++)
                for (int64_t z = 0; z < a->mesh[2]; z++)
                    assert_true(case_get(got, f32, r * a->ldz + z)
                                == case_get(first, f32, r * a->ldz + z));
            free(got);
        }
    free(first);
    free(want);
    free(q);
    case_clear(&p);
}

static void compare(struct spread_args *a, int64_t n, enum dist dist)
{
    for (int r = 0; r < ROWS; r++)
        compare_row(rows[r], a, n, dist);
}

static void each_support(void **unused)
{
    (void)unused;
    for (int P = WINDOW_MIN; P <= WINDOW_MAX; P++)
        for (int f32 = 0; f32 < 2; f32++)
            for (int m = 0; m < CASE_MESHES; m++) {
                struct window window;
                struct spread_args a =
                    case_args(case_meshes[m], f32, &window, P);
                compare(&a, 100, UNIFORM);
                compare(&a, 60, CLUSTERED);
                compare(&a, 60, LATTICE);
                compare(&a, m % 2, UNIFORM);
            }
}

/* One tile with most of the points is processed in parts. */
static void clustered(void **unused)
{
    (void)unused;
    static const int64_t mesh[3] = {40, 33, 70};
    for (int f32 = 0; f32 < 2; f32++) {
        struct window window;
        struct spread_args a = case_args(mesh, f32, &window, 5);
        compare(&a, 30000, CLUSTERED);
    }
}

/* A long mesh is processed in several slabs, and its seam comes last. */
static void waves(void **unused)
{
    (void)unused;
    static const int64_t mesh[3] = {401, 18, 34};
    for (int P = 9; P <= 16; P += 7) {
        struct window window;
        struct spread_args a = case_args(mesh, 0, &window, P);
        compare(&a, 300, UNIFORM);
        compare(&a, 5, UNIFORM);
    }
}

/* Sum of the mesh = sum_j q_j prod_d (sum of the weights at u_jd); a B-spline's
 * weights sum to 1. */
static void mass(void **unused)
{
    (void)unused;
    static const int64_t mesh[3] = {19, 40, 33};
    enum { N = 500 };
    for (int P = WINDOW_MIN; P <= WINDOW_MAX; P++) {
        struct window window;
        struct spread_args a = case_args(mesh, 0, &window, P);
        OK(window_set(&window, "bspline", P, 0, 2, 1e-14));
        struct points p;
        case_points(&p, N, UNIFORM);
        double *q = case_randoms(0, N, 5), *got = case_array(0, case_mesh(&a));
        double charge = 0, sum = 0, scale = 0;
        a.n = N;
        case_spread(rows[P % ROWS], &a, &p, q, got);
        for (int i = 0; i < N; i++) {
            charge += q[i];
            scale += fabs(q[i]);
        }
        for (int64_t r = 0; r < mesh[0] * mesh[1]; r++)
            for (int64_t z = 0; z < mesh[2]; z++)
                sum += got[r * a.ldz + z];
        assert_true(fabs(sum - charge) < 1e-12 * scale);
        free(q);
        free(got);
        case_clear(&p);
    }
}

/* A state with points spreads again, and accepts new points. */
static void again_row(const char *row)
{
    static const int64_t mesh[3] = {36, 20, 30};
    struct window window;
    struct spread_args a = case_args(mesh, 0, &window, 6);
    const struct variant *v = case_row(&spread_stage, row);
    void *state = NULL;
    int32_t nb[3];
    a.threads = 2;
    spread_tiles(&a, nb);
    OK(v->create(&a, &state));
    for (int64_t n = 6000; n >= 0; n -= 1500) {
        struct points p;
        case_points(&p, n, n % 2000 ? CLUSTERED : UNIFORM);
        double *want = case_array(0, case_mesh(&a));
        double *got = case_array(0, case_mesh(&a));
        OK(bins_build(&p, nb, 2));
        OK(v->set(state, &p, NULL));
        for (uint64_t k = 0; k < 2; k++) {
            double *q = case_randoms(0, n, 11 + k);
            int64_t held = mem_bytes();
            OK(v->run(state, &(struct spread_io){.q = q, .mesh = got}));
            assert_int_equal(mem_bytes(), held);
            case_spread("plain", &a, &p, q, want);
            assert_true(difference(&a, got, want) < 1e-13);
            free(q);
        }
        free(want);
        free(got);
        case_clear(&p);
    }
    v->destroy(state);
}

static void again(void **unused)
{
    (void)unused;
    for (int r = 0; r < ROWS; r++)
        again_row(rows[r]);
}

/* Every failed allocation is reported and leaks nothing. */
static void memory_row(const char *row)
{
    static const int64_t mesh[3] = {40, 33, 70};
    struct window window;
    struct spread_args a = case_args(mesh, 0, &window, 6);
    const struct variant *v = case_row(&spread_stage, row);
    struct points p;
    int32_t nb[3];
    case_points(&p, 9000, CLUSTERED);
    spread_tiles(&a, nb);
    OK(bins_build(&p, nb, 1));
    int64_t held = mem_bytes();
    int failures = 0;
    for (int k = 1; k < 100; k++) {
        void *state = NULL;
        mem_fail_at(k);
        farsum_status status = v->create(&a, &state);
        if (status == FARSUM_OK)
            status = v->set(state, &p, NULL);
        mem_fail_at(0);
        v->destroy(state);
        assert_int_equal(mem_bytes(), held);
        if (status == FARSUM_OK)
            break;
        assert_int_equal(status, FARSUM_ERR_MEMORY);
        failures++;
    }
    assert_true(failures > 5 && failures < 99);
    case_clear(&p);
}

static void memory(void **unused)
{
    (void)unused;
    for (int r = 0; r < ROWS; r++)
        memory_row(rows[r]);
}

int main(int argc, char **argv)
{
    (void)argc;
    case_start(argv);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_support), cmocka_unit_test(clustered),
        cmocka_unit_test(waves),        cmocka_unit_test(mass),
        cmocka_unit_test(again),        cmocka_unit_test(memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
