/* SPDX-License-Identifier: Apache-2.0 */
/* table.c: the table of variants of fft, from variants.def. */
#include "stage/fft/fft.h"

#define VARIANTS "stage/fft/variants.def"
#include "stage/variant_table.h"

const struct stage fft_stage = {
    .name = "fft", .rows = rows, .absent = absent, .work = fft_ops};
