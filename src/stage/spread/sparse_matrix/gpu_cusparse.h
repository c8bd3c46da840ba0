/* SPDX-License-Identifier: Apache-2.0 */
/* gpu_cusparse.h: the variants that leave the product with the spreading
 * operator to cuSPARSE, which is loaded at run time. */
#ifndef FARSUM_STAGE_SPREAD_SPARSE_MATRIX_GPU_CUSPARSE_H
#define FARSUM_STAGE_SPREAD_SPARSE_MATRIX_GPU_CUSPARSE_H

#include "stage/spread/sparse_matrix/gpu_matrix.h"

farsum_status spread_cusparse_fits(const void *args);
double spread_cusparse_cost(const void *args);
int64_t spread_cusparse_bytes(const void *args);
/* layout: SPREAD_ROWS or SPREAD_SLICED. */
farsum_status spread_cusparse_create(const struct spread_args *args,
                                     enum spread_layout layout, void **state);
farsum_status spread_cusparse_set(void *state, const struct points *sources,
                                  const struct points *targets);
farsum_status spread_cusparse_run(void *state, const void *io);
void spread_cusparse_destroy(void *state);
#endif
