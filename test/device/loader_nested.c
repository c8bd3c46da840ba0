/* SPDX-License-Identifier: Apache-2.0 */
/* loader_nested.c: tests of kernels that launch kernels, with a simulated
 * driver and linker. */
#include "device/loader.h"

#include "base/mem.h"
#include "device/compile/cache.h"
#include "device/compile/jit.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int links(void)
{
    void *library = dlopen(FARSUM_FAKES "/libnvJitLink.so.13", RTLD_NOW);
    int (*count)(void);
    if (!library)
        check_stop("%s", dlerror());
    *(void **)&count = dlsym(library, "fake_links");
    int n = count();
    dlclose(library);
    return n;
}

static void build(struct device *d, int cached)
{
    struct jit jit;
    struct kernel kernel;
    jit_begin(&jit, d, "words.k", FARSUM_F64);
    jit_nested(&jit);
    jit_define(&jit, "TABLE", "1,2,3");
    CHECK_OK(jit_build(&jit));
    CHECK(jit.cached == cached, "%d", jit.cached);
    CHECK_OK(jit_kernel(&jit, "words_map", 64, 0, &kernel));
    jit_clear(&jit);
}

/* The part is compiled for linking, and linked with the runtime. */
static void test_linked(void)
{
    static const char linked[] =
        "FAKE linked -arch=sm_90 " FARSUM_FAKES "/libcudadevrt.a\nFAKE code";
    struct device *d = opened(0);
    void *binary = NULL;
    int64_t bytes = 0;
    CHECK_OK(device_nested(d));
    CHECK(strcmp(d->properties.linker, FARSUM_FAKES "/libnvJitLink.so.13") == 0,
          "%s", d->properties.linker);
    CHECK(d->properties.pending == 2048, "%lld",
          (long long)d->properties.pending);
    CHECK_OK(d->backend->compile_nested(d, "body", &binary, &bytes));
    CHECK(bytes > (int64_t)sizeof linked
              && strncmp(binary, linked, sizeof linked - 1) == 0
              && strstr(binary, " --relocatable-device-code=true\nbody"),
          "%.300s", (const char *)binary);
    mem_free(binary);
    build(d, 0);
    device_close(d);
    CHECK(links() == 0, "%d links are left", links());
    nothing_left("linked");
}

/* A linked binary in the cache is not used as one that was not linked. */
static void test_kept(void)
{
    char folder[] = "/tmp/farsum_nested_XXXXXX";
    int64_t files = 0;
    struct device *d = opened(0);
    struct jit jit;
    if (!mkdtemp(folder))
        check_stop("mkdtemp");
    tell("FARSUM_CACHE_DIR", folder);
    jit_begin(&jit, d, "words.k", FARSUM_F64);
    jit_define(&jit, "TABLE", "1,2,3");
    CHECK_OK(jit_build(&jit));
    jit_clear(&jit);
    build(d, 0);
    build(d, 1);
    CHECK_OK(cache_clear(&files));
    tell("FARSUM_CACHE_DIR", "");
    rmdir(folder);
    device_close(d);
    nothing_left("kept");
}

static void fails(struct device *d, const char *what, const char *says)
{
    void *binary = NULL;
    int64_t bytes = 0;
    tell("FAKE_LINK", what);
    CHECK_FAILS(d->backend->compile_nested(d, "body", &binary, &bytes),
                FARSUM_ERR_DEVICE);
    CHECK_SAYS(says);
    CHECK(!binary, "an output was touched");
    tell("FAKE_LINK", NULL);
}

static void test_refused(void)
{
    struct device *d = opened(0);
    tell("FAKE_FAIL", "limit=719");
    CHECK_FAILS(device_nested(d), FARSUM_ERR_DEVICE);
    CHECK_SAYS("may be pending");
    tell("FAKE_FAIL", NULL);
    CHECK_OK(device_nested(d));
    fails(d, "version", "nvJitLink 12.4 cannot link what NVRTC 13 compiles");
    fails(d, "create", "-arch=sm_90: error 3");
    fails(d, "complete", "Undefined reference to 'it'");
    fails(d, "cubin", "the binary: error 3");
    device_close(d);
    tell("FAKE_CAPABILITY", "93"); /* NVRTC knows 90 and 100 */
    d = opened(0);
    CHECK_OK(device_nested(d));
    fails(d, "", "does not know sm_93");
    tell("FAKE_CAPABILITY", NULL);
    device_close(d);
    CHECK(links() == 0, "%d links are left", links());
    nothing_left("refused");
}

static void test_none(void)
{
    struct device *d = opened(0);
    struct jit jit;
    CHECK_FAILS(device_nested(d), FARSUM_ERR_UNSUPPORTED);
    CHECK_SAYS("hip:0 has no kernels that launch kernels");
    jit_begin(&jit, d, "words.k", FARSUM_F64);
    jit_nested(&jit);
    jit_define(&jit, "TABLE", "1,2,3");
    CHECK_FAILS(jit_build(&jit), FARSUM_ERR_UNSUPPORTED);
    jit_clear(&jit);
    device_close(d);
    nothing_left("none");
}

void loader_nested(void)
{
    if (strcmp(vendor->name, "cuda") != 0) {
        RUN(test_none);
        return;
    }
    RUN(test_linked);
    RUN(test_kept);
    RUN(test_refused);
}
