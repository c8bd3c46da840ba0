/* SPDX-License-Identifier: Apache-2.0 */
/* excluded.h: excluded pairs of a rank's own targets.
 *
 * The owner of a target subtracts its pairs.  Sources that other ranks own are
 * fetched: their positions when points or pairs are set, their strengths in
 * each sum.  All functions with a comm are collective and return the same
 * status on all ranks. */
#ifndef FARSUM_RANKS_EXCLUDED_H
#define FARSUM_RANKS_EXCLUDED_H

#include "ranks/partners.h"

/* What is replaced together, so that the old ones stay if new ones fail. */
struct excluded_needs {
    struct partners_own pairs; /* its rows go to the list */
    int64_t kept; /* own sources whose positions and strengths are here */
    double *x[3]; /* owned, [kept + pairs.needed.n]: positions of those, and
                     then of the sources that other ranks own */
    void *q;      /* owned, [kept + pairs.needed.n] strengths */
};
struct excluded {
    struct partners partners;
    struct excluded_needs needs;
};

/* Makes the pairs of the list e for own targets, and memory for positions and
 * strengths of bytes_q each.  targets, sources: the same pointer: the targets
 * are the sources.  On failure x is as after excluded_drop; *made need not be
 * initialised. */
farsum_status excluded_find(struct excluded *x, struct comm *comm,
                            const struct exclusions *e, struct route *targets,
                            struct route *sources, int64_t kept,
                            int64_t bytes_q, struct excluded_needs *made);
/* Sets the positions.  held: those of all own sources. */
farsum_status excluded_places(struct excluded_needs *needs, struct comm *comm,
                              const double *const held[3]);
/* Replaces what x needs, and the rows of the list e, by those made. */
void excluded_take(struct excluded *x, struct exclusions *e,
                   struct excluded_needs *made);
/* Frees what was made of a list that is given up. */
void excluded_drop(struct excluded *x, struct excluded_needs *made);
void excluded_clear(struct excluded *x); /* a zeroed one is legal */

/* 1: some rank names a pair. */
static inline int excluded_any(const struct excluded *x)
{
    return x->needs.pairs.needed.sends.size > 0;
}
#endif
