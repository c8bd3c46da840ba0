/* SPDX-License-Identifier: Apache-2.0 */
/* host_table_kern.c: the loop over a row, for each instruction set and
 * precision. */
#include "stage/scale/host_table_kern.h"

#include "base/simd.h"

#define FN SIMD_FN
#define FAR_REAL real
#include "math/pair_far.kh"

static double scale_row(void *data, const void *table, int64_t n, int alone,
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
        double ends = 0;
        if (alone & SCALE_FIRST)
            ends =
                (double)g[0]
                * ((double)z[0] * (double)z[0] + (double)z[1] * (double)z[1]);
        if (alone & SCALE_LAST && (e > 0 || !(alone & SCALE_FIRST)))
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

/* Multiplies a flow kernel's row by the function of a mode. */
SIMD_FN void flow_row(void (*mode)(const real *k, real g, real *z),
                      const int channels, const int values, void *data,
                      int64_t channel, const void *table, int64_t n,
                      const double k0[3], const double step[3])
{
    real *z = data;
    const real *g = table;
    for (int64_t i = 0; i < n; i++) {
        real at[2 * PAIR_CHANNELS], k[3];
        for (int a = 0; a < 3; a++)
            k[a] = (real)(k0[a] + (double)i * step[a]);
        for (int c = 0; c < 2 * channels; c++)
            at[c] = z[c / 2 * channel + 2 * i + c % 2];
        mode(k, g[i], at);
        for (int c = 0; c < 2 * values; c++)
            z[c / 2 * channel + 2 * i + c % 2] = at[c];
    }
}

#define SCALAR(name, polys, note)
#define FLOW(name, strengths, channels, polys, note)                           \
    static void row_##name(void *z, int64_t channel, const void *table,        \
                           int64_t n, const double k[3], const double step[3]) \
    {                                                                          \
        flow_row(far_##name, channels, PAIR_VALUES, z, channel, table, n, k,   \
                 step);                                                        \
    }
#include "math/pair.def"
#undef FLOW

static const struct scale_flow flows[] = {
#define FLOW(name, strengths, channels, polys, note) {#name, row_##name},
#include "math/pair.def"
#undef FLOW
#undef SCALAR
    {NULL, NULL},
};

extern const struct scale_kern ISA_NAME(scale_host_table);
const struct scale_kern ISA_NAME(scale_host_table) = {scale_row, flows};
