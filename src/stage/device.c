/* SPDX-License-Identifier: Apache-2.0 */
/* device.c: common host code of variants on devices. */
#include "stage/device.h"

#include "base/number.h"

#include <stdlib.h>
#include <string.h>

void gpu_define_window(struct jit *jit, const struct window *window)
{
    double table[(WINDOW_DEGREE + 1) * WINDOW_MAX];
    int n = 0;
    for (int d = 0; d <= window->degree; d++)
        for (int j = 0; j < window->support; j++)
            table[n++] = window->coef[d][j];
    jit_define(jit, "SUPPORT", "%d", window->support);
    jit_define(jit, "WINDOW_DEGREE_", "%d", window->degree);
    jit_define_table(jit, "WINDOW_TABLE", table, n);
}

farsum_status gpu_wanted(const struct device *device)
{
    if (!device)
        FAIL(ERR_UNSUPPORTED,
             "runs only on a device; this plan runs on the host");
    return FARSUM_OK;
}

farsum_status gpu_not_wanted(const struct device *device)
{
    if (device)
        FAIL(ERR_UNSUPPORTED, "runs only on the host; this plan uses device %s",
             device->name);
    return FARSUM_OK;
}

farsum_status gpu_local_fits(const struct device *device, int64_t bytes)
{
    if (bytes > device->properties.local)
        FAIL(ERR_UNSUPPORTED, "needs %lld bytes of shared memory; %s has %lld",
             (long long)bytes, device->name,
             (long long)device->properties.local);
    return FARSUM_OK;
}

/* 90 for "sm_90"; 0 for other names. */
static int architecture(const struct device *device)
{
    if (strncmp(device->properties.arch, "sm_", 3) != 0)
        return 0;
    const char *end;
    uint64_t found = 0;
    (void)number_count(device->properties.arch + 3, &end, &found);
    return (int)found;
}

farsum_status gpu_tensor_fits(const struct device *device,
                              farsum_precision precision)
{
    TRY(gpu_wanted(device));
    if (architecture(device) < 80)
        FAIL(ERR_UNSUPPORTED,
             "needs FP64 tensor cores (NVIDIA, sm_80 or later); %s is %s",
             device->name, device->properties.arch);
    if (precision != FARSUM_F64)
        FAIL(ERR_UNSUPPORTED, "supports only f64");
    return FARSUM_OK;
}

int gpu_tensor_rows(const struct device *device)
{
    return architecture(device) >= 90 ? 16 : 8;
}
