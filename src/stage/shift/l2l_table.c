/* SPDX-License-Identifier: Apache-2.0 */
/* l2l_table.c: the table of variants of l2l, from l2l.def. */
#include "stage/expansions/expansions.h"

#define VARIANT(stage, stem, note) extern const struct variant stage##_##stem;
#include "stage/shift/l2l.def"
#undef VARIANT

static const struct variant_row rows[] = {
#define VARIANT(stage, stem, note) {#stem, note, &stage##_##stem, 0},
#include "stage/shift/l2l.def"
#undef VARIANT
    {NULL, NULL, NULL, 0}};
_Static_assert(sizeof rows / sizeof *rows <= CHOOSE_MOST + 1, "all are ranked");

const struct stage l2l_stage = {
    .name = "l2l", .rows = rows, .work = boxes_shift_ops};
