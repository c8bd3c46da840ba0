/* SPDX-License-Identifier: Apache-2.0 */
/* table.c: the table of variants of l2p, from variants.def. */
#include "stage/expansions/expansions.h"

#define VARIANT(stage, stem, note) extern const struct variant stage##_##stem;
#include "stage/l2p/variants.def"
#undef VARIANT

static const struct variant_row rows[] = {
#define VARIANT(stage, stem, note) {#stem, note, &stage##_##stem, 0},
#include "stage/l2p/variants.def"
#undef VARIANT
    {NULL, NULL, NULL, 0}};
_Static_assert(sizeof rows / sizeof *rows <= CHOOSE_MOST + 1, "all are ranked");

const struct stage l2p_stage = {
    .name = "l2p", .rows = rows, .work = boxes_l2p_ops};
