/* SPDX-License-Identifier: Apache-2.0 */
/* gpu_symmetric_sums: gpu_symmetric with signs applied after the sums.  The
 * signs depend only on the parities of k and l.  So each of these four classes
 * is summed once for all images of an operator, with real and imaginary parts
 * of l and -l together.  This takes an eighth of the multiply-adds.  For
 * comparison. */
#include "stage/m2l/papers/symmetric_make.h"

static const struct symmetric_form form = {.merged = 1, .sums = 1};

SYMMETRIC_ROW(gpu_symmetric_sums)
