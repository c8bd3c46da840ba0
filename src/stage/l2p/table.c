/* SPDX-License-Identifier: Apache-2.0 */
/* table.c: the table of variants of l2p, from variants.def. */
#include "stage/expansions/expansions.h"

#define VARIANTS "stage/l2p/variants.def"
#include "stage/variant_table.h"

const struct stage l2p_stage = {
    .name = "l2p", .rows = rows, .absent = absent, .work = boxes_l2p_ops};
