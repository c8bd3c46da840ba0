/* SPDX-License-Identifier: Apache-2.0 */
/* api_device_bytes.c: comparison of a device plan's predicted memory with its
 * actual memory, for variants with lists of each kind.  The actual memory is at
 * most a tenth above and a fifth below the prediction, because some devices
 * sort in less memory than counted. */
#include "api_device.h"

enum { MANY = 8000, EDGE = 20 };

static double *places(void)
{
    uint64_t state = 3;
    double *x = check_memory(3 * (size_t)MANY, sizeof *x);
    for (int i = 0; i < MANY; i++) {
        const int at[3] = {i % EDGE, i / EDGE % EDGE, i / EDGE / EDGE};
        for (int d = 0; d < 3; d++) {
            state = state * 6364136223846793005u + 1442695040888963407u;
            x[3 * i + d] = at[d] + 0.4 * (double)(state >> 40) * 0x1p-24;
        }
    }
    return x;
}

static void said(const double *x, farsum_precision precision,
                 const char *spread, const char *interp)
{
    farsum_problem p = FARSUM_PROBLEM_INIT;
    farsum_options options = on(device);
    farsum_plan_info before = FARSUM_PLAN_INFO_INIT;
    farsum_plan_info after = FARSUM_PLAN_INFO_INIT;
    farsum_plan *plan = NULL;
    for (int d = 0; d < 3; d++) {
        p.cell[4 * d] = EDGE;
        p.periodic[d] = 1;
    }
    p.n_sources = MANY;
    p.tolerance = 1e-3;
    p.precision = precision;
    p.arrays = FARSUM_F64;
    p.outputs = FARSUM_POTENTIAL | FARSUM_FIELD;
    options.spectral.spread = spread;
    options.spectral.interp = interp;
    /* vendors' libraries do not report their memory */
    options.spectral.fft = "plain";
    options.threads = 1;
    if (farsum_plan_tune(&p, &options, &plan) == FARSUM_ERR_UNSUPPORTED) {
        printf("  %s, %s: %s\n", spread, interp, farsum_message());
        return;
    }
    CHECK_OK(farsum_plan_get_info(plan, &before));
    farsum_plan_destroy(plan);
    plan = plan_of(&p, &options);
    CHECK_OK(farsum_plan_set_points(plan, MANY, x, 0, NULL));
    CHECK_OK(farsum_plan_get_info(plan, &after));
    double off = (double)before.bytes / (double)after.bytes - 1;
    printf("  %s, %s: predicted %.3g MB, %+.1f %%\n", spread, interp,
           1e-6 * (double)before.bytes, 100 * off);
    CHECK(off >= -0.1 && off <= 0.2, "%s, %s: %llu bytes, predicted %llu",
          spread, interp, (unsigned long long)after.bytes,
          (unsigned long long)before.bytes);
    farsum_plan_destroy(plan);
}

void bytes_said(void)
{
    static const char *const rows[][2] = {
        {"gpu_particle", "gpu_particle"},
        {"gpu_cell_hybrid", "gpu_particle_sorted"},
        {"gpu_output", "gpu_cell"},
        {"gpu_tile", "gpu_tile_warp"},
        {"gpu_stream", "gpu_particle"},
        {"gpu_stream_mma", "gpu_stream_mma"},
    };
    double *x = places();
    for (size_t k = 0; k < sizeof rows / sizeof rows[0]; k++)
        for (int f32 = 0; f32 < 2; f32++)
            said(x, f32 ? FARSUM_F32 : FARSUM_F64, rows[k][0], rows[k][1]);
    free(x);
}
