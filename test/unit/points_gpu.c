/* SPDX-License-Identifier: Apache-2.0 */
/* points_gpu.c: points on a device against the host's, on FARSUM_TEST_DEVICE
 * (default: opencl:0).  `perf [n [tiles per axis]]` times instead. */
#include "unit/points_gpu.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "points/device/scan.h"

struct device *points_device;

static double uniform(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return (double)((z ^ z >> 31) >> 11) * 0x1p-53;
}

struct cell cloud_cell(int triclinic)
{
    static const double straight[9] = {3, 0, 0, 0, 3, 0, 0, 0, 3};
    static const double tilted[9] = {4, 0.3, 0, 1.9, 3.1, -0.2, -0.7, 1.1, 2.5};
    struct cell cell;
    CHECK_OK(cell_set(&cell, triclinic ? tilted : straight, 1));
    return cell;
}

static void cloud_at(int64_t i, int64_t n, enum dist dist, uint64_t *state,
                     double s[3])
{
    for (int d = 0; d < 3; d++) {
        double u = uniform(state);
        switch (dist) {
        case CLUSTERED:
            s[d] = 0.5 + 0.4 * (u - 0.5) * (u - 0.5) * (u - 0.5);
            break;
        case ONE_TILE:
            s[d] = 0.3 + 1e-9 * u;
            break;
        case ORDERED:
            s[d] = d == 0 ? (double)i / (double)n : u;
            break;
        default:
            s[d] = 3 * u - 1;
        }
    }
}

void *cloud(const struct cell *cell, int64_t n, enum dist dist,
            farsum_precision arrays, uint64_t seed)
{
    double *x = check_memory((size_t)(3 * n + 1), sizeof *x);
    for (int64_t i = 0; i < n; i++) {
        double s[3];
        cloud_at(i, n, dist, &seed, s);
        for (int j = 0; j < 3; j++)
            x[3 * i + j] = s[0] * cell->a[j] + s[1] * cell->a[3 + j]
                           + s[2] * cell->a[6 + j];
    }
    for (int64_t k = 0; arrays == FARSUM_F32 && k < 3 * n; k++) {
        float f = (float)x[k];
        memcpy((char *)x + 4 * k, &f, 4);
    }
    return x;
}

void *taken(const struct buf *buf, int64_t bytes)
{
    void *p = check_memory((size_t)bytes + 1, 1);
    CHECK_OK(buf_download(buf, 0, p, bytes));
    return p;
}

void cloud_set(struct points_gpu *p, int64_t n, enum dist dist, uint64_t seed,
               struct points *host)
{
    struct cell cell = cloud_cell(1);
    double *x = cloud(&cell, n, dist, FARSUM_F64, seed);
    CHECK_OK(points_gpu_set(p, &cell, n, x, FARSUM_F64, "source"));
    CHECK_OK(points_set(host, &cell, n, x, FARSUM_F64, "source", 1));
    for (int d = 0; d < 3; d++)
        CHECK_OK(buf_download(&p->s, 8 * d * n, host->s[d], 8 * n));
    free(x);
}

static int64_t number(const void *x, enum gpu_scan_kind kind, int64_t i)
{
    if (kind == GPU_SCAN_U64)
        return ((const int64_t *)x)[i];
    return ((const uint32_t *)x)[i];
}

static void scan_of(struct gpu_scan *scan, enum gpu_scan_kind kind, int64_t n,
                    int in_place)
{
    struct buf in = {0}, out = {0}, total = {0};
    int item = kind == GPU_SCAN_U64 ? 8 : 4, sum = kind == GPU_SCAN_U32 ? 4 : 8;
    char *x = check_memory((size_t)n + 1, 8);
    uint64_t state = 5;
    for (int64_t i = 0; i < n; i++) {
        uint64_t v = (uint64_t)(uniform(&state) * 0x1p32);
        v = kind == GPU_SCAN_U32 ? v % 100 : kind == GPU_SCAN_U64 ? v << 8 : v;
        memcpy(x + i * item, &v, (size_t)item);
    }
    CHECK_OK(buf_alloc(&in, points_device, item * n));
    CHECK_OK(buf_alloc(&out, points_device, sum * n));
    CHECK_OK(buf_alloc(&total, points_device, sum));
    CHECK_OK(buf_upload(&in, 0, x, item * n));
    CHECK_OK(gpu_scan_run(scan, &in, in_place ? &in : &out, n,
                          n % 2 ? &total : NULL));
    void *y = taken(in_place ? &in : &out, sum * n);
    enum gpu_scan_kind sums = sum == 4 ? GPU_SCAN_U32 : GPU_SCAN_U64;
    int64_t at = 0;
    for (int64_t i = 0; i < n; i++) {
        if (!CHECK(number(y, sums, i) == at, "%lld of %lld: %lld, not %lld",
                   (long long)i, (long long)n, (long long)number(y, sums, i),
                   (long long)at))
            break;
        at += number(x, kind, i);
    }
    free(y);
    if (n % 2) {
        y = taken(&total, sum);
        CHECK(number(y, sums, 0) == at, "a total of %lld, not %lld",
              (long long)number(y, sums, 0), (long long)at);
        free(y);
    }
    free(x);
    buf_clear(&in);
    buf_clear(&out);
    buf_clear(&total);
}

static void test_scan(void)
{
    static const int64_t sizes[] = {
        0, 1, 2, 255, 4095, 4096, 4097, 100003, ((int64_t)1 << 24) + 5};
    for (int kind = GPU_SCAN_U32; kind <= GPU_SCAN_U32_U64; kind++) {
        struct gpu_scan *scan = NULL;
        CHECK_OK(
            gpu_scan_create(points_device, (enum gpu_scan_kind)kind, &scan));
        for (int i = 0; i < (kind == GPU_SCAN_U32 ? 9 : 8); i++) {
            scan_of(scan, (enum gpu_scan_kind)kind, sizes[i], 0);
            if (kind != GPU_SCAN_U32_U64)
                scan_of(scan, (enum gpu_scan_kind)kind, sizes[i], 1);
        }
        gpu_scan_destroy(scan);
    }
    gpu_scan_destroy(NULL);
}

/* Coordinates on host and device, each rounded independently. */
static void same_places(const struct points_gpu *p, const struct points *host,
                        double most)
{
    double *s = taken(&p->s, 24 * p->n);
    for (int64_t k = 0; k < 3 * p->n; k++) {
        double v = s[k], w = host->s[k / p->n][k % p->n], off = fabs(v - w);
        if (!CHECK(v >= 0 && v < 1 && (off < most || 1 - off < most),
                   "coordinate %lld: %.17g, the host has %.17g", (long long)k,
                   v, w))
            break;
    }
    free(s);
}

static void same_box(struct points_gpu *p, const void *x,
                     farsum_precision arrays)
{
    struct gpu_box box;
    double lo[6], hi[6], *s = taken(&p->s, 24 * p->n);
    CHECK_OK(points_gpu_box(p, &box));
    for (int q = 0; q < 6; q++) {
        lo[q] = HUGE_VAL;
        hi[q] = -HUGE_VAL;
        for (int64_t i = 0; i < p->n; i++) {
            double v = q >= 3 ? s[(q - 3) * p->n + i]
                       : arrays == FARSUM_F32
                           ? (double)((const float *)x)[3 * i + q]
                           : ((const double *)x)[3 * i + q];
            lo[q] = fmin(lo[q], v);
            hi[q] = fmax(hi[q], v);
        }
        double a = q < 3 ? box.lo[q] : box.s_lo[q - 3];
        double b = q < 3 ? box.hi[q] : box.s_hi[q - 3];
        CHECK(a == lo[q] && b == hi[q], "%d: %g..%g, not %g..%g", q, a, b,
              lo[q], hi[q]);
    }
    free(s);
}

static void test_positions(void)
{
    static const int64_t sizes[] = {0, 1, 2, 1000, 100003};
    struct points_gpu *p = NULL;
    CHECK_OK(points_gpu_create(points_device, &p));
    CHECK_FAILS(points_gpu_check(p), FARSUM_OK);
    for (int k = 0; k < 5 * 2 * 2 * 2; k++) {
        int64_t n = sizes[k % 5];
        int on_device = k / 5 % 2, tilted = k / 10 % 2;
        farsum_precision arrays = k / 20 % 2 ? FARSUM_F32 : FARSUM_F64;
        struct cell cell = cloud_cell(tilted);
        struct points host = {0};
        struct buf there = {0};
        void *x = cloud(&cell, n, UNIFORM, arrays, (uint64_t)k);
        int64_t bytes = 3 * n * (arrays == FARSUM_F32 ? 4 : 8);
        CHECK_OK(points_set(&host, &cell, n, x, arrays, "source", 1));
        if (on_device) {
            CHECK_OK(buf_alloc(&there, points_device, bytes));
            CHECK_OK(buf_upload(&there, 0, x, bytes));
            CHECK_OK(
                points_gpu_set_device(p, &cell, n, &there, arrays, "source"));
            CHECK_OK(points_gpu_check(p));
        } else {
            CHECK_OK(points_gpu_set(p, &cell, n, x, arrays, "source"));
        }
        CHECK(p->n == n, "%lld points", (long long)p->n);
        same_places(p, &host, 4e-15);
        same_box(p, x, arrays);
        buf_clear(&there);
        points_clear(&host);
        free(x);
    }
    points_gpu_destroy(p);
    points_gpu_destroy(NULL);
}

/* The host's message about x, then the device's. */
static void same_words(struct points_gpu *p, const double *x, int64_t n,
                       farsum_precision arrays)
{
    struct cell cell = cloud_cell(0);
    struct points host = {0};
    struct buf there = {0};
    char words[200];
    float narrow[600];
    const void *given = x;
    for (int64_t k = 0; k < 3 * n && arrays == FARSUM_F32; k++)
        narrow[k] = (float)x[k];
    if (arrays == FARSUM_F32)
        given = narrow;
    int64_t bytes = 3 * n * (arrays == FARSUM_F32 ? 4 : 8);
    CHECK_FAILS(points_set(&host, &cell, n, given, arrays, "target", 1),
                FARSUM_ERR_POSITION);
    snprintf(words, sizeof words, "%s", farsum_message());
    CHECK_FAILS(points_gpu_set(p, &cell, n, given, arrays, "target"),
                FARSUM_ERR_POSITION);
    CHECK(strcmp(words, farsum_message()) == 0, "\"%s\", on the host \"%s\"",
          farsum_message(), words);
    CHECK_OK(buf_alloc(&there, points_device, bytes));
    CHECK_OK(buf_upload(&there, 0, given, bytes));
    CHECK_OK(points_gpu_set_device(p, &cell, n, &there, arrays, "target"));
    for (int again = 0; again < 2; again++) {
        CHECK_FAILS(points_gpu_check(p), FARSUM_ERR_POSITION);
        CHECK(strcmp(words, farsum_message()) == 0, "\"%s\", not \"%s\"",
              farsum_message(), words);
    }
    double *s = taken(&p->s, 24 * n);
    for (int64_t k = 0; k < 3 * n; k++)
        CHECK(s[k] >= 0 && s[k] < 1, "a bad point stands at %g", s[k]);
    free(s);
    buf_clear(&there);
    points_clear(&host);
}

static void test_bad(void)
{
    static const double bad[] = {NAN, INFINITY, -INFINITY, 1e30, 3.1e6};
    struct points_gpu *p = NULL;
    double x[600] = {0};
    CHECK_OK(points_gpu_create(points_device, &p));
    for (int k = 0; k < 5; k++)
        for (int where = 0; where < 3; where++) {
            x[3 * 199 + 2] = NAN;
            x[3 * 67 * where + k % 3] = bad[k];
            same_words(p, x, 200, FARSUM_F64);
            same_words(p, x, 200, FARSUM_F32);
            memset(x, 0, sizeof x);
        }
    struct cell cell = cloud_cell(0);
    CHECK_OK(points_gpu_set(p, &cell, 200, x, FARSUM_F64, "source"));
    struct buf small = {0};
    CHECK_OK(buf_alloc(&small, points_device, 47));
    CHECK_FAILS(
        points_gpu_set_device(p, &cell, 2, &small, FARSUM_F64, "source"),
        FARSUM_ERR_ARGUMENT);
    CHECK_FAILS(
        points_gpu_set_device(p, &cell, -1, &small, FARSUM_F64, "source"),
        FARSUM_ERR_ARGUMENT);
    CHECK_OK(points_gpu_set_device(p, &cell, 1, &small, FARSUM_F64, "source"));
    buf_clear(&small);
    points_gpu_destroy(p);
}

int main(int argc, char **argv)
{
    const char *name = getenv("FARSUM_TEST_DEVICE");
    if (!name || !*name)
        name = "opencl:0";
    if (device_open(name, &points_device) != FARSUM_OK) {
        printf("skipped: %s\n", farsum_message());
        return CHECK_SKIPPED;
    }
    printf("%s: %s\n", points_device->name, points_device->properties.model);
    if (argc > 1 && strcmp(argv[1], "perf") == 0) {
        points_perf(argc > 2 ? atoll(argv[2]) : 1000000,
                    argc > 3 ? atoi(argv[3]) : 27);
        columns_perf(argc > 2 ? atoll(argv[2]) : 1000000, 100);
        device_close(points_device);
        return 0;
    }
    int64_t held = mem_bytes(), there = points_device->bytes;
    RUN(test_scan);
    RUN(test_positions);
    RUN(test_bad);
    RUN(test_sorts);
    RUN(test_sort_again);
    RUN(test_sort_from);
    RUN(test_sort_repeats);
    RUN(test_orderings);
    RUN(test_keys);
    RUN(test_cells);
    RUN(test_many_tiles);
    RUN(test_refused);
    RUN(test_columns);
    RUN(test_columns_by_first);
    CHECK(mem_bytes() == held, "%lld bytes are left",
          (long long)(mem_bytes() - held));
    CHECK(points_device->bytes == there, "%lld bytes are left on the device",
          (long long)(points_device->bytes - there));
    device_close(points_device);
    return check_end();
}
