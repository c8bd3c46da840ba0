/* SPDX-License-Identifier: Apache-2.0 */
/* table.c: the table of variants of m2l, from variants.def. */
#include "stage/expansions/expansions.h"

#define VARIANT VARIANT_EXTERN
#define PAPER PAPER_EXTERN
#include "stage/m2l/variants.def"
#undef VARIANT
#undef PAPER

static const struct variant_row rows[] = {
#define VARIANT VARIANT_ROW
#define PAPER PAPER_ROW
#include "stage/m2l/variants.def"
#undef VARIANT
#undef PAPER
    {NULL, NULL, NULL, 0}};

static const char *const absent[] = {
#define VARIANT VARIANT_NOTHING
#define PAPER PAPER_ABSENT
#include "stage/m2l/variants.def"
#undef VARIANT
#undef PAPER
    NULL};
_Static_assert(sizeof rows / sizeof *rows <= CHOOSE_MOST + 1, "all are ranked");

const struct stage m2l_stage = {
    .name = "m2l", .rows = rows, .absent = absent, .work = boxes_m2l_ops};
