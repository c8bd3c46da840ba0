/* SPDX-License-Identifier: Apache-2.0 */
/* table.c: the table of variants of p2m, from variants.def. */
#include "stage/expansions/expansions.h"

#define VARIANTS "stage/p2m/variants.def"
#include "stage/variant_table.h"

const struct stage p2m_stage = {
    .name = "p2m", .rows = rows, .absent = absent, .work = boxes_p2m_ops};
