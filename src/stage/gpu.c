/* gpu.c: what rows that work on a device have in common. */
#include "stage/gpu.h"

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
        FAIL(ERR_UNSUPPORTED, "it works on a device, this plan on the host");
    return FARSUM_OK;
}

farsum_status gpu_not_wanted(const struct device *device)
{
    if (device)
        FAIL(ERR_UNSUPPORTED, "it works on the host, this plan on %s",
             device->name);
    return FARSUM_OK;
}

farsum_status gpu_local_fits(const struct device *device, int64_t bytes)
{
    if (bytes > device->facts.local)
        FAIL(ERR_UNSUPPORTED,
             "it needs %lld bytes of group memory, %s has %lld",
             (long long)bytes, device->name, (long long)device->facts.local);
    return FARSUM_OK;
}
