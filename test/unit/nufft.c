/* SPDX-License-Identifier: Apache-2.0 */
/* nufft.c: NUFFTs of types 1 and 2 against direct sums in double. */
#include <stdlib.h>
#include <string.h>

#include "nufft_case.h"

static void ladder(int f32)
{
    const double last = f32 ? 1e-5 : 1e-12;
    static const double sigmas[] = {0, 2, 1.25, 1.5};
    int most = getenv("NUFFT_FULL") ? 8 * SHAPES : 2 * SHAPES, turn = 0;
    for (double tol = 1e-2; tol > 0.5 * last; tol /= 10, turn++)
        for (int i = 0; i < most; i++) {
            struct try t;
            farsum_mesh_info info = FARSUM_MESH_INFO_INIT;
            int type = 1 + i / SHAPES % 2, sign = i % 2 ? 1 : -1;
            double sigma = sigmas[(i % SHAPES + i / SHAPES / 2 + turn) % 4];
            if ((sigma == 1.25 && tol < 0.5e-8)
                || (sigma == 1.5 && tol < 0.5e-11))
                continue; /* wider windows than available */
            try_set(&t, type, sign, 150, shapes[i % SHAPES], tol, f32, 1);
            t.options.upsampling = sigma;
            double e = error(&t, &info);
            CHECK(e <= tol,
                  "type %d, tolerance %g, f%d, %lld %lld %lld, "
                  "sigma %g (%g), P %d: %g",
                  type, tol, f32 ? 32 : 64, (long long)t.problem.modes[0],
                  (long long)t.problem.modes[1], (long long)t.problem.modes[2],
                  sigma, info.upsampling, info.support, e);
            if (getenv("NUFFT_FULL"))
                printf("%g f%d type %d sigma %g %.3g P %d: %.3g\n", tol,
                       f32 ? 32 : 64, type, sigma, info.upsampling,
                       info.support, e / tol);
            try_clear(&t);
        }
}
static void ladder_f64(void)
{
    ladder(0);
}
static void ladder_f32(void)
{
    ladder(1);
}

/* Returns 0 if the tolerance is met, and the estimate covers the error;
 * otherwise the tolerance that the refusal names. */
static double met(int type, int64_t n, const int64_t shape[3], double tol,
                  double sigma, int f32)
{
    struct try t;
    farsum_mesh_info info = FARSUM_MESH_INFO_INIT;
    farsum_nufft *nufft = NULL;
    double reached = 0;
    try_set(&t, type, 1, n, shape, tol, f32, 1);
    t.options.upsampling = sigma;
    farsum_status status = farsum_nufft_create(&t.problem, &t.options, &nufft);
    farsum_nufft_destroy(nufft);
    if (status == FARSUM_OK) {
        double e = error(&t, &info);
        CHECK(e <= tol && e <= 2 * info.estimated_error
                  && info.estimated_error <= tol,
              "type %d, f%d, %lld points, %lld %lld %lld, tolerance %g, sigma "
              "%g (%g), P %d: %g, estimated %g",
              type, f32 ? 32 : 64, (long long)n, (long long)shape[0],
              (long long)shape[1], (long long)shape[2], tol, sigma,
              info.upsampling, info.support, e, info.estimated_error);
    } else {
        const char *said = strstr(farsum_message(), "reaches ");
        reached = said ? strtod(said + 8, NULL) : 0;
        CHECK(status == FARSUM_ERR_TOLERANCE && reached > tol,
              "tolerance %g, sigma %g: %s", tol, sigma, farsum_message());
    }
    try_clear(&t);
    return reached;
}

/* Down to the smallest tolerances, where rounding counts, each is met or
 * refused, and the refusal names one that is met. */
static void floors(void)
{
    static const double sigmas[] = {1.25, 2, 0};
    static const struct {
        int64_t n, modes[3];
    } cases[] = {{150, {12, 13, 14}}, {3000, {9, 24, 5}}, {100, {1, 1, 500}}};
    for (int i = 0; i < 2 * 3 * 3 * 2; i++) {
        int type = 1 + i % 2, f32 = i / 2 % 2, c = i / 4 % 3;
        double sigma = sigmas[i / 12], last = f32 ? 3e-6 : 1e-14;
        double first = f32 ? 1e-3 : 1e-8;
        for (double tol = first; tol > 0.9 * last; tol /= f32 ? 1.79 : 10) {
            double reached = met(type, cases[c].n, cases[c].modes,
                                 tol > 1.01 * last ? tol : last, sigma, f32);
            if (reached > 0) {
                reached = met(type, cases[c].n, cases[c].modes, 1.1 * reached,
                              sigma, f32);
                CHECK(reached == 0, "refused with %g also", reached);
                break;
            }
        }
    }
}

/* Several vectors in one call and in batches. */
static void vectors(void)
{
    static const int counts[] = {2, 3, 8, 11, 24};
    for (int type = 1; type <= 2; type++)
        for (int i = 0; i < 5; i++) {
            struct try t;
            try_set(&t, type, 1, 100, shapes[1], 1e-5, i % 2, counts[i]);
            double e = error(&t, NULL);
            CHECK(e <= 1e-5, "%d vectors: %g", counts[i], e);
            try_clear(&t);
        }
}

/* <type 1 of c, f> = <c, type 2 of f> with the other sign, to rounding. */
static void adjoint(void)
{
    for (int i = 0; i < 2 * SHAPES; i++) {
        struct try t1, t2;
        double complex left = 0, right = 0;
        double size = 0;
        seed = 100 + (uint64_t)i;
        try_set(&t1, 1, i % 2 ? 1 : -1, 200, shapes[i % SHAPES], 1e-4, 0, 1);
        seed = 100 + (uint64_t)i;
        try_set(&t2, 2, i % 2 ? -1 : 1, 200, shapes[i % SHAPES], 1e-4, 0, 1);
        double complex *f = t2.f, *c = t1.c;
        t1.options.upsampling = t2.options.upsampling = 1.5;
        double complex *keep_f = check_memory((size_t)t1.modes, sizeof *f);
        double complex *keep_c = check_memory((size_t)t1.n, sizeof *c);
        memcpy(keep_f, f, (size_t)t1.modes * sizeof *f);
        memcpy(keep_c, c, (size_t)t1.n * sizeof *c);
        run(&t1, NULL);
        run(&t2, NULL);
        for (int64_t k = 0; k < t1.modes; k++) {
            left += t1.f[k] * conj(keep_f[k]);
            size += cabs(t1.f[k] * keep_f[k]);
        }
        for (int64_t j = 0; j < t1.n; j++)
            right += keep_c[j] * conj(t2.c[j]);
        CHECK_NEAR(cabs(left - right), 0, 1e-13 * size);
        free(keep_f);
        free(keep_c);
        try_clear(&t1);
        try_clear(&t2);
    }
}

/* None, one, and other counts than announced with one plan. */
static void counts(void)
{
    struct try t;
    farsum_nufft *nufft = NULL;
    for (int type = 1; type <= 2; type++) {
        try_set(&t, type, 1, 300, shapes[0], 1e-6, 0, 1);
        t.problem.n_points = 10;
        CHECK_OK(farsum_nufft_create(&t.problem, &t.options, &nufft));
        CHECK_FAILS(farsum_nufft_execute(nufft, t.c, t.f), FARSUM_ERR_STATE);
        CHECK_OK(farsum_nufft_set_points(nufft, 0, NULL));
        t.f[5] = type == 1 ? NAN : 1;
        CHECK_OK(farsum_nufft_execute(nufft, NULL, t.f));
        CHECK(type == 2 || cabs(t.f[5]) == 0, "no points give %g",
              cabs(t.f[5]));
        CHECK_OK(farsum_nufft_set_points(nufft, 1, t.x));
        CHECK_OK(farsum_nufft_execute(nufft, t.c, t.f));
        CHECK_OK(farsum_nufft_set_points(nufft, 300, t.x));
        CHECK_OK(farsum_nufft_execute(nufft, t.c, t.f));
        t.x[77] = NAN;
        CHECK_FAILS(farsum_nufft_set_points(nufft, 300, t.x),
                    FARSUM_ERR_POSITION);
        CHECK_SAYS("point 25: z = nan");
        CHECK_FAILS(farsum_nufft_execute(nufft, t.c, t.f), FARSUM_ERR_STATE);
        farsum_nufft_destroy(nufft);
        try_clear(&t);
    }
    try_set(&t, 1, 1, 1, shapes[0], 1e-6, 0, 1);
    CHECK_NEAR(error(&t, NULL), 0, 1e-6);
    try_clear(&t);
}

#define REFUSED(change, wanted, ...)                                           \
    do {                                                                       \
        struct try t;                                                          \
        farsum_nufft *none = NULL;                                             \
        const char *says[] = {__VA_ARGS__};                                    \
        try_set(&t, 1, 1, 10, shapes[0], 1e-6, 0, 1);                          \
        change;                                                                \
        CHECK_FAILS(farsum_nufft_create(&t.problem, &t.options, &none),        \
                    FARSUM_##wanted);                                          \
        CHECK(!none, "a failed create wrote its output");                      \
        for (size_t w = 0; w < sizeof says / sizeof *says; w++)                \
            CHECK_SAYS(says[w]);                                               \
        try_clear(&t);                                                         \
    } while (0)

static void refusals(void)
{
    REFUSED(t.problem.type = 3, ERR_ARGUMENT, "type is 3");
    REFUSED(t.problem.sign = 0, ERR_ARGUMENT, "sign is 0");
    REFUSED(t.problem.size = 7, ERR_ARGUMENT, "FARSUM_NUFFT_PROBLEM_INIT");
    REFUSED(t.problem.modes[1] = 0, ERR_ARGUMENT, "modes[1] is 0");
    REFUSED(t.problem.tolerance = NAN, ERR_ARGUMENT, "tolerance is nan");
    REFUSED(t.problem.tolerance = 1e-16, ERR_TOLERANCE, "f64 reaches");
    REFUSED((t.problem.tolerance = 1e-7, t.problem.precision = FARSUM_F32),
            ERR_TOLERANCE, "f32 reaches");
    REFUSED((t.problem.tolerance = 1e-13, t.options.upsampling = 1.25),
            ERR_TOLERANCE, "upsample more");
    REFUSED(t.options.upsampling = 1.1, ERR_ARGUMENT, "upsampling is 1.1");
    REFUSED(t.options.fft = "ffw", ERR_UNKNOWN, "fft", "plain");
    REFUSED(t.options.spread = "host_tyle", ERR_UNKNOWN,
            "did you mean host_tile");
    REFUSED(t.problem.modes[0] = t.problem.modes[1] = t.problem.modes[2] =
                1 << 27,
            ERR_MEMORY, "beyond any memory");
}

int main(void)
{
    RUN(ladder_f64);
    RUN(ladder_f32);
    RUN(floors);
    RUN(vectors);
    RUN(adjoint);
    RUN(counts);
    RUN(refusals);
    return check_end();
}
