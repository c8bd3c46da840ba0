/* SPDX-License-Identifier: Apache-2.0 */
/* table.c: the table of variants of p2p, from variants.def. */
#include "stage/p2p/p2p.h"

#define VARIANTS "stage/p2p/variants.def"
#include "stage/variant_table.h"

const struct stage p2p_stage = {
    .name = "p2p", .rows = rows, .absent = absent, .work = p2p_ops};
