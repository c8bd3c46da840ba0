/* SPDX-License-Identifier: Apache-2.0 */
/* fetch.h: values of points that other ranks hold.
 *
 * Requests are sent once.  After that, values can be fetched repeatedly. */
#ifndef FARSUM_RANKS_FETCH_H
#define FARSUM_RANKS_FETCH_H

#include "ranks/numbers.h"
#include "ranks/sends.h"

struct fetch {
    struct sends sends; /* of the values that other ranks request; size 0:
                           empty */
    int64_t n;          /* different points that this rank requests */
    int64_t *number;    /* owned, [n], ascending */
};

/* Requests n points by number (numbers.h), in any order and repeatedly.  first
 * [size + 1].  bytes_most: of the largest value that will be fetched.
 * Collective: returns the same status on all ranks, and on failure *fetch is
 * empty.  status: that of this rank so far.  *fetch need not be initialised. */
farsum_status fetch_create(struct fetch *fetch, struct comm *comm,
                           farsum_status status, const int64_t *first,
                           int64_t n, const int64_t *numbers,
                           int64_t bytes_most);
void fetch_clear(struct fetch *fetch); /* a zeroed fetch is legal */
/* The index of a requested number, or -1. */
int64_t fetch_find(const struct fetch *fetch, int64_t number);
/* Sets got [n] of bytes_each each to the values of the requested points.  held:
 * values of the points that this rank holds.  Collective; it does not
 * allocate. */
farsum_status fetch_values(struct fetch *fetch, struct comm *comm,
                           const void *held, int64_t bytes_each, void *got);
#endif
