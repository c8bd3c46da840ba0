/* SPDX-License-Identifier: Apache-2.0 */
/* table.c: the room's variants, from variants.def. */
#include "stage/expansions/expansions.h"

#define VARIANT(room, stem, note) extern const struct variant room##_##stem;
#include "stage/m2l/variants.def"
#undef VARIANT

static const struct variant_row rows[] = {
#define VARIANT(room, stem, note) {#stem, note, &room##_##stem},
#include "stage/m2l/variants.def"
#undef VARIANT
    {NULL, NULL, NULL}};
_Static_assert(sizeof rows / sizeof *rows <= CHOOSE_MOST + 1, "all are ranked");

const struct stage m2l_stage = {
    .name = "m2l", .rows = rows, .work = boxes_m2l_ops};
