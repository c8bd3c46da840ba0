/* SPDX-License-Identifier: Apache-2.0 */
/* loader.c: tests of the CUDA and HIP back ends with simulated drivers
 * (fake.h): loading, calls, release, and reports of failures. */
#include "device/loader.h"

#include "base/mem.h"
#include "device/driver/cuda.h"
#include "device/dl.h"
#include "device/driver/driver.h"
#include "device/driver/hip.h"
#include "device/compile/jit.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static const struct vendor vendors[] = {
    {"cuda", "libcuda.so.1", "libnvrtc.so.13", "sm_90",
     "NVRTC 13.4 --std=c++17 --generate-line-info",
     "--gpu-architecture=sm_90 --std=c++17", "CUDA_ERROR_PLAYED (719)"},
    {"hip", "libamdhip64.so.6", "libhiprtc.so.6", "gfx90a:sramecc+:xnack-",
     "hipRTC 6.4 -O3 (runtime 60012345)",
     "--offload-arch=gfx90a:sramecc+:xnack- -O3", "hipErrorPlayed (719)"}};

const struct vendor *vendor;
struct player player;

void tell(const char *variable, const char *value)
{
    if ((value ? setenv(variable, value, 1) : unsetenv(variable)) != 0)
        check_stop("setenv");
}

static void *find(void *library, const char *name)
{
    void *found = dlsym(library, name);
    if (!found)
        check_stop("the player has no %s", name);
    return found;
}

static void meet(const struct vendor *v)
{
    char path[4096];
    vendor = v;
    snprintf(path, sizeof path, "%s/%s", FARSUM_FAKES, v->driver);
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    snprintf(path, sizeof path, "%s/%s", FARSUM_FAKES, v->compiler);
    void *compiler = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!library || !compiler)
        check_stop("%s", dlerror());
    struct fake *(*state)(void);
    *(void **)&state = find(library, "fake_state");
    player.fake = state();
    *(void **)&player.current = find(library, "fake_current");
    *(void **)&player.make_context = find(library, "fake_make_context");
    *(void **)&player.end_context = find(library, "fake_end_context");
    *(void **)&player.make_stream = find(library, "fake_make_stream");
    *(void **)&player.end_stream = find(library, "fake_end_stream");
    *(void **)&player.programs = find(compiler, "fake_programs");
}

void nothing_left(const char *after)
{
    const struct fake *f = player.fake;
    int device = 0;
    CHECK(f->bytes == 0 && f->blocks == 0 && f->streams == 0 && f->events == 0
              && f->modules == 0 && f->contexts == 0 && player.programs() == 0,
          "%s %s: %lld bytes, %d blocks, %d streams, %d events, %d modules, "
          "%d contexts, %d programs are left",
          vendor->name, after, (long long)f->bytes, f->blocks, f->streams,
          f->events, f->modules, f->contexts, player.programs());
    CHECK(player.current(&device) == NULL
              && device == (strcmp(vendor->name, "cuda") == 0 ? -1 : 0),
          "%s %s: device %d is current", vendor->name, after, device);
}

struct device *opened(int index)
{
    struct device *device = NULL;
    char name[32];
    snprintf(name, sizeof name, "%s:%d", vendor->name, index);
    if (device_open(name, &device) != FARSUM_OK)
        check_stop("%s: %s", name, farsum_message());
    return device;
}

static void test_facts(void)
{
    struct device *d = opened(1);
    const struct device_properties *f = &d->properties;
    int hip = strcmp(vendor->name, "hip") == 0;
    CHECK(strcmp(f->model, "Player 1") == 0, "%s", f->model);
    CHECK(strcmp(f->arch, vendor->arch) == 0, "%s", f->arch);
    CHECK(strcmp(f->compiler, vendor->key) == 0, "%s", f->compiler);
    CHECK(f->units == 7 && f->group_max == 1024
              && f->subgroup == (hip ? 64 : 32) && f->shuffles && f->f64
              && !f->integrated,
          "%d units, groups of %d, %d in step", f->units, f->group_max,
          f->subgroup);
    CHECK(f->local == 65536 && f->memory == FAKE_BYTES && f->cache == 1 << 22,
          "%lld %lld %lld", (long long)f->local, (long long)f->memory,
          (long long)f->cache);
    CHECK_NEAR(f->clock, 1.5e9, 1);
    CHECK(player.fake->streams == 1, "%d streams", player.fake->streams);
    device_close(d);
    nothing_left("facts");
    struct device *none = NULL;
    char name[32];
    snprintf(name, sizeof name, "%s:%d", vendor->name, FAKE_DEVICES);
    CHECK_FAILS(device_open(name, &none), FARSUM_ERR_DEVICE);
    CHECK_SAYS("has 2 of them");
}

static void test_memory(void)
{
    struct device *d = opened(1);
    struct buf a = {0}, b = {0}, part = {0};
    char in[1000], out[1000];
    for (int i = 0; i < 1000; i++)
        in[i] = (char)(i * 7);
    CHECK_OK(buf_alloc(&a, d, 1000));
    CHECK_OK(buf_alloc(&b, d, 1000));
    /* pointers of the wrong kind */
    CHECK_FAILS(buf_given(&part, d, in, 8, "positions"), FARSUM_ERR_ARGUMENT);
    CHECK_SAYS("positions: said to be on the device");
    CHECK_FAILS(buf_given_host(d, (char *)a.handle + 500, 8, "the mesh"),
                FARSUM_ERR_ARGUMENT);
    CHECK_SAYS("the mesh: said to be on the host");
    CHECK_OK(buf_given_host(d, in, 8, "the mesh"));
    CHECK_OK(buf_given(&part, d, (char *)a.handle + 500, 8, "positions"));
    CHECK_OK(buf_given(&part, d, NULL, 8, "positions"));
    setenv("FAKE_FAIL", "pointer_attributes=1", 1); /* then nothing is known */
    CHECK_OK(buf_given(&part, d, in, 8, "positions"));
    unsetenv("FAKE_FAIL");
    part = (struct buf){0};
    CHECK(player.fake->bytes == 2000 && d->bytes == 2000, "%lld",
          (long long)player.fake->bytes);
    CHECK_OK(buf_upload(&a, 0, in, 1000));
    CHECK_OK(buf_fill(&b, 3));
    CHECK_OK(buf_copy(&b, 100, &a, 50, 800));
    CHECK_OK(buf_download(&b, 0, out, 1000));
    CHECK(out[99] == 3 && out[900] == 3 && memcmp(out + 100, in + 50, 800) == 0,
          "copied bytes differ");
    CHECK_OK(buf_view(&part, &a, 500, 500));
    CHECK_OK(buf_upload(&part, 10, in, 5));
    CHECK_OK(buf_download(&a, 0, out, 1000));
    CHECK(memcmp(out + 510, in, 5) == 0 && out[509] == in[509],
          "a view's bytes differ");
    /* the driver's bounds: memory that is not its own is refused */
    buf_clear(&part);
    buf_borrow(&part, d, in, 1000);
    CHECK_FAILS(buf_fill(&part, 0), FARSUM_ERR_DEVICE);
    buf_clear(&a);
    buf_clear(&b);
    CHECK(player.fake->blocks == 0, "%d blocks", player.fake->blocks);
    device_close(d);
    nothing_left("memory");
}

/* When memory runs out, the message has the requested and the free bytes; the
 * rest can still be used. */
static void test_full(void)
{
    struct device *d = opened(0);
    struct buf a = {0}, b = {0};
    CHECK_OK(buf_alloc(&a, d, 700000));
    CHECK_FAILS(buf_alloc(&b, d, 400000), FARSUM_ERR_MEMORY);
    CHECK_SAYS("400000 bytes");
    CHECK_SAYS("348576 of 1048576 are free");
    CHECK_OK(buf_fill(&a, 1));
    CHECK_OK(buf_alloc(&b, d, 300000));
    buf_clear(&a);
    buf_clear(&b);
    CHECK(d->bytes == 0, "%lld", (long long)d->bytes);
    device_close(d);
    nothing_left("full");
}

static void test_names(void)
{
    struct device *d = NULL;
    char name[32];
    int n = -1;
    snprintf(name, sizeof name, "%s:0", vendor->name);
    tell("FAKE_FAIL", "init=100");
    CHECK_FAILS(device_open(name, &d), FARSUM_ERR_DEVICE);
    CHECK_SAYS("has 0 of them");
    tell("FAKE_FAIL", "init=719");
    CHECK_FAILS(device_open(name, &d), FARSUM_ERR_DEVICE);
    CHECK_SAYS(vendor->played);
    CHECK_SAYS("it was told to fail");
    tell("FAKE_FAIL", NULL);
    tell("FARSUM_LIBRARY_PATH", FARSUM_FAKES "/old");
    CHECK_FAILS(device_open(name, &d), FARSUM_ERR_DEVICE);
    CHECK_SAYS(vendor->driver);
    CHECK_SAYS("DriverGetVersion");
    tell("FARSUM_LIBRARY_PATH", "/no/such/folder:");
    void *real = dlopen(vendor->driver, RTLD_NOW | RTLD_LOCAL);
    if (!real && strcmp(vendor->name, "cuda") == 0) {
        CHECK_FAILS(device_open(name, &d), FARSUM_ERR_DEVICE);
        CHECK_SAYS("libcuda.so.1");
        CHECK_SAYS("FARSUM_LIBRARY_PATH");
    }
    const char *const names[] = {"libfarsum_no_such.so", NULL};
    void *library = NULL;
    CHECK_FAILS(dl_open(&library, names, NULL, names + 1, NULL),
                FARSUM_ERR_DEVICE);
    CHECK_SAYS("libfarsum_no_such.so");
    tell("FARSUM_LIBRARY_PATH", "/no/such:" FARSUM_FAKES);
    for (int b = 0; device_backends[b]; b++)
        if (strcmp(device_backends[b]->name, vendor->name) == 0)
            CHECK_OK(device_backends[b]->count(&n));
    CHECK(n == FAKE_DEVICES && d == NULL, "%d devices", n);
    nothing_left("names");
}

static void test_queues(void)
{
    struct device *d = NULL;
    struct buf a = {0};
    int hip = strcmp(vendor->name, "hip") == 0, device = 0;
    char name[32];
    snprintf(name, sizeof name, "%s:1", vendor->name);
    void *context = player.make_context(1), *other = player.make_context(0);
    void *stream = player.make_stream(hip ? NULL : context, 1);
    CHECK_OK(device_adopt(name, hip ? NULL : context, stream, &d));
    CHECK_OK(buf_alloc(&a, d, 100));
    CHECK_OK(buf_fill(&a, 1));
    CHECK(player.current(&device) == NULL && device < 1, "%d", device);
    CHECK(player.fake->streams == 1 && player.fake->contexts == 0,
          "%d streams, %d contexts", player.fake->streams,
          player.fake->contexts);
    buf_clear(&a);
    device_close(d);
    CHECK(player.fake->streams == 1, "the caller's stream was destroyed");
    d = NULL;
    if (hip) {
        CHECK_FAILS(device_adopt(name, context, stream, &d),
                    FARSUM_ERR_ARGUMENT);
    } else {
        CHECK_FAILS(device_adopt(name, other, stream, &d), FARSUM_ERR_ARGUMENT);
        CHECK_SAYS("another device");
        CHECK_FAILS(device_adopt(name, NULL, stream, &d), FARSUM_ERR_ARGUMENT);
        CHECK_SAYS("another context");
    }
    CHECK(d == NULL, "an output was touched");
    player.end_stream(stream);
    /* a stream of the primary context needs no other context */
    stream = player.make_stream(NULL, 1);
    CHECK_OK(device_adopt(name, NULL, stream, &d));
    CHECK_OK(device_finish(d));
    device_close(d);
    player.end_stream(stream);
    player.end_context(context);
    player.end_context(other);
    nothing_left("queues");
}

static void *elsewhere(void *data)
{
    struct device *d = data;
    struct buf a = {0};
    int device = 0;
    CHECK_OK(buf_alloc(&a, d, 100));
    CHECK_OK(buf_fill(&a, 1));
    buf_clear(&a);
    CHECK(player.current(&device) == NULL && device < 1, "%d", device);
    return NULL;
}

static void test_threads(void)
{
    struct device *d = opened(1);
    pthread_t thread;
    if (pthread_create(&thread, NULL, elsewhere, d) != 0)
        check_stop("no thread");
    pthread_join(thread, NULL);
    device_close(d);
    nothing_left("threads");
}

/* Architectures that the compiler does not know yet, or no longer. */
static void test_new_and_old(void)
{
    void *binary = NULL;
    int64_t bytes = 0;
    tell("FAKE_CAPABILITY", "93");
    struct device *d = opened(0);
    CHECK(strcmp(d->properties.arch, "sm_93") == 0, "%s", d->properties.arch);
    CHECK_OK(d->backend->compile(d, "body", &binary, &bytes));
    CHECK(strncmp(binary, "FAKE text --gpu-architecture=compute_90 ", 40) == 0,
          "%.60s", (const char *)binary);
    mem_free(binary);
    device_close(d);
    tell("FAKE_CAPABILITY", "50");
    d = opened(0);
    binary = NULL;
    CHECK_FAILS(d->backend->compile(d, "body", &binary, &bytes),
                FARSUM_ERR_DEVICE);
    CHECK_SAYS("sm_50");
    CHECK(binary == NULL, "an output was touched");
    device_close(d);
    tell("FAKE_CAPABILITY", NULL);
    nothing_left("new and old");
}

static void test_layouts(void)
{
    char capacity[1000] = "", arch[64] = "";
    for (int layout = 5; layout <= 6; layout++) {
        tell("FAKE_LAYOUT", layout == 5 ? "5" : "6");
        struct device *d = opened(1);
        CHECK(strcmp(d->properties.arch, vendor->arch) == 0, "layout %d: %s",
              layout, d->properties.arch);
        device_close(d);
    }
    tell("FAKE_LAYOUT", NULL);
    CHECK(!hip_arch(capacity, sizeof capacity, arch, sizeof arch), "%s", arch);
    memcpy(capacity + 10, "gfx90a", 6); /* the name */
    memcpy(capacity + 300, "agfx90a", 7);
    memcpy(capacity + 400, "gfx9\n0", 6);
    CHECK(!hip_arch(capacity, sizeof capacity, arch, sizeof arch), "%s", arch);
    memcpy(capacity + 600, "gfx1100", 7);
    CHECK(hip_arch(capacity, sizeof capacity, arch, sizeof arch)
              && strcmp(arch, "gfx1100") == 0,
          "%s", arch);
}

static void test_places(void)
{
    struct device *a = opened(0), *b = opened(1);
    char place[32];
    driver_place(a, place, sizeof place);
    CHECK(strcmp(place, "0000:01:00.0") == 0, "%s", place);
    driver_place(b, place, sizeof place);
    CHECK(strcmp(place, "0000:02:00.0") == 0, "%s", place);
    tell("FAKE_FAIL", "device_bus=719");
    driver_place(b, place, sizeof place);
    CHECK(strcmp(place, b->name) == 0, "%s", place);
    tell("FAKE_FAIL", NULL);
    device_close(a);
    device_close(b);
    nothing_left("places");
}

int main(void)
{
    tell("FARSUM_LIBRARY_PATH", FARSUM_FAKES);
    tell("FARSUM_KERNEL_DIR", FARSUM_TEST_DIR "/device");
    tell("FARSUM_CACHE_DIR", "");
    for (int v = 0; v < 2; v++) {
        int64_t held = mem_bytes();
        meet(&vendors[v]);
        printf("%s\n", vendor->name);
        RUN(test_facts);
        RUN(test_memory);
        RUN(test_full);
        RUN(test_names);
        RUN(test_places);
        RUN(test_queues);
        RUN(test_threads);
        if (v == 0)
            RUN(test_new_and_old);
        else
            RUN(test_layouts);
        loader_kernels();
        loader_graphs();
        loader_nested();
        loader_managed();
        CHECK(mem_bytes() == held, "%lld bytes are left",
              (long long)(mem_bytes() - held));
    }
    return check_end();
}
