/* host_table_kern.c: the row loop, for each instruction set and precision. */
#include "stage/scale/host_table_kern.h"

#include "base/simd.h"

static double scale_row(void *data, const void *table, int64_t n, int even,
                        int keep, int energy)
{
    real *z = data;
    const real *g = table;
    double sum = 0;
    if (energy) {
        for (int64_t i = 0; i < n; i++)
            sum += (double)g[i]
                   * ((double)z[2 * i] * (double)z[2 * i]
                      + (double)z[2 * i + 1] * (double)z[2 * i + 1]);
        int64_t e = n - 1;
        double ends = (double)g[0]
                      * ((double)z[0] * (double)z[0]
                         + (double)z[1] * (double)z[1]);
        if (even && e > 0)
            ends += (double)g[e]
                    * ((double)z[2 * e] * (double)z[2 * e]
                       + (double)z[2 * e + 1] * (double)z[2 * e + 1]);
        sum = 2 * sum - ends;
    }
    for (int64_t i = 0; keep && i < n; i++) {
        z[2 * i] *= g[i];
        z[2 * i + 1] *= g[i];
    }
    return sum;
}

extern const struct scale_kern ISA_NAME(scale_host_table);
const struct scale_kern ISA_NAME(scale_host_table) = {scale_row};
