/* SPDX-License-Identifier: Apache-2.0 */
/* gpu_symmetric: presorted lists and the 56 (ws = 1) operators of one octant of
 * differences, each for 1, 2, 4 or 8 targets of a source, whose signs differ.
 * One kernel for each of these four groups over all octants (Kohnke et al.,
 * IJHPCA 2020).  Saves products and loads, not sums; gpu_symmetric_sums saves
 * those as well.  Theirs flips sign bits; here a sign is a factor of a
 * multiply-add.  Sums of several thread blocks are atomic: they do not repeat
 * bitwise.  (comparison) */
#include "stage/m2l/papers/symmetric_make.h"

static const struct symmetric_form form = {.merged = 1};

SYMMETRIC_ROW(gpu_symmetric)
