/* SPDX-License-Identifier: Apache-2.0 */
/* measured_rates.h: what a machine does in a second, by kinds of operations
 * (math/count.h) and bytes: measured, and kept in the file of
 * cost/kept_times.h. */
#ifndef FARSUM_COST_MEASURED_RATES_H
#define FARSUM_COST_MEASURED_RATES_H

#include "math/count.h"
#include "cost/place.h"

struct model_rates {
    double seconds[COUNT_KINDS]; /* of one, all that are there at it */
    double byte, cache_byte;     /* seconds of one, of memory and last cache */
    double cache;                /* bytes of the last cache; 0: not known */
    double launch, transfer;     /* seconds; of a byte; the host: 0 */
    int kept;
};

/* Those that are kept, or, if there are none or `again`, measured now. */
farsum_status model_rates_get(const struct machine_place *place, int again,
                              struct model_rates *rates);

/* cost/measure_host.c, cost/measure_device.c */
farsum_status model_measure_host(const struct machine_place *place,
                                 struct model_rates *rates);
farsum_status model_measure_gpu(const struct machine_place *place,
                                struct model_rates *rates);

/* Times a run of `amount` steps: seconds. */
typedef farsum_status model_run(void *data, int64_t amount, double *seconds);
/* Seconds of a step: as many as take `least` seconds, the best of some runs. */
farsum_status model_time(model_run *run, void *data, double least,
                         double *step);

/* cost/measured_rates_kern.c: numbers: a near 1, b small, and what arguments
 * are spread over; returns what is done with them, so that it is done. */
enum { MODEL_CHAINS = 10 };
struct model_kern {
    int lanes;
    double (*operations)(int kind, int64_t steps, const double numbers[3]);
    void (*stream)(void *x, int64_t bytes, double factor);
};
#endif
