/* SPDX-License-Identifier: Apache-2.0 */
/* loader_kernels.c: tests of kernels, events and the failure of every call,
 * with a simulated driver. */
#include "device/loader.h"

#include "base/mem.h"
#include "device/driver/driver.h"
#include "device/second_stream.h"
#include "device/compile/jit.h"

#include <stdlib.h>
#include <string.h>

/* As in words.k. */
struct words_args {
    int64_t n;
    double scale;
};

/* The effect of words_map. */
static void run_map(const char *kernel, const struct fake *fake,
                    void **parameters)
{
    const double *x = *(double **)parameters[0];
    double *y = *(double **)parameters[1];
    const struct words_args *a = parameters[2];
    if (strncmp(kernel, "words_map", 9) != 0)
        return;
    for (int64_t i = 0; i < a->n && i < fake->groups * fake->group; i++)
        y[i] = a->scale * x[i];
}

static farsum_status build(struct device *device, struct jit *jit)
{
    jit_begin(jit, device, "words.k", FARSUM_F64);
    jit_define(jit, "TABLE", "1,2,3");
    return jit_build(jit);
}

static void test_launch(void)
{
    enum { N = 100, GROUP = 64 };
    struct device *d = opened(1);
    struct buf x = {0}, y = {0};
    struct jit jit;
    struct kernel kernel;
    const struct words_args a = {N, 2.5};
    double h[N];
    for (int i = 0; i < N; i++)
        h[i] = i;
    CHECK_OK(build(d, &jit));
    CHECK_OK(jit_kernel(&jit, "words_map", GROUP, 0, &kernel));
    CHECK_OK(buf_alloc(&x, d, sizeof h));
    CHECK_OK(buf_alloc(&y, d, sizeof h));
    CHECK_OK(buf_upload(&x, 0, h, sizeof h));
    player.fake->run = run_map;
    CHECK_OK(LAUNCH(&kernel, kernel_groups(&kernel, N), ARG_BUF(&x),
                    ARG_BUF(&y), ARG_STRUCT(a)));
    player.fake->run = NULL;
    CHECK(player.fake->groups == 2 && player.fake->group == GROUP
              && player.fake->arena == 0,
          "%u groups of %u", player.fake->groups, player.fake->group);
    CHECK_OK(buf_download(&y, 0, h, sizeof h));
    for (int i = 0; i < N; i++)
        CHECK_NEAR(h[i], 2.5 * i, 0);
    int launches = player.fake->launches;
    CHECK_FAILS(LAUNCH(&kernel, (int64_t)1 << 31, ARG_BUF(&x), ARG_BUF(&y),
                       ARG_STRUCT(a)),
                FARSUM_ERR_UNSUPPORTED);
    CHECK_FAILS(LAUNCH(&kernel, 0, ARG_BUF(&x), ARG_BUF(&y), ARG_STRUCT(a)),
                FARSUM_ERR_UNSUPPORTED);
    /* HIP counts threads, not blocks, in 32 bits */
    farsum_status status = LAUNCH(&kernel, (int64_t)1 << 26, ARG_BUF(&x),
                                  ARG_BUF(&y), ARG_STRUCT(a));
    CHECK(status
              == (strcmp(vendor->name, "hip") == 0 ? FARSUM_ERR_UNSUPPORTED
                                                   : FARSUM_OK),
          "%s", farsum_message());
    launches += status == FARSUM_OK;
    CHECK(player.fake->launches == launches, "a refused launch arrived");
    CHECK_FAILS(jit_kernel(&jit, "no_such", GROUP, 0, &kernel),
                FARSUM_ERR_DEVICE);
    CHECK_SAYS("no_such");
    jit_clear(&jit);
    buf_clear(&x);
    buf_clear(&y);
    device_close(d);
    nothing_left("launch");
}

static void test_arena(void)
{
    struct device *d = opened(0);
    struct jit jit;
    struct kernel kernel;
    CHECK_OK(build(d, &jit));
    player.fake->granted = 0;
    CHECK_OK(jit_kernel(&jit, "words_turn", 64, 60000, &kernel));
    CHECK(player.fake->granted
              == (strcmp(vendor->name, "cuda") == 0 ? 60000 : 0),
          "%d bytes were granted", player.fake->granted);
    tell("FAKE_STATIC", "6000");
    CHECK_FAILS(jit_kernel(&jit, "words_turn", 64, 60000, &kernel),
                FARSUM_ERR_UNSUPPORTED);
    CHECK_SAYS("6000 + 60000 bytes");
    CHECK_SAYS("65536");
    tell("FAKE_STATIC", NULL);
    jit_clear(&jit);
    device_close(d);
    nothing_left("arena");
}

static void test_compile(void)
{
    struct device *d = opened(0);
    struct jit jit;
    void *binary = NULL;
    int64_t bytes = 0;
    CHECK_OK(d->backend->compile(d, "body", &binary, &bytes));
    CHECK(strncmp(binary, "FAKE code ", 10) == 0
              && strncmp((char *)binary + 10, vendor->options,
                         strlen(vendor->options))
                     == 0
              && bytes > (int64_t)strlen(vendor->options),
          "%.100s", (const char *)binary);
    mem_free(binary);
    jit_begin(&jit, d, "words.k", FARSUM_F64);
    jit_define(&jit, "TABLE", "NOT_CODE");
    CHECK_FAILS(jit_build(&jit), FARSUM_ERR_DEVICE);
    CHECK_SAYS("some.k(3): error: NOT_CODE is none");
    CHECK_SAYS("words.k");
    CHECK(!strstr(farsum_message(), "goes on"), "%s", farsum_message());
    jit_clear(&jit);
    CHECK_FAILS(d->backend->load(d, "garbage", 8, &jit.module),
                FARSUM_ERR_DEVICE);
    device_close(d);
    nothing_left("compile");
}

static void test_events(void)
{
    struct device *d = opened(0);
    struct stopwatch watch;
    double seconds = -1;
    CHECK_OK(stopwatch_create(&watch, d));
    CHECK_FAILS(stopwatch_seconds(&watch, &seconds), FARSUM_ERR_DEVICE);
    CHECK(seconds == -1, "an output was touched");
    CHECK_OK(stopwatch_start(&watch));
    CHECK_OK(stopwatch_stop(&watch));
    CHECK_OK(stopwatch_seconds(&watch, &seconds));
    CHECK_NEAR(seconds, 1.5e-3, 1e-9);
    stopwatch_clear(&watch);
    device_close(d);
    nothing_left("events");
}

static farsum_status life_beside(void *buf)
{
    return buf_fill(buf, 1);
}

/* Looks three times, then ends the device's work. */
static void life_look(struct driver_watch *watch, double waited)
{
    (void)watch;
    CHECK(waited >= 0, "%g s", waited);
    if (player.fake->busy > 0 && ++player.fake->busy == 4)
        player.fake->busy = 0;
}

/* Uses one of everything; returns the first failure. */
static farsum_status life(void)
{
    farsum_status status = FARSUM_OK;
    struct device *d = NULL;
    struct buf a = {0}, b = {0}, given = {0};
    struct jit jit = {0};
    struct stopwatch watch = {0};
    struct second_stream aside = {0};
    struct driver_watch looks = {.look = life_look};
    struct kernel kernel;
    char bytes[100] = "", name[32];
    double seconds;
    snprintf(name, sizeof name, "%s:1", vendor->name);
    GO(device_open(name, &d));
    GO(buf_alloc(&a, d, 100));
    GO(buf_alloc(&b, d, 100));
    GO(buf_upload(&a, 0, bytes, 100));
    GO(buf_fill(&b, 0));
    GO(buf_given(&given, d, a.handle, 100, "a"));
    GO(buf_copy(&b, 0, &given, 0, 100));
    GO(build(d, &jit));
    GO(jit_kernel(&jit, "words_step", 64, 0, &kernel));
    GO(stopwatch_create(&watch, d));
    GO(stopwatch_start(&watch));
    GO(LAUNCH(&kernel, 1, ARG_BUF(&a)));
    GO(stopwatch_stop(&watch));
    GO(stopwatch_seconds(&watch, &seconds));
    GO(second_stream_create(&aside, d));
    GO(second_stream_fork(&aside));
    GO(second_stream_run(&aside, life_beside, &b));
    GO(second_stream_join(&aside));
    GO(device_finish(d));
    GO(buf_download(&b, 0, bytes, 100));
    driver_watch_add(d->inside, &looks);
    player.fake->busy = 1;
    GO(device_finish(d));
    CHECK(player.fake->busy == 0, "nobody looks on");
    GO(stopwatch_seconds(&watch, &seconds));
    driver_watch_remove(d->inside, &looks);
done:
    player.fake->busy = 0;
    stopwatch_clear(&watch);
    second_stream_clear(&aside);
    if (d)
        jit_clear(&jit);
    buf_clear(&a);
    buf_clear(&b);
    device_close(d);
    return status;
}

/* Each call of the driver fails once.  The status reports it, except for calls
 * that release something, which cannot report, and optional calls.  Nothing is
 * left allocated. */
static void test_failures(void)
{
    static const char *const words[] = {
#define SYM(result, word, cuda, hip, parameters) #word,
#include "device/driver/driver.sym"
#undef SYM
    };
    static const char *const silent[] = {"release", "stream_destroy",
                                         "event_destroy", "module_unload",
                                         "memory_info", "pointer_attributes",
                                         "device_bus"};
    CHECK_OK(life());
    nothing_left("a life");
    for (size_t w = 0; w < sizeof words / sizeof words[0]; w++) {
        char fail[64];
        int quiet = 0;
        for (size_t s = 0; s < sizeof silent / sizeof silent[0]; s++)
            quiet |= strcmp(silent[s], words[w]) == 0;
        snprintf(fail, sizeof fail, "%s=719", words[w]);
        tell("FAKE_FAIL", fail);
        if (quiet) {
            check_status(life(), FARSUM_OK, words[w], __FILE__, __LINE__);
        } else {
            check_status(life(), FARSUM_ERR_DEVICE, words[w], __FILE__,
                         __LINE__);
            if (strcmp(words[w], "device_attribute") != 0)
                CHECK_SAYS(vendor->played);
        }
        snprintf(fail, sizeof fail, "%s=2", words[w]);
        tell("FAKE_FAIL", fail);
        if (!quiet && strcmp(words[w], "device_attribute") != 0)
            check_status(life(), FARSUM_ERR_MEMORY, words[w], __FILE__,
                         __LINE__);
        tell("FAKE_FAIL", NULL);
        nothing_left(words[w]);
    }
}

/* The same for host memory. */
static void test_host_memory(void)
{
    farsum_status status = FARSUM_ERR_MEMORY;
    int64_t held = mem_bytes();
    int n = 1;
    for (; n < 1000 && status != FARSUM_OK; n++) {
        mem_fail_at(n);
        status = life();
        mem_fail_at(0);
        if (status != FARSUM_OK)
            check_status(status, FARSUM_ERR_MEMORY, "life", __FILE__, __LINE__);
        CHECK(mem_bytes() == held, "allocation %d: %lld bytes are left", n,
              (long long)(mem_bytes() - held));
        nothing_left("an allocation that failed");
    }
    CHECK(n > 5 && n < 1000, "%d allocations", n);
}

void loader_kernels(void)
{
    RUN(test_launch);
    RUN(test_arena);
    RUN(test_compile);
    RUN(test_events);
    RUN(test_failures);
    RUN(test_host_memory);
}
