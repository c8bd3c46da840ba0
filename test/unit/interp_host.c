/* SPDX-License-Identifier: Apache-2.0 */
/* interp_host.c: the tiled interpolation against plain, against the transpose
 * of spread, and its field against differences of its potential. */
#include "unit/spread_case.h"

/* An oblique cell distinguishes the field's conversion from its transpose. */
static const struct cell oblique = {
    .inv = {0.11, 0.013, -0.02, -0.017, 0.09, 0.031, 0.023, -0.011, 0.13}};

/* Largest difference of n numbers over the largest number.  A single number may
 * be small by cancellation; then over 1, the size of the mesh's. */
static double difference(int f32, int64_t n, const void *got, const void *want)
{
    double worst = 0, top = 1;
    for (int64_t i = 0; i < n; i++) {
        double x = case_get(got, f32, i), y = case_get(want, f32, i);
        worst = fabs(x - y) <= worst ? worst : fabs(x - y);
        top = fabs(y) > top ? fabs(y) : top;
    }
    return worst / top;
}

static void check(const struct spread_args *a, int64_t n, const char *what,
                  double off, double bound)
{
    if (!(off <= bound))
        fail_msg("P %d f%d %s threads %d mesh %d %d %d n %d, %s: off by %g",
                 a->window->support, a->precision == FARSUM_F32 ? 32 : 64,
                 isa_name(a->isa), a->threads, (int)a->mesh[0],
                 (int)a->mesh[1], (int)a->mesh[2], (int)n, what, off);
}

static void compare(struct spread_args *a, int64_t n, enum dist dist)
{
    int f32 = a->precision == FARSUM_F32;
    double bound = f32 ? 2e-5 : 1e-13;
    struct points p;
    case_points(&p, n, dist);
    void *mesh = case_randoms(f32, case_mesh(a), 9);
    /* results are added to the old values: the same in both */
    void *phi = case_randoms(f32, n, 4), *e = case_randoms(f32, 3 * n, 5);
    enum isa best = isa_best();
    a->n = n;
    case_interp("plain", a, &oblique, &p,
                &(struct interp_io){.mesh = mesh, .potential = phi,
                                    .field = e});
    for (int i = 0; i <= (int)best; i++)
        for (a->threads = 1; a->threads <= (n == 100 ? 3 : 2); a->threads++)
            for (int out = 1; out < 4; out++) {
                void *x = case_randoms(f32, n, 4);
                void *y = case_randoms(f32, 3 * n, 5);
                struct interp_io io = {.mesh = mesh,
                                       .potential = out & 1 ? x : NULL,
                                       .field = out & 2 ? y : NULL};
                a->isa = (enum isa)i;
                case_interp("host_tile", a, &oblique, &p, &io);
                if (out & 1)
                    check(a, n, "potential", difference(f32, n, x, phi),
                          bound);
                if (out & 2)
                    check(a, n, "field", difference(f32, 3 * n, y, e), bound);
                free(x);
                free(y);
            }
    free(mesh);
    free(phi);
    free(e);
    case_clear(&p);
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
                compare(&a, 60, LATTICE);
                compare(&a, m % 2, UNIFORM);
            }
}

static void clustered(void **unused)
{
    (void)unused;
    static const int64_t mesh[3] = {40, 33, 70};
    struct window window;
    struct spread_args a = case_args(mesh, 0, &window, 5);
    compare(&a, 20000, CLUSTERED);
}

/* <spread q, m> = <q, interp m>. */
static void adjoint(void **unused)
{
    (void)unused;
    enum { N = 400 };
    for (int P = WINDOW_MIN; P <= WINDOW_MAX; P++)
        for (int m = 0; m < CASE_MESHES; m++) {
            struct window window;
            struct spread_args a = case_args(case_meshes[m], 0, &window, P);
            struct points p;
            case_points(&p, N, m % 2 ? CLUSTERED : UNIFORM);
            double *q = case_randoms(0, N, 1);
            double *mesh = case_randoms(0, case_mesh(&a), 2);
            double *got = case_array(0, case_mesh(&a));
            double *phi = calloc(N, sizeof *phi);
            double left = 0, right = 0, scale = 0;
            assert_non_null(phi);
            a.threads = 2;
            a.n = N;
            case_spread("host_tile", &a, &p, q, got);
            case_interp("host_tile", &a, &oblique, &p,
                        &(struct interp_io){.mesh = mesh, .potential = phi,
                                    .field = NULL});
            for (int64_t r = 0; r < a.mesh[0] * a.mesh[1]; r++)
                for (int64_t z = 0; z < a.mesh[2]; z++) {
                    int64_t k = r * a.ldz + z;
                    left += got[k] * mesh[k];
                    scale += fabs(got[k] * mesh[k]);
                }
            for (int i = 0; i < N; i++)
                right += q[i] * phi[i];
            check(&a, N, "adjoint", fabs(left - right) / scale, 1e-13);
            free(q);
            free(mesh);
            free(got);
            free(phi);
            case_clear(&p);
        }
}

/* Potential at fractional coordinates s of one point. */
static double potential(const struct spread_args *a, const double s[3],
                        const double *mesh)
{
    struct points p;
    double phi = 0;
    case_points(&p, 1, UNIFORM);
    for (int d = 0; d < 3; d++)
        p.s[d][0] = s[d];
    case_interp("host_tile", a, &oblique, &p,
                &(struct interp_io){.mesh = mesh, .potential = &phi,
                                    .field = NULL});
    case_clear(&p);
    return phi;
}

/* E_j = -d phi/d x_j, by central differences along s: s = x inv. */
static void differences(void **unused)
{
    (void)unused;
    static const int64_t n[3] = {12, 15, 20};
    for (int P = 4; P <= WINDOW_MAX; P++) {
        struct window window;
        struct spread_args a = case_args(n, 0, &window, P);
        struct points p;
        a.n = 1;
        case_points(&p, 1, UNIFORM);
        /* not at the ends of pieces, where low windows have kinks */
        double s[3] = {2.3 / 12, 7.2 / 15, 19.8 / 20}, e[3] = {0}, want[3];
        double *mesh = case_randoms(0, case_mesh(&a), 2), slope[3], top = 0;
        for (int d = 0; d < 3; d++)
            p.s[d][0] = s[d];
        case_interp("host_tile", &a, &oblique, &p,
                    &(struct interp_io){.mesh = mesh, .potential = NULL,
                                    .field = e});
        for (int d = 0; d < 3; d++) {
            double h = 1e-4 / (double)n[d], x[3] = {s[0], s[1], s[2]}, f[4];
            for (int k = 0; k < 4; k++) {
                static const double step[] = {-2, -1, 1, 2};
                x[d] = s[d] + h * step[k];
                f[k] = potential(&a, x, mesh);
            }
            slope[d] = (f[0] - 8 * f[1] + 8 * f[2] - f[3]) / (12 * h);
        }
        for (int j = 0; j < 3; j++) {
            want[j] = 0;
            for (int d = 0; d < 3; d++)
                want[j] -= slope[d] * oblique.inv[3 * j + d];
            top = fabs(want[j]) > top ? fabs(want[j]) : top;
        }
        for (int j = 0; j < 3; j++)
            check(&a, 1, "differences", fabs(e[j] - want[j]) / top, 1e-9);
        free(mesh);
        case_clear(&p);
    }
}

int main(int argc, char **argv)
{
    (void)argc;
    case_start(argv);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_support),
        cmocka_unit_test(clustered),
        cmocka_unit_test(adjoint),
        cmocka_unit_test(differences),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
