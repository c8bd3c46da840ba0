/* SPDX-License-Identifier: Apache-2.0 */
/* table.c: the room's variants, from variants.def. */
#include "stage/boxes.h"

#define VARIANT(room, stem, note) extern const struct variant room##_##stem;
#include "stage/l2l/variants.def"
#undef VARIANT

static const struct variant_row rows[] = {
#define VARIANT(room, stem, note) {#stem, note, &room##_##stem},
#include "stage/l2l/variants.def"
#undef VARIANT
    {NULL, NULL, NULL}};

const struct stage l2l_stage = {
    .name = "l2l", .rows = rows, .work = boxes_shift_ops};
