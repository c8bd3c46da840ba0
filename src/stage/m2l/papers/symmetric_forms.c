/* SPDX-License-Identifier: Apache-2.0 */
/* symmetric_forms.c: the variants of symmetric_make.c, one line each. */
#include "stage/m2l/papers/symmetric_make.h"

/* Presorted lists of a source's targets without symmetries. A thread block
 * has one entry of the list, one coefficient of the locals and sources of
 * one octant (Kohnke et al., IJHPCA 2020, section 3.3.4). For comparison
 * with gpu_symmetric, whose kernel it runs with one image per operator. */
SYMMETRIC_ROW(gpu_sorted, .merged = 0)

/* Presorted lists and the 56 (ws = 1) operators of one octant of
 * differences, each for 1, 2, 4 or 8 targets of a source, whose signs
 * differ. One kernel for each of these four groups over all octants (Kohnke
 * et al., IJHPCA 2020). Saves products and loads, not sums;
 * gpu_symmetric_sums saves those as well. Theirs flips sign bits; here a
 * sign is a factor of a multiply-add. Sums of several thread blocks are
 * atomic: they do not repeat bitwise. (comparison) */
SYMMETRIC_ROW(gpu_symmetric, .merged = 1)

/* gpu_symmetric with a table of every box's targets, so that no index is
 * computed (Kohnke et al.: redundant pointers). For comparison. */
SYMMETRIC_ROW(gpu_symmetric_pointers, .merged = 1, .pointers = 1)

/* gpu_symmetric with signs applied after the sums. The signs depend only on
 * the parities of k and l. So each of these four classes is summed once for
 * all images of an operator, with real and imaginary parts of l and -l
 * together. This takes an eighth of the multiply-adds. For comparison. */
SYMMETRIC_ROW(gpu_symmetric_sums, .merged = 1, .sums = 1)
