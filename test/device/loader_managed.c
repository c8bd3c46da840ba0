/* SPDX-License-Identifier: Apache-2.0 */
/* loader_managed.c: tests of managed memory, which the host uses too, with a
 * simulated driver. */
#include "device/loader.h"

#include <string.h>

static void test_memory(void)
{
    struct device *d = opened(0);
    struct buf a = {0}, b = {0};
    char out[100];
    int managed = player.fake->managed;
    int64_t held = d->bytes;
    CHECK_OK(device_managed(d));
    CHECK_OK(buf_alloc_managed(&a, d, sizeof out));
    CHECK_OK(buf_alloc(&b, d, sizeof out));
    CHECK(player.fake->managed == managed + 1, "%d blocks of it",
          player.fake->managed - managed);
    CHECK(a.host == a.handle && !b.host, "where it lies on the host");
    CHECK(d->bytes == held + 200, "%lld", (long long)d->bytes);
    memset(a.host, 42, sizeof out);
    CHECK_OK(buf_copy(&b, 0, &a, 0, sizeof out));
    CHECK_OK(buf_download(&b, 0, out, sizeof out));
    CHECK(out[0] == 42 && out[99] == 42, "%d %d", out[0], out[99]);
    CHECK_FAILS(buf_alloc_managed(&b, d, FAKE_BYTES + 1), FARSUM_ERR_MEMORY);
    tell("FAKE_FAIL", "managed=719");
    CHECK_FAILS(buf_alloc_managed(&a, d, 10), FARSUM_ERR_DEVICE);
    CHECK_SAYS("allocating managed memory");
    CHECK(!a.handle && !a.host, "an output was touched");
    tell("FAKE_FAIL", NULL);
    buf_clear(&a);
    buf_clear(&b);
    device_close(d);
    nothing_left("managed");
}

/* A driver without such memory, and one whose host must wait for all
 * kernels. */
static void test_refused(void)
{
    static const char *const says[] = {"cuda:0 has no managed memory",
                                       "may not use while any kernel runs"};
    struct device *d = opened(0);
    struct buf a = {0};
    for (int k = 0; k < 2; k++) {
        tell("FAKE_MANAGED", k ? "1" : "0");
        CHECK_FAILS(device_managed(d), FARSUM_ERR_UNSUPPORTED);
        CHECK_SAYS(says[k]);
        CHECK_FAILS(buf_alloc_managed(&a, d, 10), FARSUM_ERR_UNSUPPORTED);
    }
    tell("FAKE_MANAGED", NULL);
    CHECK_OK(device_managed(d));
    device_close(d);
    nothing_left("no managed memory");
}

static void test_none(void)
{
    struct device *d = opened(0);
    struct buf a = {0};
    CHECK_FAILS(device_managed(d), FARSUM_ERR_UNSUPPORTED);
    CHECK_SAYS("hip:0: host and device share no memory on this system");
    CHECK_FAILS(buf_alloc_managed(&a, d, 10), FARSUM_ERR_UNSUPPORTED);
    device_close(d);
    nothing_left("none managed");
}

void loader_managed(void)
{
    if (strcmp(vendor->name, "cuda") != 0) {
        RUN(test_none);
        return;
    }
    RUN(test_memory);
    RUN(test_refused);
}
