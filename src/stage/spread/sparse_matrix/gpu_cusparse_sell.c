/* SPDX-License-Identifier: Apache-2.0 */
/* gpu_cusparse_sell: the spreading operator as sliced ELLPACK, 32 rows a slice,
 * times the strengths by cuSPARSE: a comparison; what that library has now
 * instead of the hybrid format of Guo et al. (2015).  A set waits once for the
 * device, to know what to allocate.  Not deterministic: entries lie in the
 * order they came. */
#include "stage/spread/sparse_matrix/gpu_cusparse.h"

static farsum_status create(const void *args, void **state)
{
    return spread_cusparse_create(args, SPREAD_SLICED, state);
}

const struct variant spread_gpu_cusparse_sell = {
    .fits = spread_cusparse_fits,
    .cost = spread_cusparse_cost,
    .bytes = spread_cusparse_bytes,
    .create = create,
    .set = spread_cusparse_set,
    .run = spread_cusparse_run,
    .destroy = spread_cusparse_destroy,
    .deterministic = 0,
    .needs = "cuSPARSE and a CUDA device"};
