/* SPDX-License-Identifier: Apache-2.0 */
/* opencl_kept.c: tests that PoCL devices share the last 128 programs built; on
 * FARSUM_TEST_DEVICE (default: opencl:0). */
#include "check.h"

#include "device/buf.h"
#include "device/compile/jit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { GROUP = 64, N = 1000, MANY = 130 };

static const char *name;

static farsum_status built(struct jit *jit, struct device *device,
                           double second)
{
    const double table[] = {0.25, second, 7};
    jit_begin(jit, device, "words.k", FARSUM_F64);
    jit_define_table(jit, "TABLE", table, 3);
    return jit_build(jit);
}

/* y = 3 (2 x + table) */
static void runs(struct jit *jit, struct device *device, double second)
{
    const double table[] = {0.25, second, 7};
    struct {
        int64_t n;
        double scale;
    } args = {N, 3};
    struct buf x = {0}, y = {0};
    struct kernel kernel;
    double h[N];
    for (int i = 0; i < N; i++)
        h[i] = i;
    CHECK_OK(buf_alloc(&x, device, sizeof h));
    CHECK_OK(buf_alloc(&y, device, sizeof h));
    CHECK_OK(buf_upload(&x, 0, h, sizeof h));
    CHECK_OK(jit_kernel(jit, "words_map", GROUP, 0, &kernel));
    CHECK_OK(LAUNCH(&kernel, (N + GROUP - 1) / GROUP, ARG_BUF(&x), ARG_BUF(&y),
                    ARG_STRUCT(args)));
    CHECK_OK(buf_download(&y, 0, h, sizeof h));
    for (int i = 0; i < N; i++)
        if (!CHECK_NEAR(h[i], 3 * (2.0 * i + table[i % 3]),
                        1e-12 * (9 + 6 * i)))
            break;
    buf_clear(&x);
    buf_clear(&y);
}

static void test_shared(void)
{
    struct device *one = NULL, *two = NULL;
    struct jit a, b, c;
    CHECK_OK(device_open(name, &one));
    CHECK_OK(device_open(name, &two));
    CHECK_OK(built(&a, one, 2));
    CHECK_OK(built(&b, two, 2));
    CHECK_OK(built(&c, two, 3));
    CHECK(a.module == b.module, "the same text was built twice");
    CHECK(a.module != c.module, "another text is the same program");
    runs(&a, one, 2);
    runs(&c, two, 3);
    jit_clear(&a);
    device_close(one);
    runs(&b, two, 2);
    jit_clear(&b);
    jit_clear(&c);
    device_close(two);
}

/* Programs that were asked for lately stay, the others make room. */
static void test_bounded(void)
{
    struct device *device = NULL;
    struct jit a, b, again;
    CHECK_OK(device_open(name, &device));
    CHECK_OK(built(&a, device, 2));
    CHECK_OK(built(&b, device, 3));
    for (int i = 0; i < MANY; i++) {
        char text[64];
        void *module = NULL;
        snprintf(text, sizeof text, "__kernel void none(void){}//%d", i);
        if (!CHECK_OK(device->backend->load(device, text,
                                            (int64_t)strlen(text) + 1,
                                            &module)))
            break;
        device->backend->unload(device, module);
        if (i % 50 == 0) {
            CHECK_OK(built(&again, device, 3));
            CHECK(again.module == b.module, "%d: built again", i);
            jit_clear(&again);
        }
    }
    CHECK_OK(built(&again, device, 2));
    CHECK(again.module != a.module, "more than 128 are kept");
    runs(&a, device, 2);
    runs(&again, device, 2);
    jit_clear(&a);
    jit_clear(&b);
    jit_clear(&again);
    device_close(device);
}

int main(void)
{
    struct device *device = NULL;
    name = getenv("FARSUM_TEST_DEVICE");
    if (!name || !*name)
        name = "opencl:0";
    if (device_open(name, &device) != FARSUM_OK
        || !strstr(device->properties.makers, "Portable Computing Language")) {
        printf("skipped: no PoCL at %s\n", name);
        device_close(device);
        return CHECK_SKIPPED;
    }
    device_close(device);
    if (setenv("FARSUM_KERNEL_DIR", FARSUM_TEST_DIR "/device", 1) != 0)
        check_stop("no environment");
    RUN(test_shared);
    RUN(test_bounded);
    return check_end();
}
