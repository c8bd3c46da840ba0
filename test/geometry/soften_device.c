/* SPDX-License-Identifier: Apache-2.0 */
/* soften_device.c: softened 1/r in periodic cells on a device
 * (FARSUM_TEST_DEVICE, default: opencl:0). */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "farsum/device.h"
#include "geometry/soften_cloud.h"

static const char *device;
static int full; /* 1: all variants; each compiles its kernels */

static void spectral(void)
{
    static const char *const near[] = {NULL, "gpu_cells", "gpu_lanes",
                                       "gpu_pairs", "gpu_verlet"};
    struct cloud c;
    struct cloud_sums exact;
    cloud_make(&c, 1);
    cloud_exclude(&c);
    cloud_reference(&c, &exact);
    c.options.device.name = device;
    for (int k = 0; k < (full ? 5 : 1); k++) {
        c.problem.tolerance = k % 2 ? 1e-4 : 1e-9;
        c.problem.precision = k == 3   ? FARSUM_F32
                              : k == 1 ? FARSUM_MIXED
                                       : FARSUM_F64;
        c.problem.sample_x = k % 2 ? NULL : c.x;
        c.problem.sample_q = k % 2 ? NULL : c.q;
        c.options.spectral.near = near[k];
        cloud_compare(&c, &exact, near[k] ? near[k] : "near");
    }
}

static void slab(void)
{
    struct cloud c;
    struct cloud_sums exact;
    cloud_make(&c, 1e-6);
    c.problem.periodic[0] = 0;
    cloud_reference(&c, &exact);
    c.options.device.name = device;
    cloud_compare(&c, &exact, "slab");
}

static void fmm(void)
{
    struct cloud c;
    struct cloud_sums exact;
    cloud_brick(&c, 1);
    cloud_exclude(&c);
    cloud_reference(&c, &exact);
    c.options.device.name = device;
    c.options.method = "fmm";
    for (int k = 0; k < (full ? 3 : 1); k++) {
        c.problem.tolerance = k == 2 ? 1e-4 : 1e-6;
        c.problem.precision = k == 2 ? FARSUM_F32 : FARSUM_F64;
        if (k == 0)
            c.problem.outputs &= ~(unsigned)FARSUM_VIRIAL;
        else /* by a second plan */
            c.problem.outputs |= FARSUM_VIRIAL;
        c.options.fmm.tree = k == 1 ? "sparse" : "dense";
        cloud_compare(&c, &exact, c.options.fmm.tree);
    }
}

int main(int argc, char **argv)
{
    farsum_device *opened = NULL;
    const char *name = getenv("FARSUM_TEST_DEVICE");
    device = name ? name : "opencl:0";
    if (farsum_device_open(device, &opened) != FARSUM_OK) {
        printf("skipped: %s\n", farsum_message());
        return CHECK_SKIPPED;
    }
    farsum_device_close(opened);
    full = argc > 1 && strcmp(argv[1], "--full") == 0;
    RUN(spectral);
    if (full)
        RUN(slab);
    RUN(fmm);
    return check_end();
}
