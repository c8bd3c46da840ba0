/* SPDX-License-Identifier: Apache-2.0 */
/* device.c: memory, kernels, clock, cache on FARSUM_TEST_DEVICE or opencl:0. */
#include "check.h"

#include "base/mem.h"
#include "device/second_stream.h"
#include "device/buf.h"
#include "device/compile/cache.h"
#include "device/compile/jit.h"
#include "device/compile/compiler_log.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { GROUP = 64 };

static struct device *device;
static char folder[] = "farsum-cache-XXXXXX";

static double get(const void *x, int f32, int64_t i)
{
    return f32 ? (double)((const float *)x)[i] : ((const double *)x)[i];
}

static void put(void *x, int f32, int64_t i, double v)
{
    if (f32)
        ((float *)x)[i] = (float)v;
    else
        ((double *)x)[i] = v;
}

static farsum_status words(struct jit *jit, int f32)
{
    const double table[] = {0.25, -1.0 / 3, 7};
    jit_begin(jit, device, "words.k", f32 ? FARSUM_F32 : FARSUM_F64);
    jit_define_table(jit, "TABLE", table, 3);
    return jit_build(jit);
}

static void test_memory(void)
{
    struct buf a = {0}, b = {0}, part = {0};
    char in[10000], out[10000];
    int64_t held = device->bytes;
    for (int i = 0; i < 10000; i++)
        in[i] = (char)(i * 7);
    CHECK_OK(buf_alloc(&a, device, sizeof in));
    CHECK_OK(buf_alloc(&b, device, sizeof in));
    CHECK(device->bytes == held + 20000, "%lld", (long long)device->bytes);
    CHECK(device->peak >= device->bytes, "%lld", (long long)device->peak);
    CHECK_OK(buf_upload(&a, 0, in, sizeof in));
    CHECK_OK(buf_fill(&b, 0));
    CHECK_OK(buf_copy(&b, 100, &a, 50, 1000));
    CHECK_OK(buf_download(&b, 0, out, sizeof out));
    CHECK(out[99] == 0 && out[1100] == 0, "%d %d", out[99], out[1100]);
    CHECK(memcmp(out + 100, in + 50, 1000) == 0, "copied bytes differ");
    CHECK_OK(buf_view(&part, &a, BUF_ALIGN, 1000));
    CHECK_OK(buf_download(&part, 10, out, 500));
    CHECK(memcmp(out, in + BUF_ALIGN + 10, 500) == 0, "a view's bytes differ");
    CHECK_FAILS(buf_upload(&a, 9000, in, 1001), FARSUM_ERR_INTERNAL);
    CHECK_FAILS(buf_view(&part, &a, 9000, 1001), FARSUM_ERR_INTERNAL);
    CHECK_FAILS(buf_alloc(&b, device, INT64_MAX / 2), FARSUM_ERR_MEMORY);
    device->limit = device->bytes + 100;
    CHECK_FAILS(buf_alloc(&b, device, 101), FARSUM_ERR_MEMORY);
    device->limit = 0;
    buf_clear(&part);
    buf_clear(&a);
    buf_clear(&b);
    CHECK(device->bytes == held, "%lld bytes are left",
          (long long)(device->bytes - held));
}

struct words64 {
    int64_t n;
    double scale;
};

/* Host and kernels see each other's writes; skipped without such memory. */
static void test_managed(void)
{
    enum { N = 5000 };
    struct words64 args = {N, 1.5};
    const double table[] = {0.25, -1.0 / 3, 7};
    struct buf x = {0}, y = {0};
    struct kernel kernel;
    struct jit jit = {0};
    int64_t held = device->bytes;
    if (device_managed(device) != FARSUM_OK) {
        printf("skipped: %s\n", farsum_message());
        CHECK_FAILS(buf_alloc_managed(&x, device, 8), FARSUM_ERR_UNSUPPORTED);
        return;
    }
    CHECK_OK(buf_alloc_managed(&x, device, 8 * N));
    CHECK_OK(buf_alloc_managed(&y, device, 8 * N));
    CHECK_OK(words(&jit, 0));
    CHECK_OK(jit_kernel(&jit, "words_map", GROUP, 0, &kernel));
    for (int again = 0; again < 2; again++) {
        for (int i = 0; i < N; i++)
            put(x.host, 0, i, 0.001 * i + again);
        CHECK_OK(LAUNCH(&kernel, kernel_groups(&kernel, N), ARG_BUF(&x),
                        ARG_BUF(&y), ARG_STRUCT(args)));
        CHECK_OK(device_finish(device));
        for (int i = 0; i < N; i++)
            if (!CHECK_NEAR(get(y.host, 0, i),
                            1.5 * (0.002 * i + 2 * again + table[i % 3]),
                            1e-12))
                break;
    }
    jit_clear(&jit);
    buf_clear(&x);
    buf_clear(&y);
    CHECK(device->bytes == held, "%lld bytes are left",
          (long long)(device->bytes - held));
}

static void map(struct jit *jit, int f32, int64_t n)
{
    const double table[] = {0.25, -1.0 / 3, 7};
    struct words64 a64 = {n, 1.5};
    struct words32 {
        int64_t n;
        float scale;
    } a32 = {n, 1.5f};
    struct buf x = {0}, y = {0};
    struct kernel kernel;
    int64_t bytes = n * (f32 ? 4 : 8);
    void *h = check_memory((size_t)n, 8);
    for (int64_t i = 0; i < n; i++)
        put(h, f32, i, 0.001 * (double)i);
    CHECK_OK(buf_alloc(&x, device, bytes));
    CHECK_OK(buf_alloc(&y, device, bytes));
    CHECK_OK(buf_upload(&x, 0, h, bytes));
    CHECK_OK(jit_kernel(jit, "words_map", GROUP, 0, &kernel));
    CHECK_OK(LAUNCH(&kernel, kernel_groups(&kernel, n), ARG_BUF(&x),
                    ARG_BUF(&y), f32 ? ARG_STRUCT(a32) : ARG_STRUCT(a64)));
    CHECK_OK(buf_download(&y, 0, h, bytes));
    for (int64_t i = 0; i < n; i++) {
        double want = 1.5 * (0.002 * (double)i + table[i % 3]);
        if (!CHECK_NEAR(get(h, f32, i), want, f32 ? 1e-6 * (1 + want) : 1e-14))
            break;
    }
    free(h);
    buf_clear(&x);
    buf_clear(&y);
}

static void sums(struct jit *jit, int f32)
{
    enum { N = 1000 };
    struct buf x = {0}, s = {0}, c = {0}, l = {0};
    struct kernel kernel;
    double h[N], out[4];
    int32_t counts[3];
    int64_t large, groups;
    for (int i = 0; i < N; i++)
        put(h, f32, i, i % 5);
    CHECK_OK(buf_alloc(&x, device, N * 8));
    CHECK_OK(buf_alloc(&s, device, 32));
    CHECK_OK(buf_alloc(&c, device, 12));
    CHECK_OK(buf_alloc(&l, device, 8));
    CHECK_OK(buf_upload(&x, 0, h, f32 ? N * 4 : N * 8));
    CHECK_OK(buf_fill(&s, 0));
    CHECK_OK(buf_fill(&c, 0));
    CHECK_OK(buf_fill(&l, 0));
    CHECK_OK(jit_kernel(jit, "words_sums", GROUP, 0, &kernel));
    groups = kernel_groups(&kernel, N);
    CHECK_OK(LAUNCH(&kernel, groups, ARG_BUF(&x), ARG_BUF(&s), ARG_BUF(&c),
                    ARG_BUF(&l), ARG_I64(N)));
    CHECK_OK(buf_download(&s, 0, out, f32 ? 16 : 32));
    CHECK_OK(buf_download(&c, 0, counts, 12));
    CHECK_OK(buf_download(&l, 0, &large, 8));
    for (int i = 0; i < 4; i++)
        CHECK_NEAR(get(out, f32, i), 2.0 * N, 0);
    CHECK(counts[0] == groups * GROUP && counts[1] == groups * GROUP - 1
              && counts[2] == groups, "%d %d %d", counts[0], counts[1],
          counts[2]);
    CHECK(large == groups * GROUP << 33, "%lld", (long long)large);
    buf_clear(&x);
    buf_clear(&s);
    buf_clear(&c);
    buf_clear(&l);
}

static void turn(struct jit *jit, int f32, int64_t arena)
{
    enum { GROUPS = 3 };
    int real = f32 ? 4 : 8;
    int64_t items = arena / real, n = GROUPS * items;
    struct buf x = {0};
    struct kernel kernel;
    void *h = check_memory((size_t)n, 8);
    for (int64_t i = 0; i < n; i++)
        put(h, f32, i, (double)i);
    CHECK_OK(buf_alloc(&x, device, n * real));
    CHECK_OK(buf_upload(&x, 0, h, n * real));
    CHECK_OK(jit_kernel(jit, "words_turn", GROUP, arena, &kernel));
    CHECK_OK(LAUNCH(&kernel, GROUPS, ARG_BUF(&x), ARG_I32(items)));
    CHECK_OK(buf_download(&x, 0, h, n * real));
    for (int64_t i = 0; i < n; i++) {
        int64_t g = i / items, want = g * items + items - 1 - i % items;
        if (!CHECK_NEAR(get(h, f32, i), (double)want, 0))
            break;
    }
    free(h);
    buf_clear(&x);
}

static void maths(struct jit *jit, int f32)
{
    const double v = 1.75, want[] = {
        sqrt(v), 1 / sqrt(v), exp(v), erfc(v), sin(v), cos(v), v * v + 1, -2,
        -1, 1 + v};
    struct buf y = {0};
    struct kernel kernel;
    double out[10];
    CHECK_OK(buf_alloc(&y, device, 80));
    CHECK_OK(jit_kernel(jit, "words_maths", GROUP, 0, &kernel));
    CHECK_OK(LAUNCH(&kernel, 1, ARG_BUF(&y), f32 ? ARG_F32(v) : ARG_F64(v)));
    CHECK_OK(buf_download(&y, 0, out, f32 ? 40 : 80));
    for (int i = 0; i < 10; i++)
        CHECK_NEAR(get(out, f32, i), want[i],
                   (f32 ? 1e-6 : 1e-14) * (1 + fabs(want[i])));
    buf_clear(&y);
}

static void step(struct jit *jit)
{
    enum { N = 4 * GROUP };
    struct buf y = {0};
    struct kernel kernel;
    int32_t out[N];
    int size = device->properties.shuffles ? device->properties.subgroup : 1;
    CHECK_OK(buf_alloc(&y, device, sizeof out));
    CHECK_OK(jit_kernel(jit, "words_step", GROUP, 0, &kernel));
    CHECK_OK(LAUNCH(&kernel, N / GROUP, ARG_BUF(&y)));
    CHECK_OK(buf_download(&y, 0, out, sizeof out));
    for (int i = 0; i < N; i++) {
        int first = i % GROUP / size * size;
        CHECK(out[i] == first * size + size * (size - 1) / 2, "%d: %d", i,
              out[i]);
    }
    buf_clear(&y);
}

static void test_kernels(void)
{
    for (int f32 = 0; f32 < 2; f32++) {
        struct jit jit;
        if (!CHECK_OK(words(&jit, f32)))
            return;
        map(&jit, f32, 1);
        map(&jit, f32, 100003);
        sums(&jit, f32);
        turn(&jit, f32, 1024);
        turn(&jit, f32, device->properties.local / 16 * 16);
        maths(&jit, f32);
        step(&jit);
        struct kernel kernel;
        CHECK_FAILS(jit_kernel(&jit, "no_such", GROUP, 0, &kernel),
                    FARSUM_ERR_DEVICE);
        CHECK_FAILS(jit_kernel(&jit, "words_turn", GROUP,
                               device->properties.local + 1, &kernel),
                    FARSUM_ERR_UNSUPPORTED);
        jit_clear(&jit);
    }
}

/* The compiler's message has the file and line of the error. */
static void test_log(void)
{
    struct jit jit;
    jit_begin(&jit, device, "words.k", FARSUM_F64);
    jit_define(&jit, "TABLE", "%s", "not_a_word");
    CHECK_FAILS(jit_build(&jit), FARSUM_ERR_DEVICE);
    CHECK_SAYS("not_a_word");
    /* clang's format is "words.k:17", NVRTC's "words.k(17)" */
    CHECK(strstr(farsum_message(), "words.k:17")
              || strstr(farsum_message(), "words.k(17)"),
          "neither file nor line: %s", farsum_message());
    jit_clear(&jit);
    jit_begin(&jit, device, "no_such.k", FARSUM_F64);
    CHECK_FAILS(jit_build(&jit), FARSUM_ERR_ARGUMENT);
    jit_clear(&jit);
}

/* Logs as compilers write them, and the expected results. */
static void test_log_lines(void)
{
    static const char text[] = "#define A 1\n"
                               "#line 1 \"one.h\"\n"
                               "first\n"
                               "second\n"
                               "#line 7 \"two.k\"\n"
                               "seventh\n"
                               "eighth";
    static const char *const logs[][2] = {
        {"<kernel>:3:5: error: x", "one.h:1:5: error: x"},
        {"<kernel>:4:1: a\n  second\n  ^\n<kernel>:7:2: b\n",
         "one.h:2:1: a\n  second\n  ^\ntwo.k:8:2: b\n"},
        {"7:9: error: no name", "7:9: error: no name"},
        {"input.cl:6: error", "two.k:7: error"},
        {"two.k:3:1: error: it is known", "two.k:3:1: error: it is known"},
        {"<kernel>:1:1: before all marks", "<kernel>:1:1: before all marks"},
        {"<kernel>:8:1: past the end", "<kernel>:8:1: past the end"},
        {"<kernel>:0:1: none", "<kernel>:0:1: none"},
        {"<kernel>:x: no number", "<kernel>:x: no number"},
        {"1 error: in 2 lines:\n", "1 error: in 2 lines:\n"},
        {"", ""},
    };
    for (size_t i = 0; i < sizeof logs / sizeof logs[0]; i++) {
        char *named = NULL;
        if (CHECK_OK(log_named(text, logs[i][0], &named)))
            CHECK(strcmp(named, logs[i][1]) == 0, "\"%s\", not \"%s\"", named,
                  logs[i][1]);
        mem_free(named);
    }
    char *same = NULL;
    if (CHECK_OK(log_named("", logs[0][0], &same)))
        CHECK(strcmp(same, logs[0][0]) == 0, "%s", same);
    mem_free(same);
}

static void spoil(const char *file, const char *arch, int64_t bytes,
                  void *data)
{
    FILE *f = fopen(file, "r+b");
    CHECK(strcmp(arch, device->properties.arch) == 0, "%s", arch);
    if (!CHECK(f != NULL, "%s", file))
        return;
    int how = *(int *)data;
    if (how == 0) { /* one bit of the binary */
        fseek(f, (long)bytes - 1, SEEK_SET);
        int c = fgetc(f);
        fseek(f, (long)bytes - 1, SEEK_SET);
        fputc(c ^ 1, f);
    } else if (how == 1) { /* its end */
        CHECK(ftruncate(fileno(f), bytes - 7) == 0, "truncate");
    } else { /* all of it */
        CHECK(ftruncate(fileno(f), 0) == 0, "truncate");
        fputs("garbage", f);
    }
    fclose(f);
}

static int build_is_cached(void)
{
    struct jit jit;
    CHECK_OK(words(&jit, 0));
    int cached = jit.cached;
    jit_clear(&jit);
    return cached;
}

static void test_cache(void)
{
    int64_t files = 0, bytes = 0;
    CHECK_OK(cache_clear(&files));
    CHECK(!build_is_cached(), "found in an empty folder");
    CHECK_OK(cache_list(NULL, NULL, &files, &bytes));
    CHECK(files == 1 && bytes > 0, "%lld files", (long long)files);
    CHECK(build_is_cached(), "not found again");
    for (int how = 0; how < 3; how++) {
        CHECK_OK(cache_list(spoil, &how, &files, &bytes));
        CHECK(!build_is_cached(), "a spoiled file (%d) was used", how);
        if (how < 2)
            CHECK(build_is_cached(), "a spoiled file was not replaced");
        CHECK_OK(cache_clear(&files));
        CHECK(!build_is_cached(), "cleared");
    }
    CHECK(setenv("FARSUM_CACHE_DIR", "", 1) == 0, "setenv");
    CHECK(!build_is_cached() && !build_is_cached(), "the cache is off");
    CHECK(setenv("FARSUM_CACHE_DIR", "/proc/no/such", 1) == 0, "setenv");
    CHECK(!build_is_cached() && !build_is_cached(), "it cannot be written");
    CHECK(setenv("FARSUM_CACHE_DIR", folder, 1) == 0, "setenv");
}

/* A value passes through two queues alternately.  Each step reads the result of
 * the previous one, so a wrong order is detected. */
enum { STEPS = 40, STEP_BYTES = 1 << 20 };
struct steps {
    struct buf from, to;
    int fails;
};

static farsum_status steps_beside(void *data)
{
    struct steps *s = data;
    TRY(buf_copy(&s->to, 0, &s->from, 0, STEP_BYTES));
    if (s->fails)
        FAIL(ERR_UNSUPPORTED, "work that fails");
    return FARSUM_OK;
}

static void test_aside(void)
{
    struct second_stream aside;
    struct steps s = {0};
    struct buf other = {0};
    char *out = check_memory(STEP_BYTES, 1);
    CHECK_OK(buf_alloc(&s.from, device, STEP_BYTES));
    CHECK_OK(buf_alloc(&s.to, device, STEP_BYTES));
    CHECK_OK(buf_alloc(&other, device, STEP_BYTES));
    CHECK_OK(second_stream_create(&aside, device));
    CHECK_OK(buf_fill(&s.from, 0));
    for (int k = 1; k <= STEPS; k++) {
        CHECK_OK(buf_fill(&s.from, k));
        CHECK_OK(second_stream_fork(&aside));
        CHECK_OK(buf_fill(&other, -k));
        CHECK_OK(second_stream_run(&aside, steps_beside, &s));
        CHECK_OK(second_stream_join(&aside));
        CHECK_OK(buf_copy(&s.from, 0, &s.to, 0, STEP_BYTES));
        CHECK_OK(buf_download(&s.from, 0, out, STEP_BYTES));
        for (int i = 0; i < STEP_BYTES; i += 4093)
            if (out[i] != k)
                check_stop("step %d: byte %d is %d", k, i, out[i]);
    }
    /* after a failure, queues are joined; the device's is as before */
    s.fails = 1;
    CHECK_OK(buf_fill(&s.from, 77));
    CHECK_OK(second_stream_fork(&aside));
    CHECK_FAILS(second_stream_run(&aside, steps_beside, &s),
                FARSUM_ERR_UNSUPPORTED);
    CHECK_SAYS("work that fails");
    CHECK_OK(buf_download(&s.to, 0, out, STEP_BYTES));
    CHECK(out[0] == 77 && out[STEP_BYTES - 1] == 77, "%d", out[0]);
    CHECK_OK(device_finish(device));
    second_stream_clear(&aside);
    second_stream_clear(&aside);
    buf_clear(&other);
    buf_clear(&s.to);
    buf_clear(&s.from);
    free(out);
}

static void test_clock(void)
{
    struct stopwatch watch;
    struct buf a = {0};
    double seconds = -1;
    CHECK_OK(stopwatch_create(&watch, device));
    CHECK_OK(buf_alloc(&a, device, 100 << 20));
    CHECK_OK(buf_fill(&a, 0));
    CHECK_OK(stopwatch_start(&watch));
    for (int i = 0; i < 4; i++)
        CHECK_OK(buf_fill(&a, i));
    CHECK_OK(stopwatch_stop(&watch));
    CHECK_OK(stopwatch_seconds(&watch, &seconds));
    CHECK(seconds > 1e-6 && seconds < 60, "%g s", seconds);
    buf_clear(&a);
    stopwatch_clear(&watch);
}

static void test_names(void)
{
    struct device *d = NULL;
    CHECK_FAILS(device_open("opencl:9999", &d), FARSUM_ERR_DEVICE);
    CHECK_FAILS(device_open("opencl:x", &d), FARSUM_ERR_UNKNOWN);
    CHECK_FAILS(device_open("opencl:", &d), FARSUM_ERR_UNKNOWN);
    CHECK_FAILS(device_open("opencx:0", &d), FARSUM_ERR_UNKNOWN);
    CHECK_SAYS("opencl");
    CHECK(d == NULL, "an output was touched");
    CHECK(device_is_host(NULL) && device_is_host("host")
              && !device_is_host("cuda"), "names of the host");
}

int main(void)
{
    const char *name = getenv("FARSUM_TEST_DEVICE");
    if (!name || !*name)
        name = "opencl:0";
    RUN(test_names);
    if (device_open(name, &device) != FARSUM_OK) {
        printf("skipped: %s\n", farsum_message());
        return CHECK_SKIPPED;
    }
    printf("%s: %s, %s, %s\n", device->name, device->properties.model,
           device->properties.arch, device->properties.compiler);
    if (!mkdtemp(folder) || setenv("FARSUM_CACHE_DIR", folder, 1) != 0
        || setenv("FARSUM_KERNEL_DIR", FARSUM_TEST_DIR "/device", 1) != 0)
        check_stop("no folder for the cache");
    int64_t held = mem_bytes();
    RUN(test_memory);
    RUN(test_managed);
    RUN(test_kernels);
    RUN(test_log);
    RUN(test_log_lines);
    RUN(test_cache);
    RUN(test_clock);
    RUN(test_aside);
    CHECK(mem_bytes() == held, "%lld bytes are left",
          (long long)(mem_bytes() - held));
    int64_t files;
    CHECK_OK(cache_clear(&files));
    rmdir(folder);
    device_close(device);
    return check_end();
}
