/* SPDX-License-Identifier: Apache-2.0 */
/* table.c: the table of variants of lattice, from variants.def. */
#include "stage/expansions/expansions.h"

#define VARIANT(stage, stem, note) extern const struct variant stage##_##stem;
#include "stage/lattice/variants.def"
#undef VARIANT

static const struct variant_row rows[] = {
#define VARIANT(stage, stem, note) {#stem, note, &stage##_##stem, 0},
#include "stage/lattice/variants.def"
#undef VARIANT
    {NULL, NULL, NULL, 0}};
_Static_assert(sizeof rows / sizeof *rows <= CHOOSE_MOST + 1, "all are ranked");

const struct stage lattice_stage = {
    .name = "lattice", .rows = rows, .work = boxes_lattice_ops};
