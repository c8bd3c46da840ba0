/* SPDX-License-Identifier: Apache-2.0 */
/* table.c: the table of variants of near, from variants.def. */
#include "stage/near/near.h"

#define VARIANTS "stage/near/variants.def"
#include "stage/variant_table.h"

const struct stage near_stage = {
    .name = "near", .rows = rows, .absent = absent, .work = near_ops};
