/* SPDX-License-Identifier: Apache-2.0 */
/* gpu_cusparse_csr: the spreading operator as compressed rows, as in
 * gpu_single, times the strengths by cuSPARSE.  For comparison: Guo, Liu, Xu,
 * Du, Chow, Procedia Comput. Sci. 51 (2015) 120, left their hybrid mesh to that
 * library.  Not deterministic: entries are in the order of arrival. */
#include "stage/spread/sparse_matrix/gpu_cusparse.h"

/* A product takes more than one launch. */
static double cost(const void *args)
{
    return spread_cusparse_cost(args) + 5e-6 * spread_channels(args);
}

static farsum_status create(const void *args, void **state)
{
    return spread_cusparse_create(args, SPREAD_ROWS, state);
}

const struct variant spread_gpu_cusparse_csr = {
    .fits = spread_cusparse_fits,
    .cost = cost,
    .bytes = spread_cusparse_bytes,
    .create = create,
    .set = spread_cusparse_set,
    .run = spread_cusparse_run,
    .destroy = spread_cusparse_destroy,
    .deterministic = 0,
    .needs = "cuSPARSE and a CUDA device"};
