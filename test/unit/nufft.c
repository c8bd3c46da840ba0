/* nufft: types 1 and 2 against the sums themselves, in double. */
#include <complex.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "farsum/mesh.h"

struct
try {
    farsum_nufft_problem problem;
    farsum_mesh_options options;
    int64_t n, modes;
    double *x;             /* [n][3] */
    double complex *c, *f; /* [channel][n], [channel][modes] */
};

static uint64_t seed = 7;
static double random_unit(void)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (double)(seed >> 11) * 0x1p-53;
}

static void try_set(struct try *t, int type, int sign, int64_t n,
                    const int64_t modes[3], double tolerance, int f32,
                    int channels)
{
    memset(t, 0, sizeof *t);
    t->problem = (farsum_nufft_problem)FARSUM_NUFFT_PROBLEM_INIT;
    t->options = (farsum_mesh_options)FARSUM_MESH_OPTIONS_INIT;
    t->options.threads = 2;
    t->problem.type = type;
    t->problem.sign = sign;
    t->problem.tolerance = tolerance;
    t->problem.precision = f32 ? FARSUM_F32 : FARSUM_F64;
    t->problem.channels = channels;
    t->problem.n_points = t->n = n;
    t->modes = 1;
    for (int d = 0; d < 3; d++)
        t->modes *= t->problem.modes[d] = modes[d];
    t->x = check_memory((size_t)(3 * n + 1), sizeof *t->x);
    t->c = check_memory((size_t)(n * channels + 1), sizeof *t->c);
    t->f = check_memory((size_t)(t->modes * channels), sizeof *t->f);
    for (int64_t i = 0; i < 3 * n; i++) { /* some periods around 0 */
        t->x[i] = 20 * (random_unit() - 0.5);
        if (f32)
            t->x[i] = (double)(float)t->x[i];
    }
    for (int64_t i = 0; i < n * channels; i++)
        t->c[i] = random_unit() - 0.5 + I * (random_unit() - 0.5);
    for (int64_t i = 0; i < t->modes * channels; i++)
        t->f[i] = random_unit() - 0.5 + I * (random_unit() - 0.5);
}

static void try_clear(struct try *t)
{
    free(t->x);
    free(t->c);
    free(t->f);
}

/* n reals of the try's precision, from or to doubles. */
static void *packed(const struct try *t, const void *from, int64_t n)
{
    int f32 = t->problem.precision == FARSUM_F32;
    void *to = check_memory((size_t)n + 1, f32 ? 4 : 8);
    for (int64_t i = 0; i < n; i++)
        if (f32)
            ((float *)to)[i] = (float)((const double *)from)[i];
        else
            ((double *)to)[i] = ((const double *)from)[i];
    return to;
}
static void unpack(const struct try *t, const void *from, void *to, int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        ((double *)to)[i] = t->problem.precision == FARSUM_F32
                                ? (double)((const float *)from)[i]
                                : ((const double *)from)[i];
}

/* The library's result in place of c or f; info may be NULL. */
static void run(struct try *t, farsum_mesh_info *info)
{
    farsum_nufft *nufft = NULL;
    int channels = t->problem.channels;
    int64_t nc = 2 * channels * t->n, nf = 2 * channels * t->modes;
    void *x = packed(t, t->x, 3 * t->n);
    void *c = packed(t, t->c, nc), *f = packed(t, t->f, nf);
    size_t size = t->problem.precision == FARSUM_F32 ? 4 : 8;
    if (farsum_nufft_create(&t->problem, &t->options, &nufft) != FARSUM_OK)
        check_stop("create: %s", farsum_message());
    CHECK_OK(farsum_nufft_set_points(nufft, t->n, x));
    /* results are set, whatever was there */
    memset(t->problem.type == 1 ? f : c, 0xff,
           (size_t)(t->problem.type == 1 ? nf : nc) * size);
    CHECK_OK(farsum_nufft_execute(nufft, c, f));
    if (info)
        CHECK_OK(farsum_nufft_get_info(nufft, info));
    unpack(t, c, t->c, nc);
    unpack(t, f, t->f, nf);
    farsum_nufft_destroy(nufft);
    free(x);
    free(c);
    free(f);
}

/* e^(i sign k x_d) for all k of an axis. */
static void powers(const struct try *t, int64_t j, int d, double complex *e)
{
    int64_t n = t->problem.modes[d];
    for (int64_t i = 0; i < n; i++)
        e[i] =
            cexp(I * t->problem.sign * (double)(i - n / 2) * t->x[3 * j + d]);
}

/* The sums, into `want`. */
static void direct(const struct try *t, double complex *want)
{
    const int64_t *N = t->problem.modes;
    double complex *e[3];
    for (int d = 0; d < 3; d++)
        e[d] = check_memory((size_t)N[d], sizeof **e);
    for (int64_t j = 0; j < t->n; j++) {
        for (int d = 0; d < 3; d++)
            powers(t, j, d, e[d]);
        for (int ch = 0; ch < t->problem.channels; ch++) {
            const double complex c = t->c[ch * t->n + j];
            int64_t k = ch * t->modes;
            for (int64_t a = 0; a < N[0]; a++)
                for (int64_t b = 0; b < N[1]; b++) {
                    double complex ab = e[0][a] * e[1][b];
                    for (int64_t z = 0; z < N[2]; z++, k++)
                        if (t->problem.type == 1)
                            want[k] += c * (ab * e[2][z]);
                        else
                            want[ch * t->n + j] += t->f[k] * (ab * e[2][z]);
                }
        }
    }
    for (int d = 0; d < 3; d++)
        free(e[d]);
}

/* Relative error in the 2-norm. */
static double error(struct try *t, farsum_mesh_info *info)
{
    int64_t n = t->problem.channels * (t->problem.type == 1 ? t->modes : t->n);
    double complex *want = check_memory((size_t)n, sizeof *want);
    double off = 0, all = 0;
    direct(t, want);
    run(t, info);
    const double complex *got = t->problem.type == 1 ? t->f : t->c;
    for (int64_t i = 0; i < n; i++) {
        off += pow(cabs(got[i] - want[i]), 2);
        all += pow(cabs(want[i]), 2);
    }
    free(want);
    return sqrt(off / all);
}

static const int64_t shapes[][3] = {{12, 13, 14}, {9, 24, 5}, {1, 40, 7},
                                    {2, 3, 32},   {17, 1, 2}, {45, 4, 3}};
enum { SHAPES = sizeof shapes / sizeof *shapes };

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
                continue; /* wider windows than there are */
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

/* Several vectors, at once and in batches. */
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

/* None, one, and other counts than expected through one plan. */
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
    REFUSED(t.problem.size = 8, ERR_ARGUMENT, "FARSUM_NUFFT_PROBLEM_INIT");
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
    RUN(vectors);
    RUN(adjoint);
    RUN(counts);
    RUN(refusals);
    return check_end();
}
