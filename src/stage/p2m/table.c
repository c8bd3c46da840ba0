/* SPDX-License-Identifier: Apache-2.0 */
/* table.c: the table of variants of p2m, from variants.def. */
#include "stage/expansions/expansions.h"

#define VARIANT(stage, stem, note) extern const struct variant stage##_##stem;
#include "stage/p2m/variants.def"
#undef VARIANT

static const struct variant_row rows[] = {
#define VARIANT(stage, stem, note) {#stem, note, &stage##_##stem, 0},
#include "stage/p2m/variants.def"
#undef VARIANT
    {NULL, NULL, NULL, 0}};
_Static_assert(sizeof rows / sizeof *rows <= CHOOSE_MOST + 1, "all are ranked");

const struct stage p2m_stage = {
    .name = "p2m", .rows = rows, .work = boxes_p2m_ops};
