/* SPDX-License-Identifier: Apache-2.0 */
/* args.h: checks of a caller's arguments: structs that another version may have
 * compiled, and counts. */
#ifndef FARSUM_BASE_ARGS_H
#define FARSUM_BASE_ARGS_H

#include "base/status.h"

/* Copies a public struct from the caller.  Its first member is its size, as the
 * caller compiled it; `from` has from_size bytes.  If from_size is smaller than
 * to_size, the rest of *to is zero.  A larger struct is refused unless its
 * surplus is zero, because this version does not know those fields.  Afterwards
 * the size in *to is to_size.  init: the name of the macro that initialises the
 * struct, for messages. */
farsum_status struct_take(void *to, size_t to_size, const void *from,
                          size_t from_size, const char *init);
/* Copies a result to the caller's struct of to_size bytes and keeps the size
 * stored in that struct.  Refuses the same sizes as struct_take. */
farsum_status struct_give(void *to, size_t to_size, const void *from,
                          size_t from_size, const char *init);

/* Limit of a caller's count, checked before anything is computed from it.  Sums
 * of counts, and products with the bytes of an object, then fit an int64_t. */
#define COUNT_MOST ((int64_t)1 << 48)
/* Checks 0 <= count <= COUNT_MOST. */
farsum_status count_check(int64_t count, const char *name);
/* Checks each of `counts` counts, and that their product is at most
 * COUNT_MOST. */
farsum_status count_product(const int64_t *count, int counts,
                            const char *name);
#endif
