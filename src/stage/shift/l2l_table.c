/* SPDX-License-Identifier: Apache-2.0 */
/* l2l_table.c: the table of variants of l2l, from l2l.def. */
#include "stage/expansions/expansions.h"

#define VARIANTS "stage/shift/l2l.def"
#include "stage/variant_table.h"

const struct stage l2l_stage = {
    .name = "l2l", .rows = rows, .absent = absent, .work = boxes_shift_ops};
