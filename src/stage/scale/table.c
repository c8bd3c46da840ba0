/* SPDX-License-Identifier: Apache-2.0 */
/* table.c: the table of variants of scale, from variants.def. */
#include "stage/scale/scale.h"

#define VARIANTS "stage/scale/variants.def"
#include "stage/variant_table.h"

const struct stage scale_stage = {
    .name = "scale", .rows = rows, .absent = absent, .work = scale_ops};
