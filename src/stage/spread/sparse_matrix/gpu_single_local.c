/* SPDX-License-Identifier: Apache-2.0 */
/* gpu_single_local: gpu_single with the sums of a unit added in shared memory,
 * compared in figure 5 of Guo et al. (2015).  Devices without shuffles use it
 * instead.  Not deterministic.  (comparison) */
#include "stage/spread/sparse_matrix/gpu_single.h"

static farsum_status fits(const void *args)
{
    return spread_single_fits(args);
}

/* Figure 5: never faster than shuffles. */
static double cost(const void *args)
{
    return 1.05 * spread_single_cost(args);
}

static farsum_status create(const void *args, void **state)
{
    return spread_single_create(args, 1, state);
}

const struct variant spread_gpu_single_local = {.fits = fits,
                                                .cost = cost,
                                                .bytes = spread_single_bytes,
                                                .create = create,
                                                .set = spread_single_set,
                                                .run = spread_single_run,
                                                .destroy =
                                                    spread_single_destroy,
                                                .deterministic = 0,
                                                .needs = "a device"};
