/* SPDX-License-Identifier: Apache-2.0 */
/* nearest.h: suggestions for a mistyped name. */
#ifndef FARSUM_TOOLS_NEAREST_H
#define FARSUM_TOOLS_NEAREST_H

#include <stddef.h>

/* Lists the names nearest to `word`, best first, as "a, b or c" in `text`, each
 * after `prefix`; empty if none is near.  name(k, data) is NULL beyond the
 * last. */
void nearest_prefixed(const char *word, const char *prefix,
                      const char *(*name)(int k, const void *data),
                      const void *data, char *text, size_t size);
void nearest(const char *word, const char *(*name)(int k, const void *data),
             const void *data, char *text, size_t size);
/* The same for a list that ends with NULL. */
void nearest_word(const char *word, const char *const *words, char *text,
                  size_t size);
#endif
