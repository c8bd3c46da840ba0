/* SPDX-License-Identifier: Apache-2.0 */
/* numbers.h: points that are numbered over all ranks, in rank order.
 *
 * Rank r holds the points first[r] <= number < first[r + 1]; it may hold none.
 * All functions but numbers_holder are collective. */
#ifndef FARSUM_RANKS_NUMBERS_H
#define FARSUM_RANKS_NUMBERS_H

#include "comm/comm.h"

/* Sets first [size + 1] from the number of points that each rank holds. */
farsum_status numbers_first(struct comm *comm, int64_t n, int64_t *first);
/* The rank that holds a number, 0 <= number < first[size]. */
int numbers_holder(const int64_t *first, int size, int64_t number);
/* Sends n records to the ranks that hold their numbers.  A record has `bytes`
 * bytes and begins with its number, an int64.  *got: records [*n_got] that this
 * rank received, by sending rank, then in its order; the caller frees it.  to,
 * from: [size], records to and from each rank.  Returns the same status on all
 * ranks; status: that of this rank so far. */
farsum_status numbers_deal(struct comm *comm, farsum_status status,
                           const int64_t *first, int64_t n, const void *records,
                           int64_t bytes, void **got, int64_t *n_got,
                           int64_t *to, int64_t *from);
#endif
