/* SPDX-License-Identifier: Apache-2.0 */
/* table.c: the table of variants of scale, from variants.def. */
#include "stage/scale/scale.h"

#define VARIANT(stage, stem, note) extern const struct variant stage##_##stem;
#include "stage/scale/variants.def"
#undef VARIANT

static const struct variant_row rows[] = {
#define VARIANT(stage, stem, note) {#stem, note, &stage##_##stem, 0},
#include "stage/scale/variants.def"
#undef VARIANT
    {NULL, NULL, NULL, 0}};
_Static_assert(sizeof rows / sizeof *rows <= CHOOSE_MOST + 1, "all are ranked");

const struct stage scale_stage = {
    .name = "scale", .rows = rows, .work = scale_ops};
