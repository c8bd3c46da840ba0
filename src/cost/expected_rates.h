/* SPDX-License-Identifier: Apache-2.0 */
/* expected_rates.h: what a device does in a second: the one model that the
 * costs of all rows on devices stand on.
 *
 * The constants were measured on an H200 (132 units at 1.98 GHz, cache of 60
 * MB) and go by units and clock; memory by its own rate where the driver tells
 * it. */
#ifndef FARSUM_COST_EXPECTED_RATES_H
#define FARSUM_COST_EXPECTED_RATES_H

#include "device/device.h"

/* Memory shared with the host, threads not in step: a processor, by OpenCL. */
int gpu_is_processor(const struct device *device);
/* Something that is done to words of the last cache, and of memory. */
struct gpu_rate {
    double cached, far;
};

struct gpu_rates {
    double share;  /* units times clock, of an H200's */
    double bytes;  /* of global memory, streamed */
    double flops;  /* multiply-adds of the precision */
    double cache;  /* bytes that the last cache holds */
    struct gpu_rate sectors;   /* reads of 32 bytes that lie apart */
    struct gpu_rate scattered; /* atomic sums to global memory, each far from
                                  the others */
    struct gpu_rate runs;      /* sectors of sums in runs, all of one at once */
    double local;  /* atomic sums to group memory */
    double launch; /* seconds of one */
    double wait;   /* seconds of one step of a chain of global accesses */
};
struct gpu_rates gpu_rates(const struct device *device,
                           farsum_precision precision);
/* Threads that a device holds at once: 2048 a unit. */
static inline double gpu_threads(const struct device *device)
{
    return 2048 * (double)device->facts.units;
}
/* Seconds of one of them, when all go to `bytes` of memory. */
double gpu_seconds(const struct gpu_rates *rates, struct gpu_rate rate,
                   double bytes);
#endif
