/* SPDX-License-Identifier: Apache-2.0 */
/* exclusions.h: excluded pairs, whose interaction is scaled by a factor.
 *
 * Over ranks the list has global numbers, and the rows are those of the rank's
 * own points (ranks/excluded.h): sources from n on are points
 * that other ranks own. */
#ifndef FARSUM_POINTS_EXCLUSIONS_H
#define FARSUM_POINTS_EXCLUSIONS_H

#include "base/status.h"

struct exclusions {
    int64_t count;
    int64_t *pair;  /* owned, [count][2], in the caller's order */
    double *factor; /* owned, [count] */
    /* Rows by target, for n sources and m targets.  m = 0: the sources are the
     * targets, and each pair counts both ways.  n = 0: no rows yet. */
    int64_t n, m;
    int64_t rows, entries;
    int64_t *target;  /* owned, [rows]: targets that have exclusions,
                         ascending */
    int64_t *start;   /* owned, [rows + 1] */
    int64_t *source;  /* owned, [entries], ascending within a row */
    double *lost;     /* owned, [entries]: 1 - factor */
    uint64_t version; /* number of lists made so far */
    int64_t together; /* pairs with factor 0 whose sources coincide, found by
                         the last points_distinct */
};

/* Replaces the list, which is kept on failure. factor NULL: all 0.  Checks that
 * depend on the number of points are made later. */
farsum_status exclusions_set(struct exclusions *e, int64_t count,
                             const int64_t *pair, const double *factor);
/* Makes the rows for these points, unless they exist.  FARSUM_ERR_ARGUMENT: an
 * index out of range, a source paired with itself, a pair named twice. */
farsum_status exclusions_rows(struct exclusions *e, int64_t n, int64_t m);
/* Checks the indices of the list for n sources and m targets. */
farsum_status exclusions_check(const struct exclusions *e, int64_t n,
                               int64_t m);
/* Makes rows of pairs that count for their first member only, one of `targets`
 * targets; sources may have any index.  On failure the old rows stay; if a pair
 * occurs twice, `twice` has its places in the list, else -1. */
farsum_status exclusions_one_way(struct exclusions *e, int64_t targets,
                                 int64_t twice[2]);
/* Replaces the rows of e by those of `from`, which has none afterwards.  The
 * version stays. */
void exclusions_take_rows(struct exclusions *e, struct exclusions *from);
/* Returns the row of target i, or -1. */
int64_t exclusions_row(const struct exclusions *e, int64_t i);
/* Returns the part of source j that target i loses: 0, or 1 - factor. */
double exclusions_lost(const struct exclusions *e, int64_t i, int64_t j);
/* Returns the exclusions if they determine which sources may coincide, else
 * NULL.  They do not if targets are separate or there are no rows. */
struct exclusions *exclusions_of_sources(struct exclusions *e);
void exclusions_clear(struct exclusions *e);
#endif
