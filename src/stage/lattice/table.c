/* SPDX-License-Identifier: Apache-2.0 */
/* table.c: the table of variants of lattice, from variants.def. */
#include "stage/expansions/expansions.h"

#define VARIANTS "stage/lattice/variants.def"
#include "stage/variant_table.h"

const struct stage lattice_stage = {
    .name = "lattice",
    .rows = rows,
    .absent = absent,
    .work = boxes_lattice_ops};
