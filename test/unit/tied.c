/* SPDX-License-Identifier: Apache-2.0 */
/* Excluded pairs with several nearest images, as crystals have them: what is
 * lost is the mean over these, of every kernel, method and precision, by sums
 * over images that this file does itself.
 *
 *     test_unit_tied          on the host
 *     test_unit_tied device   on FARSUM_TEST_DEVICE, or "opencl:0" */
#include "exclude_check.h"

#include "farsum/device.h"

static farsum_device *device; /* NULL: the host */

/* A pair's distance in the cell's vectors, and how many of its images are
 * nearest. */
struct apart {
    double f[3];
    int images;
};

static const struct crystal {
    const char *name;
    double cell[9];
    int brick; /* 1: fmm sums it */
    struct apart apart[9];
} crystals[] = {
    /* the last three: nearly tied, of one axis in two, and no tie */
    {"cube", {1.3, 0, 0, 0, 1.3, 0, 0, 0, 1.3}, 1,
     {{{0.5, 0, 0}, 2}, {{0, 0.5, 0.5}, 4}, {{0.5, 0.5, 0.5}, 8},
      {{0.2, 0.5, -0.3}, 2}, {{0.5, 0.1, 0.5}, 4}, {{0, 0, 0.5}, 2},
      {{0.5 + 3e-6, 0, 0}, 2}, {{0.5, 0.5 - 1e-4, 0.1}, 2},
      {{0.5 - 1e-4, 0.2, 0}, 1}}},
    {"brick", {1, 0, 0, 0, 1.2, 0, 0, 0, 1.5}, 1,
     {{{0.5, 0, 0}, 2}, {{0, 0.5, 0.5}, 4}, {{0.5, 0.5, 0.5}, 8},
      {{0.5, 0, 0.5}, 4}, {{0.1, 0.5, 0.3}, 2}, {{0.5, 0.5, 0.2}, 4},
      {{0.3, 0, 0.5 - 3e-6}, 2}, {{0.5 + 1e-4, 0.5, 0.1}, 2},
      {{0.2, 0.5 + 1e-4, 0}, 1}}},
    /* hexagonal, 120 degrees: a prism of triangles about its midpoint */
    {"hexagonal", {1, 0, 0, -0.5, 0.86602540378443865, 0, 0, 0, 1.3}, 0,
     {{{2. / 3, 1. / 3, 0}, 3}, {{1. / 3, 2. / 3, 0.5}, 6},
      {{0.5, 0, 0}, 2}, {{0.5, 0.5, 0.5}, 4}, {{0, 0.5, 0.1}, 2},
      {{0, 0, 0.5}, 2}, {{2. / 3, 1. / 3 + 2e-6, 0.2}, 3},
      {{2. / 3, 1. / 3, 0.5 - 1e-4}, 3}, {{0.5, 0, 0.5 - 1e-4}, 2}}},
    /* face centred, by vectors that are not its shortest: holes of six, of
     * four */
    {"face centred", {0.8, 0.8, 0, 0.8, 1.6, 0.8, 0.8, 0, 0.8}, 0,
     {{{-0.5, 0.5, 0}, 2}, {{0, 0.5, 0.5}, 6}, {{0, 0.25, 0.25}, 4},
      {{0, 0.75, 0.75}, 4}, {{0.5, 0, 0}, 2}, {{0, 0, 0.5}, 2},
      {{0, 0.5, 0.5 + 2e-6}, 6}, {{0, 0.2, 0}, 1},
      {{0.5 - 1.5e-4, 1e-4, 0}, 2}}},
};
enum {
    CRYSTALS = sizeof crystals / sizeof *crystals,
    LINKS = 9, /* pairs: particles 2 k and 2 k + 1 */
};

/* The `count` shortest images of y - x; their lengths. */
static void shortest(const struct crystal *c, const double *y, const double *x,
                     int count, long double (*d)[3], long double *dist)
{
    enum { R = 4, SIDE = 2 * R + 1 };
    int found = 0;
    for (int n = 0; n < SIDE * SIDE * SIDE; n++) {
        const int at[3] = {n / SIDE / SIDE - R, n / SIDE % SIDE - R,
                           n % SIDE - R};
        long double e[3], r2 = 0;
        for (int a = 0; a < 3; a++) {
            e[a] = (long double)y[a] - x[a];
            for (int b = 0; b < 3; b++)
                e[a] += at[b] * (long double)c->cell[3 * b + a];
            r2 += e[a] * e[a];
        }
        int k = found < count ? found++ : count;
        for (; k > 0 && sqrtl(r2) < dist[k - 1]; k--)
            if (k < count) {
                dist[k] = dist[k - 1];
                memcpy(d[k], d[k - 1], sizeof *d);
            }
        if (k < count) {
            dist[k] = sqrtl(r2);
            memcpy(d[k], e, sizeof *d);
        }
    }
}

/* What i loses of j, of a pair with so many nearest images. */
static void lose_mean(int k, const struct crystal *c, int images,
                      const double *y, const double *x, const double *q,
                      double part, double p, int r, int i, struct sums *s)
{
    long double d[8][3], dist[8];
    shortest(c, y, x, images, d, dist);
    for (int n = 0; n < images; n++)
        lose_image(k, d[n], dist[n], q, part / images, p, r, i, s);
}

/* Pairs: 2 k and 2 k + 1, or the target 2 k and the source 2 k + 1. */
static void lose_links(int k, const struct crystal *c, const double *factor,
                       int m, const double *x, const double *y,
                       const double *q, struct sums *s)
{
    int w = kernels[k].strengths;
    for (int r = 0; r < RHS; r++)
        for (int e = 0; e < LINKS; e++) {
            int i = 2 * e, j = 2 * e + 1, images = c->apart[e].images;
            const double *qr = q + r * N * w, *xj = x + 3 * j;
            lose_mean(k, c, images, (m > 0 ? y : x) + 3 * i, xj, qr + j * w,
                      1 - factor[e], m > 0 ? 0 : qr[i * w], r, i, s);
            if (m == 0)
                lose_mean(k, c, images, xj, x + 3 * i, qr + i * w,
                          1 - factor[e], qr[j * w], r, j, s);
        }
}

/* Sources at random, then those of the pairs behind their targets, or before
 * them; some in other images of the cell; rounded to f32 or not. */
static void place(const struct crystal *c, int turn, int f32, int m, double *x,
                  double *y, double *q)
{
    flow_points(c->cell, N, RHS * MOST, 3 + (uint64_t)turn, x, q);
    flow_points(c->cell, N, 0, 40 + (uint64_t)turn, y, NULL);
    double *to = m > 0 ? y : x;
    for (int e = 0; e < LINKS; e++)
        for (int a = 0; a < 3; a++) {
            double h = 0;
            for (int b = 0; b < 3; b++)
                h += c->cell[3 * b + a] * c->apart[e].f[b];
            int i = 6 * e + a, j = i + 3;
            if (turn % 2)
                x[j] = to[i] + h;
            else
                to[i] = x[j] + h;
            x[j] += e % 4 == 3 ? 2 * c->cell[a] - c->cell[3 + a] : 0;
        }
    for (int i = 0; f32 && i < 3 * N; i++) {
        x[i] = (double)(float)x[i];
        y[i] = (double)(float)y[i];
    }
}

static farsum_plan *plan_of(const farsum_problem *p, const char *method)
{
    farsum_plan *plan = NULL;
    farsum_options o = FARSUM_OPTIONS_INIT;
    o.method = method;
    o.threads = 2;
    o.device.handle = device;
    if (farsum_plan_create(p, &o, &plan) != FARSUM_OK)
        fail_msg("%s", farsum_message());
    return plan;
}

/* One plan: without exclusions, and with them; f32: positions are rounded. */
static void links(int k, const struct crystal *c, const char *method,
                  farsum_precision precision, int m, int f32)
{
    static double x[3 * N], y[3 * N], q[RHS * N * MOST];
    static struct sums whole, want, got;
    const double factor[LINKS] = {0, 0.5, 0, 0.25, 0, 0, 0.3, 0, 0};
    int64_t pair[LINKS][2];
    farsum_problem p = make_problem(k, 1, m);
    memcpy(p.cell, c->cell, sizeof p.cell);
    p.precision = precision;
    p.arrays = FARSUM_F64;
    p.tolerance = precision == FARSUM_F64 ? 1e-6 : 1e-3;
    farsum_plan *plan = plan_of(&p, method);
    for (int turn = 0; turn < 2; turn++) {
        place(c, turn, f32, m, x, y, q);
        for (int e = 0; e < LINKS; e++)
            for (int side = 0; side < 2; side++)
                pair[e][m == 0 && turn ? 1 - side : side] = 2 * e + side;
        assert_int_equal(
            farsum_plan_set_points(plan, N, x, m, m > 0 ? y : NULL), FARSUM_OK);
        assert_int_equal(farsum_plan_set_exclusions(plan, 0, NULL, NULL),
                         FARSUM_OK);
        run(plan, k, m, q, &whole);
        assert_int_equal(
            farsum_plan_set_exclusions(plan, LINKS, pair[0], factor),
            FARSUM_OK);
        run(plan, k, m, q, &got);
        want = whole;
        lose_links(k, c, factor, m, x, y, q, &want);
        print_message("%s, %s, %s, precision %d, %d targets\n", c->name,
                      kernels[k].name, method, (int)precision, m);
        compare(&got, &want, &whole, precision == FARSUM_F64 ? 1e-12 : 1e-6);
    }
    farsum_plan_destroy(plan);
}

/* In f64 with positions of f64 and of f32; in f32 and mixed with the latter. */
static void crystals_by(const char *method, int k, int last)
{
    for (int c = 0; c < CRYSTALS; c++)
        for (int f = FARSUM_F64; f <= last; f++) {
            if (strcmp(method, "fmm") == 0 && !crystals[c].brick)
                continue;
            links(k, &crystals[c], method, (farsum_precision)f, 0, 1);
            if (f == FARSUM_F64)
                links(k, &crystals[c], method, FARSUM_F64, 0, 0);
            if (c == 0)
                links(k, &crystals[c], method, (farsum_precision)f, 20, 1);
        }
}

static void by_ewald(void **state)
{
    (void)state;
    for (int k = 0; k < KERNELS; k++)
        crystals_by("ewald", k, FARSUM_F64);
}

static void by_spectral(void **state)
{
    (void)state;
    for (int k = 0; k < KERNELS; k++)
        crystals_by("spectral", k, FARSUM_MIXED);
}

static void by_fmm(void **state)
{
    (void)state;
    crystals_by("fmm", 0, FARSUM_F32);
}

/* Kernels, crystals and precisions take turns: they compile for long. */
static void there(void **state)
{
    (void)state;
    for (int k = 0; k < KERNELS; k++)
        links(k, &crystals[k % CRYSTALS], "spectral",
              (farsum_precision)(FARSUM_F64 + k % 3), k % 2 ? 0 : 20,
              k % 3 > 0);
    links(0, &crystals[3], "spectral", FARSUM_F64, 0, 1);
    for (int f = FARSUM_F64; f <= FARSUM_F32; f++)
        links(0, &crystals[f - FARSUM_F64], "fmm", (farsum_precision)f, 0, 1);
    links(0, &crystals[1], "fmm", FARSUM_F32, 20, 1);
}

int main(int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], "device") == 0) {
        const char *name = getenv("FARSUM_TEST_DEVICE");
        if (farsum_device_open(name ? name : "opencl:0", &device)
            != FARSUM_OK) {
            printf("no device: %s\n", farsum_message());
            return 77;
        }
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(by_ewald),
        cmocka_unit_test(by_spectral),
        cmocka_unit_test(by_fmm),
    };
    const struct CMUnitTest on_device[] = {cmocka_unit_test(there)};
    int failed = device ? cmocka_run_group_tests(on_device, NULL, NULL)
                        : cmocka_run_group_tests(tests, NULL, NULL);
    farsum_device_close(device);
    return failed;
}
