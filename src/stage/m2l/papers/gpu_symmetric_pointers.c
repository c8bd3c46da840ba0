/* SPDX-License-Identifier: Apache-2.0 */
/* gpu_symmetric_pointers: gpu_symmetric with a table of every box's targets, so
 * that no index is computed (Kohnke et al.: redundant pointers).  For
 * comparison. */
#include "stage/m2l/papers/symmetric_make.h"

static const struct symmetric_form form = {.merged = 1, .pointers = 1};

SYMMETRIC_ROW(gpu_symmetric_pointers)
