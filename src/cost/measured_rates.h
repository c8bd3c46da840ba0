/* SPDX-License-Identifier: Apache-2.0 */
/* measured_rates.h: the measured rates of a machine, per kind of operation
 * (math/count.h) and per byte.  They are kept in the file of
 * cost/kept_times.h. */
#ifndef FARSUM_COST_MEASURED_RATES_H
#define FARSUM_COST_MEASURED_RATES_H

#include "math/count.h"
#include "cost/place.h"

struct model_rates {
    double seconds[COUNT_KINDS]; /* per operation, with the whole machine at
                                    work */
    double byte, cache_byte;     /* seconds per byte of memory and of last-level
                                    cache */
    double cache;                /* bytes of the last-level cache; 0: unknown */
    double launch, transfer;     /* seconds per launch and per byte transferred;
                                    the host: 0 */
    int kept;
};

/* Returns the kept rates.  If there are none, or if `again` is set, measures
 * them now. */
farsum_status model_rates_get(const struct machine_place *place, int again,
                              struct model_rates *rates);

/* cost/measure_host.c, cost/measure_device.c */
farsum_status model_measure_host(const struct machine_place *place,
                                 struct model_rates *rates);
farsum_status model_measure_gpu(const struct machine_place *place,
                                struct model_rates *rates);

/* Times a run of `amount` steps, in seconds. */
typedef farsum_status model_run(void *data, int64_t amount, double *seconds);
/* Returns the seconds per step.  The number of steps is chosen so that a run
 * takes at least `least` seconds; the fastest of several runs counts. */
farsum_status model_time(model_run *run, void *data, double least,
                         double *step);

/* cost/measured_rates_kern.c.  numbers: a near 1, a small b, and the width over
 * which arguments are spread.  The functions return a value that depends on all
 * operations, so that compilers cannot remove them. */
enum { MODEL_CHAINS = 10 };
struct model_kern {
    int lanes;
    double (*operations)(int kind, int64_t steps, const double numbers[3]);
    void (*stream)(void *x, int64_t bytes, double factor);
};
#endif
