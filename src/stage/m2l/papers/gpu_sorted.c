/* SPDX-License-Identifier: Apache-2.0 */
/* gpu_sorted: presorted lists of a source's targets without symmetries.  A
 * thread block has one entry of the list, one coefficient of the locals and
 * sources of one octant (Kohnke et al., IJHPCA 2020, section 3.3.4).  For
 * comparison with gpu_symmetric, whose kernel it runs with one image per
 * operator. */
#include "stage/m2l/papers/symmetric_make.h"

static const struct symmetric_form form = {.merged = 0};

SYMMETRIC_ROW(gpu_sorted)
