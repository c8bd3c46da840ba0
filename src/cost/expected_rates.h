/* SPDX-License-Identifier: Apache-2.0 */
/* expected_rates.h: the expected rates of a device, on which the costs of all
 * device variants are based.
 *
 * The constants were measured on an H200 (132 units at 1.98 GHz, 60 MB of
 * cache) and scale with units and clock.  Memory scales with its own bandwidth
 * where the driver reports it. */
#ifndef FARSUM_COST_EXPECTED_RATES_H
#define FARSUM_COST_EXPECTED_RATES_H

#include "device/device.h"

/* Returns 1 for a processor used by OpenCL: it shares the host's memory and has
 * no warps. */
int gpu_is_processor(const struct device *device);
/* Operations per second on words in the last-level cache, and on words in
 * memory. */
struct gpu_rate {
    double cached, far;
};

struct gpu_rates {
    double share;  /* units times clock, relative to an H200 */
    double bytes;  /* of global memory, streamed, per second */
    double flops;  /* multiply-adds per second in the precision */
    double cache;  /* bytes that the last-level cache holds */
    struct gpu_rate sectors;   /* scattered reads of 32 bytes */
    struct gpu_rate scattered; /* atomic additions to global memory, far from
                                  each other */
    struct gpu_rate runs;      /* 32-byte sectors of additions to consecutive
                                  words, a sector at a time */
    double local;  /* atomic additions to shared memory, per second */
    double launch; /* seconds per launch */
    double wait;   /* seconds per step of a chain of dependent accesses to
                      global memory */
};
struct gpu_rates gpu_rates(const struct device *device,
                           farsum_precision precision);
/* Threads that a device can hold: 2048 per unit. */
static inline double gpu_threads(const struct device *device)
{
    return 2048 * (double)device->properties.units;
}
/* Seconds per operation if they are spread over `bytes` of memory. */
double gpu_seconds(const struct gpu_rates *rates, struct gpu_rate rate,
                   double bytes);
#endif
