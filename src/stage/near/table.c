/* SPDX-License-Identifier: Apache-2.0 */
/* table.c: the table of variants of near, from variants.def. */
#include "stage/near/near.h"

#define VARIANT VARIANT_EXTERN
#define PAPER PAPER_EXTERN
#include "stage/near/variants.def"
#undef VARIANT
#undef PAPER

static const struct variant_row rows[] = {
#define VARIANT VARIANT_ROW
#define PAPER PAPER_ROW
#include "stage/near/variants.def"
#undef VARIANT
#undef PAPER
    {NULL, NULL, NULL, 0}};

static const char *const absent[] = {
#define VARIANT VARIANT_NOTHING
#define PAPER PAPER_ABSENT
#include "stage/near/variants.def"
#undef VARIANT
#undef PAPER
    NULL};
_Static_assert(sizeof rows / sizeof *rows <= CHOOSE_MOST + 1, "all are ranked");

const struct stage near_stage = {
    .name = "near", .rows = rows, .absent = absent, .work = near_ops};
