/* SPDX-License-Identifier: Apache-2.0 */
/* m2m_table.c: the table of variants of m2m, from m2m.def. */
#include "stage/expansions/expansions.h"

#define VARIANTS "stage/shift/m2m.def"
#include "stage/variant_table.h"

const struct stage m2m_stage = {
    .name = "m2m", .rows = rows, .absent = absent, .work = boxes_shift_ops};
