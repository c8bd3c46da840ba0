/* SPDX-License-Identifier: Apache-2.0 */
/* device_options.c: tests that the cache does not return kernels built with
 * other options, however late in the options they differ. */
#include "device/compile/cache.h"
#include "device/device.h"
#include "device/compile/jit.h"

#include "check.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char folder[] = "/tmp/farsum-options-XXXXXX";

/* 1: the kernels were found. */
static int is_cached(struct device *device)
{
    const double table[] = {0.25, -1.0 / 3, 7};
    struct jit jit;
    jit_begin(&jit, device, "words.k", FARSUM_F64);
    jit_define_table(&jit, "TABLE", table, 3);
    CHECK_OK(jit_build(&jit));
    int cached = jit.cached;
    jit_clear(&jit);
    return cached;
}

static void late_options(void)
{
    for (int k = 0; k < 2; k++) {
        struct device *device = NULL;
        char options[300];
        snprintf(options, sizeof options, "-cl-opt-disable %200s -DLATE=%d", "",
                 k);
        CHECK(setenv("FARSUM_OPENCL_OPTIONS", options, 1) == 0, "setenv");
        if (!CHECK_OK(device_open("opencl:0", &device)))
            return;
        CHECK(strstr(device->properties.makers, options) != NULL, "%s",
              device->properties.makers);
        CHECK(!is_cached(device), "kernels of other options");
        CHECK(is_cached(device), "not found again");
        device_close(device);
    }
}

int main(void)
{
    struct device *device = NULL;
    int64_t files = 0;
    if (device_open("opencl:0", &device) != FARSUM_OK) {
        printf("skipped: %s\n", farsum_message());
        return CHECK_SKIPPED;
    }
    device_close(device);
    if (!mkdtemp(folder) || setenv("FARSUM_CACHE_DIR", folder, 1) != 0
        || setenv("FARSUM_KERNEL_DIR", FARSUM_TEST_DIR "/device", 1) != 0)
        check_stop("no folder for the cache");
    RUN(late_options);
    CHECK_OK(cache_clear(&files));
    CHECK(rmdir(folder) == 0, "files are left");
    return check_end();
}
