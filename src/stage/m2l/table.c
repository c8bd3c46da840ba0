/* SPDX-License-Identifier: Apache-2.0 */
/* table.c: the table of variants of m2l, from variants.def. */
#include "stage/expansions/expansions.h"

#define VARIANTS "stage/m2l/variants.def"
#include "stage/variant_table.h"

const struct stage m2l_stage = {
    .name = "m2l", .rows = rows, .absent = absent, .work = boxes_m2l_ops};
