/* SPDX-License-Identifier: Apache-2.0 */
/* m2m_table.c: the table of variants of m2m, from m2m.def. */
#include "stage/expansions/expansions.h"

#define VARIANT(stage, stem, note) extern const struct variant stage##_##stem;
#include "stage/shift/m2m.def"
#undef VARIANT

static const struct variant_row rows[] = {
#define VARIANT(stage, stem, note) {#stem, note, &stage##_##stem, 0},
#include "stage/shift/m2m.def"
#undef VARIANT
    {NULL, NULL, NULL, 0}};
_Static_assert(sizeof rows / sizeof *rows <= CHOOSE_MOST + 1, "all are ranked");

const struct stage m2m_stage = {
    .name = "m2m", .rows = rows, .work = boxes_shift_ops};
