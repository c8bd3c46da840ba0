/* SPDX-License-Identifier: Apache-2.0 */
/* expected_rates.c: a device's rates, scaled from an H200. */
#include "cost/expected_rates.h"

int gpu_is_processor(const struct device *device)
{
    return device->properties.integrated && device->properties.subgroup == 1;
}

/* A processor by OpenCL.  A thread block is one thread that does its work items
 * in turn, about one multiply-add per cycle.  Reals are added by
 * compare-and-swap loops in any memory.  Measured with PoCL 3.1 on two cores of
 * a Zen 3. */
static struct gpu_rates of_processor(double cycles, double cache)
{
    double sums = cycles / 30;
    return (struct gpu_rates){.share = cycles / 16.4e12,
                              .bytes = 2 * cycles,
                              .flops = cycles,
                              .cache = cache,
                              .sectors = {cycles / 4, cycles / 20},
                              .scattered = {sums, sums / 2},
                              .runs = {sums / 4, sums / 8},
                              .local = sums,
                              .launch = 2e-5,
                              .wait = 1e-7};
}

struct gpu_rates gpu_rates(const struct device *device,
                           farsum_precision precision)
{
    const struct device_properties *properties = &device->properties;
    int f32 = precision == FARSUM_F32;
    double clock = properties->clock > 0 ? properties->clock : 1e9;
    double cycles = clock * (properties->units > 0 ? properties->units : 1);
    double s = cycles / (132 * 1.98e9);
    /* computed from an H200's memory clock and bus: 4.92e12 */
    double m = properties->bandwidth > 0 ? properties->bandwidth / 4.92e12 : s;
    /* part of it holds other data */
    double cache = properties->cache > 0 ? 0.6 * (double)properties->cache : 0;
    if (gpu_is_processor(device))
        return of_processor(cycles, cache);
    return (struct gpu_rates){
        .share = s,
        .bytes = 4.3e12 * m,
        .flops = (f32 ? 32e12 : 16.4e12) * s,
        .cache = cache,
        .sectors = {110e9 * s, 62e9 * m},
        .scattered = {94e9 * s, 46e9 * m},
        .runs = {80e9 * s, 28e9 * m},
        .local = (f32 ? 630e9 : 373e9) * s,
        .launch = 3e-6,
        .wait = 6e-8,
    };
}

double gpu_seconds(const struct gpu_rates *rates, struct gpu_rate rate,
                   double bytes)
{
    double held = bytes > rates->cache ? rates->cache / bytes : 1;
    return held / rate.cached + (1 - held) / rate.far;
}
