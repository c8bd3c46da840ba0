/* SPDX-License-Identifier: Apache-2.0 */
/* variant_table.h: the table of a stage's variants, for the stage's table.c.
 *
 * Include it once, after a definition of VARIANTS, the path of the stage's
 * list.  A line of the list is
 *
 *     VARIANT(stage, stem, "note")
 *     PAPER(stage, stem, "note")
 *
 * The second is for a variant that reproduces a paper; builds without
 * FARSUM_PAPERS lack it.  Defines
 *
 *     rows     the variants, ended by a NULL name
 *     absent   names of variants that this build lacks, ended by NULL */
#include "stage/stage.h"

#define VARIANT(stage, stem, note) extern const struct variant stage##_##stem;
#if FARSUM_PAPERS
#define PAPER VARIANT
#else
#define PAPER(stage, stem, note)
#endif
#include VARIANTS
#undef VARIANT
#undef PAPER

#define VARIANT(stage, stem, note) {#stem, note, &stage##_##stem, 0},
#if FARSUM_PAPERS
#define PAPER(stage, stem, note) {#stem, note, &stage##_##stem, 1},
#else
#define PAPER(stage, stem, note)
#endif
static const struct variant_row rows[] = {
#include VARIANTS
    {NULL, NULL, NULL, 0}};
_Static_assert(sizeof rows / sizeof *rows <= CHOOSE_MOST + 1, "all are ranked");
#undef VARIANT
#undef PAPER

#define VARIANT(stage, stem, note)
#if FARSUM_PAPERS
#define PAPER(stage, stem, note)
#else
#define PAPER(stage, stem, note) #stem,
#endif
static const char *const absent[] = {
#include VARIANTS
    NULL};
#undef VARIANT
#undef PAPER
#undef VARIANTS
