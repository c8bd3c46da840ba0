/* SPDX-License-Identifier: Apache-2.0 */
/* gpu_symmetric_sums: gpu_symmetric with signs after the sums: they depend on
 * the parities of k and l alone, so each of these four classes is summed once
 * for all images of an operator, real and imaginary parts of l and -l at once;
 * an eighth of the multiply-adds. */
#include "stage/m2l/papers/symmetric_make.h"

static const struct symmetric_form form = {.merged = 1, .sums = 1};

SYMMETRIC_ROW(gpu_symmetric_sums)
