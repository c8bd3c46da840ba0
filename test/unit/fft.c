/* SPDX-License-Identifier: Apache-2.0 */
/* fft.c: the plain transform against its definition; good lengths. */
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "stage/fft/fft.h"

static double value(int64_t i)
{
    return sin(1.0 + 0.37 * (double)i * (double)(i % 17));
}

static void run(const struct fft_args *args, void *data, int backward)
{
    const struct variant *v = fft_stage.rows->variant;
    struct fft_io io = {data, backward};
    void *state = NULL;
    CHECK_OK(v->create(args, &state));
    CHECK_OK(v->run(state, &io));
    v->destroy(state);
}

/* sum_m data_m e^{-2 pi i (k0 m0/M0 + k1 m1/M1 + k2 m2/M2)} */
static void mode(const struct fft_args *a, const double *data, const int64_t *k,
                 double *re, double *im)
{
    *re = *im = 0;
    for (int64_t x = 0; x < a->mesh[0]; x++)
        for (int64_t y = 0; y < a->mesh[1]; y++)
            for (int64_t z = 0; z < a->mesh[2]; z++) {
                double turn = (double)(k[0] * x) / (double)a->mesh[0]
                              + (double)(k[1] * y) / (double)a->mesh[1]
                              + (double)(k[2] * z) / (double)a->mesh[2];
                double v = data[(x * a->mesh[1] + y) * a->ldz + z];
                *re += v * cos(2 * M_PI * turn);
                *im -= v * sin(2 * M_PI * turn);
            }
}

static void plain_is_the_definition(void)
{
    static const int64_t meshes[][4] = {
        {6, 4, 8, 10}, {5, 7, 3, 4}, {2, 2, 2, 4}, {4, 6, 10, 16}};
    for (int k = 0; k < 4; k++) {
        struct fft_args a = {FARSUM_F64,
                             1,
                             {meshes[k][0], meshes[k][1], meshes[k][2]},
                             meshes[k][3],
                             0,
                             NULL,
                             0,
                             {0, 0},
                             0};
        int64_t size = a.mesh[0] * a.mesh[1] * a.ldz;
        double *before = check_memory((size_t)size, sizeof *before);
        double *data = aligned_alloc(64, (size_t)(size + 8) / 8 * 64);
        for (int64_t i = 0; i < size; i++)
            before[i] = data[i] = value(i);
        run(&a, data, 0);
        for (int64_t x = 0; x < a.mesh[0]; x++)
            for (int64_t y = 0; y < a.mesh[1]; y++)
                for (int64_t z = 0; z <= a.mesh[2] / 2; z++) {
                    int64_t at = (x * a.mesh[1] + y) * a.ldz + 2 * z;
                    const int64_t wave[3] = {x, y, z};
                    double re, im;
                    mode(&a, before, wave, &re, &im);
                    CHECK_NEAR(data[at], re, 1e-12);
                    CHECK_NEAR(data[at + 1], im, 1e-12);
                }
        /* forward and inverse multiply by the number of points */
        run(&a, data, 1);
        double scale = (double)(a.mesh[0] * a.mesh[1] * a.mesh[2]);
        for (int64_t i = 0; i < size; i++)
            if (i % a.ldz < a.mesh[2])
                CHECK_NEAR(data[i] / scale, before[i], 1e-14);
        free(before);
        free(data);
    }
}

/* A complex mesh of two real ones has the sum of their spectra. */
static void complex_is_two_real(void)
{
    const int64_t mesh[3] = {5, 4, 6};
    struct fft_args r = {FARSUM_F64, 1, {5, 4, 6}, 8, 0, NULL, 0, {0, 0},
                         0};
    struct fft_args c = {FARSUM_F64, 1, {5, 4, 6}, 14, 0, NULL, 1, {0, 0},
                         0};
    const int64_t rows = mesh[0] * mesh[1];
    double *parts[2], *both = aligned_alloc(64, 64 * 40);
    for (int p = 0; p < 2; p++) {
        parts[p] = check_memory((size_t)(rows * 8), sizeof(double));
        for (int64_t i = 0; i < rows; i++)
            for (int64_t z = 0; z < 6; z++)
                both[i * 14 + 2 * z + p] = parts[p][i * 8 + z] =
                    value(7 * i + z + 100 * p);
    }
    run(&c, both, 0);
    for (int64_t i = 0; i < rows; i++)
        for (int64_t z = 0; z < 6; z++) {
            const int64_t wave[3] = {i / 4, i % 4, z};
            double re[2], im[2];
            for (int p = 0; p < 2; p++)
                mode(&r, parts[p], wave, &re[p], &im[p]);
            CHECK_NEAR(both[i * 14 + 2 * z], re[0] - im[1], 1e-12);
            CHECK_NEAR(both[i * 14 + 2 * z + 1], im[0] + re[1], 1e-12);
        }
    run(&c, both, 1);
    for (int64_t i = 0; i < rows; i++)
        for (int64_t z = 0; z < 12; z++)
            CHECK_NEAR(both[i * 14 + z] / 120, parts[z % 2][i * 8 + z / 2],
                       1e-14);
    for (int p = 0; p < 2; p++)
        free(parts[p]);
    free(both);
}

/* Several transforms in one call agree with single ones, and the memory between
 * them is unchanged. */
static void batches_are_singles(void)
{
    struct fft_args one = {.precision = FARSUM_F64,
                           .threads = 1,
                           .mesh = {4, 3, 6},
                           .ldz = 8};
    struct fft_args all = one;
    enum { SIZE = 4 * 3 * 8, STEP = SIZE + 16, MOST = 6 };
    static const int batch[2] = {6, 3};
    memcpy(all.batch, batch, sizeof batch);
    all.batch_step = STEP;
    double *data = aligned_alloc(64, 8 * MOST * STEP);
    double *alone = aligned_alloc(64, 8 * SIZE);
    for (int backward = 0; backward < 2; backward++) {
        for (int i = 0; i < MOST * STEP; i++)
            data[i] = value(i);
        run(&all, data, backward);
        for (int c = 0; c < MOST; c++) {
            for (int i = 0; i < SIZE; i++)
                alone[i] = value(c * STEP + i);
            if (c < batch[backward])
                run(&one, alone, backward);
            CHECK(memcmp(alone, data + c * STEP, 8 * SIZE) == 0,
                  "mesh %d, backward %d", c, backward);
            for (int i = SIZE; i < STEP; i++)
                CHECK(data[c * STEP + i] == value(c * STEP + i),
                      "number %d past mesh %d", i, c);
        }
    }
    free(alone);
    free(data);
}

static int is_good(int64_t n)
{
    static const int primes[] = {2, 3, 5, 7};
    if (n % 2)
        return 0;
    for (int i = 0; i < 4; i++)
        while (n % primes[i] == 0)
            n /= primes[i];
    return n == 1;
}

static void good_lengths(void)
{
    for (int64_t n = 1; n < 3000; n++) {
        int64_t good = fft_good_size(n);
        CHECK(good >= n && is_good(good), "%lld for %lld", (long long)good,
              (long long)n);
        CHECK(good <= n + n / 4 + 2, "%lld is far above %lld", (long long)good,
              (long long)n);
        CHECK(fft_good_size(good) == good, "%lld is not good twice",
              (long long)good);
        int64_t fast = fft_good_size_device(n, FARSUM_F64);
        CHECK(fast >= good && is_good(fast) && fast <= good + good / 8,
              "%lld on a device for %lld", (long long)fast, (long long)n);
    }
}

static void costs_grow(void)
{
    struct fft_args small = {FARSUM_F64, 1, {32, 32, 32}, 34, 0, NULL, 0,
                             {0, 0}, 0};
    struct fft_args large = {FARSUM_F64, 1, {64, 64, 64}, 66, 0, NULL, 0,
                             {0, 0}, 0};
    int fit = 0;
    for (const struct variant_row *r = fft_stage.rows; r->name; r++) {
        if (r->variant->fits && r->variant->fits(&small) != FARSUM_OK)
            continue; /* it runs on a device */
        fit++;
        double a = r->variant->cost(&small), b = r->variant->cost(&large);
        CHECK(a > 0 && b > 4 * a && b < 100 * a, "%s: %g and %g s", r->name, a,
              b);
        large.threads = 4;
        CHECK(r->variant->cost(&large) <= b, "%s: more threads cost more",
              r->name);
        large.threads = 1;
    }
    CHECK(fit >= 2, "%d variants fit the host", fit);
}

int main(void)
{
    RUN(plain_is_the_definition);
    RUN(complex_is_two_real);
    RUN(batches_are_singles);
    RUN(good_lengths);
    RUN(costs_grow);
    return check_end();
}
