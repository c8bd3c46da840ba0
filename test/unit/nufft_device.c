/* SPDX-License-Identifier: Apache-2.0 */
/* nufft_device.c: NUFFTs of types 1 and 2 on a device, FARSUM_TEST_DEVICE
 * (default: opencl:0), against direct sums and NUFFTs on the host.
 * FARSUM_TEST_ALL=1: every shape at every tolerance. */
#include <stdlib.h>
#include <string.h>

#include "device/device.h"
#include "farsum/device.h"
#include "nufft_case.h"
#include "plan/plan.h"

static farsum_device *device;

/* Sets which of x, c, f are on the device. */
static void places(struct try *t, int bits)
{
    farsum_memory *const memory[] = {&t->problem.x_memory, &t->problem.c_memory,
                                     &t->problem.f_memory};
    for (int i = 0; i < 3; i++)
        *memory[i] = bits >> i & 1 ? FARSUM_DEVICE : FARSUM_HOST;
}

static void ladder(int f32)
{
    int all = getenv("FARSUM_TEST_ALL") != NULL, turn = 0;
    double last = f32 ? 1e-5 : 1e-12, step = all ? 10 : f32 ? 100 : 1000;
    for (double tol = 1e-3; tol > 0.5 * last; tol /= step, turn++)
        for (int i = 0; i < (all ? 2 * SHAPES : 2); i++) {
            struct try t;
            farsum_mesh_info info = FARSUM_MESH_INFO_INIT;
            int type = 1 + i % 2, shape = all ? i / 2 : turn % 2;
            try_set(&t, type, (turn + i) % 3 ? 1 : -1, 150, shapes[shape], tol,
                    f32, 1);
            t.options.on_device = device;
            t.options.upsampling = 2;
            places(&t, turn + 3 * i);
            double e = error(&t, &info);
            CHECK(e <= tol, "type %d, tolerance %g, f%d, shape %d, P %d: %g",
                  type, tol, f32 ? 32 : 64, shape, info.support, e);
            CHECK(strcmp(info.device, device->device->name) == 0
                      && info.device_model && info.device_bytes > 0
                      && info.device_bytes < info.bytes,
                  "%s, %llu of %llu bytes", info.device,
                  (unsigned long long)info.device_bytes,
                  (unsigned long long)info.bytes);
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

/* Several vectors, in batches, with each kind of array on each side; equal to
 * the host's result to rounding. */
static void as_on_the_host(void)
{
    static const int counts[] = {1, 2, 9};
    for (int i = 0; i < 12; i++) {
        struct try t, host;
        farsum_mesh_info info = FARSUM_MESH_INFO_INIT;
        int f32 = i % 4 == 3, type = 1 + i % 2, channels = counts[i / 4];
        seed = (uint64_t)i;
        try_set(&t, type, 1, 120, shapes[1], 1e-5, f32, channels);
        seed = (uint64_t)i;
        try_set(&host, type, 1, 120, shapes[1], 1e-5, f32, channels);
        t.options.upsampling = host.options.upsampling = 2;
        t.options.on_device = device;
        places(&t, i % 8);
        run(&t, &info);
        run(&host, NULL);
        int64_t n = channels * (type == 1 ? t.modes : t.n);
        const double complex *got = type == 1 ? t.f : t.c;
        const double complex *want = type == 1 ? host.f : host.c;
        double off = 0, size = 0;
        for (int64_t k = 0; k < n; k++) {
            off = fmax(off, cabs(got[k] - want[k]));
            size = fmax(size, cabs(want[k]));
        }
        CHECK(off <= (f32 ? 2e-5 : 1e-12) * size && size > 1,
              "%d vectors, type %d: %g of %g", channels, type, off, size);
        CHECK(info.n_stages == 2 && info.stages[0].seconds > 0
                  && info.stages[1].seconds > 0,
              "%g and %g s", info.stages[0].seconds, info.stages[1].seconds);
        try_clear(&t);
        try_clear(&host);
    }
}

/* Every variant of fft that fits gives the same result. */
static void transforms(void)
{
    farsum_variant_info row = FARSUM_VARIANT_INFO_INIT;
    int ran = 0;
    for (int i = 0; farsum_list_variants("fft", i, &row) == FARSUM_OK; i++) {
        farsum_nufft *nufft = NULL;
        struct try t;
        try_set(&t, 2, -1, 60, shapes[2], 1e-6, 0, 1);
        t.options.on_device = device;
        t.options.upsampling = 2;
        t.options.fft = row.name;
        farsum_status status =
            farsum_nufft_create(&t.problem, &t.options, &nufft);
        farsum_nufft_destroy(nufft);
        if (status == FARSUM_OK) {
            double e = error(&t, NULL);
            CHECK(e <= 1e-6, "%s: %g", row.name, e);
            ran++;
        } else {
            CHECK(status == FARSUM_ERR_UNSUPPORTED, "%s: %s", row.name,
                  farsum_message());
        }
        try_clear(&t);
    }
    CHECK(ran >= 2, "%d transforms", ran);
}

/* None, one, other counts than announced; bad input. */
static void counts(void)
{
    struct device *d = device->device;
    int64_t held = d->bytes;
    for (int type = 1; type <= 2; type++) {
        struct try t;
        farsum_nufft *nufft = NULL;
        try_set(&t, type, 1, 300, shapes[0], 1e-3, 0, 2);
        t.problem.n_points = 10;
        t.options.on_device = device;
        t.options.upsampling = 2;
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
        int64_t now = d->bytes;
        CHECK_OK(farsum_nufft_execute(nufft, t.c, t.f));
        CHECK(d->bytes == now, "execute took %lld bytes",
              (long long)(d->bytes - now));
        t.x[77] = NAN;
        CHECK_FAILS(farsum_nufft_set_points(nufft, 300, t.x),
                    FARSUM_ERR_POSITION);
        CHECK_SAYS("point 25: z = nan");
        CHECK_FAILS(farsum_nufft_execute(nufft, t.c, t.f), FARSUM_ERR_STATE);
        /* running out of memory changes nothing */
        t.x[77] = 1;
        double *many = check_memory(3 * 100000, sizeof *many);
        d->limit = d->bytes + 100000;
        CHECK_FAILS(farsum_nufft_set_points(nufft, 100000, many),
                    FARSUM_ERR_MEMORY);
        CHECK_OK(farsum_nufft_set_points(nufft, 300, t.x));
        CHECK_OK(farsum_nufft_execute(nufft, t.c, t.f));
        d->limit = 0;
        free(many);
        farsum_nufft_destroy(nufft);
        nufft = NULL;
        d->limit = d->bytes + 20000;
        CHECK_FAILS(farsum_nufft_create(&t.problem, &t.options, &nufft),
                    FARSUM_ERR_MEMORY);
        d->limit = 0;
        CHECK(!nufft && d->bytes == held, "%lld bytes are left",
              (long long)(d->bytes - held));
        try_clear(&t);
    }
}

/* Arrays of a device: finish says that results are not finite, once. */
static void results_not_finite(void)
{
    const double x[2][3] = {{0, 0, 0}, {1, 2, 0}};
    double c[2][2] = {{1, 0}, {0, 1}}, f[5 * 4 * 3][2] = {{0}};
    farsum_nufft_problem p = FARSUM_NUFFT_PROBLEM_INIT;
    farsum_mesh_options o = FARSUM_MESH_OPTIONS_INIT;
    o.on_device = device;
    p.sign = 1;
    p.memory = FARSUM_DEVICE;
    p.x_memory = FARSUM_HOST;
    p.modes[0] = 5, p.modes[1] = 4, p.modes[2] = 3;
    for (int turn = 0; turn < 4; turn++) {
        farsum_nufft *nufft = NULL;
        void *there[4] = {NULL}; /* good c and f, then bad ones */
        p.type = 1 + turn % 2;
        CHECK_OK(farsum_device_alloc(device, sizeof c, c, &there[0]));
        CHECK_OK(farsum_device_alloc(device, sizeof f, f, &there[1]));
        c[1][1] = f[7][0] = turn < 2 ? NAN : INFINITY;
        CHECK_OK(farsum_device_alloc(device, sizeof c, c, &there[2]));
        CHECK_OK(farsum_device_alloc(device, sizeof f, f, &there[3]));
        c[1][1] = f[7][0] = 0;
        if (CHECK_OK(farsum_nufft_create(&p, &o, &nufft))
            && CHECK_OK(farsum_nufft_set_points(nufft, 2, x))) {
            CHECK_OK(farsum_nufft_execute(nufft, there[0], there[1]));
            CHECK_OK(farsum_nufft_finish(nufft));
            CHECK_OK(farsum_nufft_execute(nufft, there[2], there[3]));
            CHECK_FAILS(farsum_nufft_finish(nufft), FARSUM_ERR_STRENGTH);
            CHECK_SAYS("results are not finite");
            CHECK_OK(farsum_nufft_finish(nufft));
        }
        farsum_nufft_destroy(nufft);
        for (int k = 0; k < 4; k++)
            farsum_device_free(device, there[k]);
    }
}

static void refusals(void)
{
    struct try t;
    farsum_nufft *none = NULL;
    try_set(&t, 1, 1, 10, shapes[0], 1e-6, 0, 1);
    t.problem.c_memory = FARSUM_DEVICE;
    CHECK_FAILS(farsum_nufft_create(&t.problem, &t.options, &none),
                FARSUM_ERR_ARGUMENT);
    CHECK_SAYS("the NUFFT is on the host");
    t.problem.c_memory = 0;
    t.problem.f_memory = (farsum_memory)7;
    CHECK_FAILS(farsum_nufft_create(&t.problem, &t.options, &none),
                FARSUM_ERR_ARGUMENT);
    CHECK_SAYS("f_memory is 7");
    t.problem.f_memory = 0;
    t.options.device = "openkl";
    CHECK_FAILS(farsum_nufft_create(&t.problem, &t.options, &none),
                FARSUM_ERR_UNKNOWN);
    t.options.device = NULL;
    t.options.on_device = device;
    t.options.spread = "host_tile";
    CHECK_FAILS(farsum_nufft_create(&t.problem, &t.options, &none),
                FARSUM_ERR_UNSUPPORTED);
    CHECK(!none, "a failed create wrote its output");
    CHECK_FAILS(farsum_nufft_finish(NULL), FARSUM_ERR_ARGUMENT);
    try_clear(&t);
}

int main(void)
{
    const char *name = getenv("FARSUM_TEST_DEVICE");
    name = name && *name ? name : "opencl:0";
    if (farsum_device_open(name, &device) != FARSUM_OK) {
        printf("no device: %s\n", farsum_message());
        return CHECK_SKIPPED;
    }
    RUN(ladder_f64);
    RUN(ladder_f32);
    RUN(as_on_the_host);
    RUN(transforms);
    RUN(counts);
    RUN(results_not_finite);
    RUN(refusals);
    farsum_device_close(device);
    return check_end();
}
