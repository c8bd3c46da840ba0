/* SPDX-License-Identifier: Apache-2.0 */
/* exclusions.h: pairs whose interaction stays by a factor only. */
#ifndef FARSUM_POINTS_EXCLUSIONS_H
#define FARSUM_POINTS_EXCLUSIONS_H

#include "base/status.h"

struct exclusions {
    int64_t count;
    int64_t *pair;  /* owned, [count][2], as they were given */
    double *factor; /* owned, [count] */
    /* By target, for n sources and m targets (0: the sources, each pair then
     * counts both ways); n = 0: not made yet. */
    int64_t n, m;
    int64_t rows, entries;
    int64_t *target;  /* owned, [rows]: those that have any, ascending */
    int64_t *start;   /* owned, [rows + 1] */
    int64_t *source;  /* owned, [entries], ascending within a row */
    double *lost;     /* owned, [entries]: 1 - factor */
    uint64_t version; /* counts the lists that were made */
    int64_t together; /* pairs with factor 0 whose sources lie at one place, as
                         points_distinct found last */
};

/* In place of those that are there, which stay on failure.  factor NULL: all
 * 0.  What hangs on the number of points is not looked at yet. */
farsum_status exclusions_set(struct exclusions *e, int64_t count,
                             const int64_t *pair, const double *factor);
/* The rows for these points; nothing if they are there.  FARSUM_ERR_ARGUMENT:
 * out of range, a source with itself, a pair that is named twice. */
farsum_status exclusions_rows(struct exclusions *e, int64_t n, int64_t m);
/* The row of target i, or -1. */
int64_t exclusions_row(const struct exclusions *e, int64_t i);
/* What is lost of source j at target i: 0, or 1 - factor. */
double exclusions_lost(const struct exclusions *e, int64_t i, int64_t j);
/* Those that say which pairs of the sources may lie at one place: none where
 * targets are apart, or there are no rows.  NULL: none. */
struct exclusions *exclusions_of_sources(struct exclusions *e);
void exclusions_clear(struct exclusions *e);
#endif
