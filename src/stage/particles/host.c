/* SPDX-License-Identifier: Apache-2.0 */
/* host.c: common host code of spread and interp. */
#include "stage/particles/host.h"

#include "base/c_locale.h"
#include "stage/device.h"

#include <stdio.h>

farsum_status particles_host_fits(const struct device *device, int parts,
                                  const int64_t mesh[3])
{
    TRY(gpu_not_wanted(device));
    if (parts > 2)
        FAIL(ERR_UNSUPPORTED, "parts is %d; use 1 (real) or 2 (complex)",
             parts);
    for (int d = 0; d < 3; d++)
        if (mesh[d] > 1 << 30)
            FAIL(ERR_UNSUPPORTED,
                 "%lld mesh points along axis %d; at most %d are possible",
                 (long long)mesh[d], d, 1 << 30);
    return FARSUM_OK;
}

void particles_about(char *text, size_t size, int64_t n, const int64_t mesh[3],
                     double clustering, double repeats)
{
    double points = (double)mesh[0] * (double)mesh[1] * (double)mesh[2];
    c_locale_text(text, size,
                  "%.3g points per mesh point, crowding %.3g, %.3g run%s per "
                  "set",
                  (double)n / points, clustering, repeats,
                  repeats > 1 ? "s" : "");
}
