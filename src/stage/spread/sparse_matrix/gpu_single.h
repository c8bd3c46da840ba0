/* SPDX-License-Identifier: Apache-2.0 */
/* gpu_single.h: common code of the variants that store the spreading operator
 * as compressed rows. */
#ifndef FARSUM_STAGE_SPREAD_SPARSE_MATRIX_GPU_SINGLE_H
#define FARSUM_STAGE_SPREAD_SPARSE_MATRIX_GPU_SINGLE_H

#include "stage/spread/sparse_matrix/gpu_matrix.h"

/* args' threads per mesh point (default: the paper's rule). */
int spread_single_unit(const struct spread_args *args);
farsum_status spread_single_fits(const struct spread_args *args);
double spread_single_cost(const void *args);
int64_t spread_single_bytes(const void *args);
farsum_status spread_single_create(const struct spread_args *args, int local,
                                   void **state);
farsum_status spread_single_set(void *state, const struct points *sources,
                                const struct points *targets);
farsum_status spread_single_run(void *state, const void *io);
void spread_single_destroy(void *state);
#endif
