/* SPDX-License-Identifier: Apache-2.0 */
/* gpu_cusparse_sell: the spreading operator as sliced ELLPACK, 32 rows per
 * slice, times the strengths by cuSPARSE.  For comparison: the library's
 * current replacement of the hybrid format of Guo et al. (2015).  A set
 * synchronises once with the device to learn the sizes of its arrays.  Not
 * deterministic: entries are in the order of arrival. */
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
