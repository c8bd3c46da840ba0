/* SPDX-License-Identifier: Apache-2.0 */
/* args.h: what a caller gives: structs that may be another version's, and
 * counts. */
#ifndef FARSUM_BASE_ARGS_H
#define FARSUM_BASE_ARGS_H

#include "base/status.h"

/* Copies a struct of the interface, whose first member is its size, as the
 * caller compiled it: `from` has from_size bytes.  A smaller one ends in zeros,
 * a larger one is refused unless it does: this version does not know what the
 * rest asks for.  to's size is then to_size.  init: the macro that makes it. */
farsum_status struct_take(void *to, size_t to_size, const void *from,
                          size_t from_size, const char *init);
/* Copies a result to the caller's struct of to_size bytes, which keeps its
 * size; the same refusals. */
farsum_status struct_give(void *to, size_t to_size, const void *from,
                          size_t from_size, const char *init);

/* Counts from outside, before anything is computed from them.  Sums, and
 * products with the bytes of an object, then fit an int64_t. */
#define COUNT_MOST ((int64_t)1 << 48)
/* 0 <= count <= COUNT_MOST. */
farsum_status count_check(int64_t count, const char *name);
/* The same of the product of counts, which are each checked. */
farsum_status count_product(const int64_t *count, int counts,
                            const char *name);
#endif
